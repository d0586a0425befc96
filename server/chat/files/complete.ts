import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { uploaderApi } from '../../../contract/chat/files.ts'
import { objectPath, paddedBytes } from '../../../contract/chat/objects.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Range } from '../../ground/http/bytes.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { keep } from './keepFile.ts'
import { dropParts, partMinBytes, requireUpload } from './parts.ts'
import { requireSpace } from './requireSpace.ts'
import * as objectStore from './store.ts'
import * as store from './store-parts.ts'

/** Joins parts by number. Answers the same when sent again. Throws Refusal. */
export async function completeParts(
  env: Env,
  user: SignedInUser,
  { parts: named, ...upload }: z.output<typeof uploaderApi.complete.input>,
  caller: Pick<Caller, 'ingress' | 'headers'>,
): Promise<{ location: string }> {
  const object = await requireUpload(env, user, upload)
  const { id } = object
  const isDone = object.state === 'stored' || object.state === 'used'
  const isJoined = env.bucket.direct !== undefined
  if (!isDone) {
    const parts = await env.db.transaction(async (tx) => {
      // The lock keeps new parts out.
      if (!(await store.holdAwaited(tx, id))) throw new Refusal('already_uploaded')
      const parts = wholeParts(await store.findParts(tx, id), named, partMinBytes(caller))
      const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0)
      if (sizeBytes !== paddedBytes(sizeBytes)) throw new Refusal('not_padded')
      const whole = { sizeBytes, hash: hashOf(parts), mediaType: null }
      await objectStore.move(tx, id, ['awaited', isJoined ? 'arriving' : 'stored'], isJoined ? { sizeBytes } : whole)
      await requireSpace(env, tx, user, sizeBytes)
      return { pieces: parts.map((part) => ({ id: part.id })), sizeBytes }
    })
    if (isJoined) await keep(env, object, joined(env, parts.pieces), parts.sizeBytes)
    await env.fault?.('file:completed')
  }
  if (isJoined) await dropParts(env, [id])
  else await deleteUnused(env, id)
  return { location: objectPath(id) }
}

/** Requires the named parts, large except for the last. Throws Refusal. */
function wholeParts(parts: store.Row[], named: { PartNumber: number; ETag: string }[], minBytes: number): store.Row[] {
  const isWhole =
    parts.length === named.length &&
    parts.every(
      ({ partNumber, etag }, at) => named[at]?.PartNumber === partNumber && named[at]?.ETag.replaceAll('"', '') === etag,
    )
  const areLarge = parts.slice(0, -1).every(({ sizeBytes }) => sizeBytes >= minBytes)
  if (!isWhole || !areLarge) throw new Refusal('incomplete_upload')
  return parts
}

/** SHA-256 of the parts' SHA-256. */
const hashOf = (parts: store.Row[]): Buffer =>
  createHash('sha256')
    .update(parts.map(({ etag }) => etag).join(' '))
    .digest()

/** Deletes replaced and broken-off parts. */
async function deleteUnused(env: Env, objectId: string): Promise<void> {
  const ids = await store.findUnused(env.db, objectId)
  for (const id of ids) await env.bucket.remove(id)
  await store.deleteParts(env.db, ids)
}

interface Piece {
  id: string
  range?: Range
}

/** Opens a range, or the whole file. undefined if the first bytes are gone. */
export async function openParts(env: Env, parts: store.Row[], range?: Range): Promise<Readable | undefined> {
  const pieces: Piece[] = []
  let from = 0
  for (const { id, sizeBytes } of parts) {
    const first = Math.max(0, (range?.first ?? 0) - from)
    const last = Math.min(sizeBytes - 1, (range?.last ?? Number.POSITIVE_INFINITY) - from)
    if (first <= last) pieces.push({ id, range: { first, last } })
    from += sizeBytes
  }
  const [{ id, range: ofFirst } = { id: '' }, ...others] = pieces
  const opened = await env.bucket.get(id, ofFirst)
  if (!opened) return undefined
  const all = joined(env, others, opened)
  all.once('close', () => opened.destroy())
  return all
}

function joined(env: Env, pieces: Piece[], opened?: Readable): Readable {
  async function* whole() {
    if (opened) yield* opened as AsyncIterable<Buffer>
    for (const { id, range } of pieces) {
      const bytes = await env.bucket.get(id, range)
      if (!bytes) throw new Refusal('incomplete_upload')
      yield* bytes as AsyncIterable<Buffer>
    }
  }
  return Readable.from(whole(), { objectMode: false })
}
