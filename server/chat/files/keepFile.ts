import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pictureSize } from '../../../contract/chat/pictureSize.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/** Stores the bytes of an arriving file, which a failure makes awaited again. */
export async function keep(
  env: Env,
  { id, kind }: { id: string; kind: store.Kind },
  body: Readable,
  sizeBytes: number,
): Promise<store.Received> {
  try {
    const { bytes, received } = observed(body, kind)
    await env.bucket.put(id, bytes, sizeBytes)
    const what = received()
    await env.fault?.('file:kept')
    if (await store.move(env.db, id, ['arriving', 'stored'], what)) return what
  } catch (error) {
    await store.move(env.db, id, ['arriving', 'awaited'], { sizeBytes: null })
    throw error
  }
  // The file was dropped with its account.
  await env.bucket.remove(id)
  throw new Refusal('not_found')
}

/** The type of a photo; null for what no browser may be sent. */
function photoType(bytes: Buffer): store.Received['mediaType'] {
  const picture = pictureSize(bytes)
  if (!picture || picture.type === 'image/webp' || picture.type === 'image/avif') return null
  return picture.width * picture.height <= LIMITS.photoPixels ? picture.type : null
}

function observed(body: Readable, kind: store.Kind): { bytes: Readable; received: () => store.Received } {
  const hash = createHash('sha256')
  const photo: Buffer[] = []
  let sizeBytes = 0
  async function* pass() {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (kind === 'photo') photo.push(chunk)
      sizeBytes += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  const received = () => ({ sizeBytes, hash: hash.digest(), mediaType: photoType(Buffer.concat(photo)) })
  return { bytes: Readable.from(pass(), { objectMode: false }), received }
}
