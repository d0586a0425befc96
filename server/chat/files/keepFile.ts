import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { HEAD_BYTES, pictureOf } from './picture.ts'
import * as store from './store.ts'

/** Stores the bytes of an arriving file, which a failure makes awaited again. */
export async function keep(env: Env, { id }: { id: string }, body: Readable, sizeBytes: number): Promise<store.Received> {
  try {
    const { bytes, received } = observed(body)
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

function observed(body: Readable): { bytes: Readable; received: () => store.Received } {
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let sizeBytes = 0
  async function* pass() {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (sizeBytes < HEAD_BYTES) head.push(chunk)
      sizeBytes += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  const received = () => {
    const picture = pictureOf(Buffer.concat(head))
    const pixels = picture ? picture.width * picture.height : 0
    const isShown = pixels > 0 && pixels <= LIMITS.photoPixels
    return { sizeBytes, hash: hash.digest(), mediaType: (isShown && picture?.mediaType) || null }
  }
  return { bytes: Readable.from(pass(), { objectMode: false }), received }
}
