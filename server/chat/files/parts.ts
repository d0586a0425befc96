import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { beginSealed, requireSpace } from './requireSpace.ts'
import { signedAddress } from './signAddress.ts'
import * as objectStore from './store.ts'
import * as store from './store-parts.ts'

type Came = Pick<Caller, 'ingress' | 'headers'>

export const partMinBytes = (came: Came): number => (comesByOnion(came) ? LIMITS.onionPartMinBytes : LIMITS.uploadPartMinBytes)

/** More parts would be too small for the largest file. */
const partsMax = (came: Came): number => Math.ceil(LIMITS.sealedFileBytes / partMinBytes(came))

/** Smaller parts may be more, but no more bytes. */
const ROWS_BYTES_MAX = 2 * Math.ceil(LIMITS.sealedFileBytes / LIMITS.uploadPartMinBytes) * LIMITS.sealedFileBytes

/** Answers the first addresses. Throws Refusal. */
export async function beginParts(env: Env, user: SignedInUser, came: Came): Promise<Upload & { url: string; urls: string[] }> {
  const uploadId = randomUUID()
  const key = await beginSealed(env, user, uploadId)
  const addressOf = (partNumber: number) => signedAddress(env, user.id, { objectId: key, uploadId, partNumber }).url
  return { key, uploadId, url: addressOf(1), urls: Array.from({ length: partsMax(came) }, (_, at) => addressOf(at + 1)) }
}

export interface Upload {
  key: string
  uploadId: string
}

/** Throws Refusal `not_found` for a foreign or dropped upload. */
export async function requireUpload(env: Env, user: SignedInUser, { key, uploadId }: Upload) {
  const object = await objectStore.findObject(env.db, key)
  const isTheirs = object?.ownerId === user.id && object.uploadId === uploadId.toLowerCase()
  if (!object || !isTheirs || object.state === 'dropped') throw new Refusal('not_found')
  return object
}

/** Throws as `requireUpload` does. */
export async function listParts(env: Env, user: SignedInUser, upload: Upload) {
  const { id } = await requireUpload(env, user, upload)
  const parts = await store.findParts(env.db, id)
  return parts.map(({ partNumber, sizeBytes, etag }) => ({ PartNumber: partNumber, Size: sizeBytes, ETag: `"${etag}"` }))
}

/** Throws as `requireUpload` does, and Refusal `already_uploaded`. */
export async function signPart(env: Env, user: SignedInUser, { partNumber, ...upload }: Upload & { partNumber: number }) {
  const { id, state } = await requireUpload(env, user, upload)
  if (state !== 'awaited') throw new Refusal('already_uploaded')
  return signedAddress(env, user.id, { objectId: id, uploadId: upload.uploadId, partNumber })
}

interface Part {
  objectId: string
  uploadId?: string | undefined
  partNumber?: number | undefined
  sizeBytes: number
}

/** A part replaces the one with the same number. Throws Refusal. */
export async function takePart(
  env: Env,
  user: SignedInUser,
  part: Part,
  caller: Caller<'stream'>,
): Promise<Record<string, never>> {
  const { objectId, uploadId = '', partNumber = 0, sizeBytes } = part
  await requireUpload(env, user, { key: objectId, uploadId })
  const id = randomUUID()
  // The bytes arrive meanwhile.
  const counted = env.db.transaction(async (tx) => {
    if (!(await store.holdAwaited(tx, objectId))) throw new Refusal('already_uploaded')
    const others = await store.countParts(tx, objectId, partNumber)
    const isFull = others.numbers >= partsMax(caller) || others.rows >= 2 * partsMax(caller)
    if (isFull || others.bytes + sizeBytes > ROWS_BYTES_MAX) throw new Refusal('incomplete_upload')
    await store.insertPart(tx, { id, objectId, partNumber, sizeBytes })
    await requireSpace(env, tx, user, await store.sumParts(tx, objectId))
  })
  const etag = await keepPart(env, { id, objectId, partNumber, sizeBytes, counted }, caller.body)
  caller.setEtag(etag)
  return {}
}

interface Arriving extends store.PartKey {
  sizeBytes: number
  /** Resolves when the row is counted. Rejects a refused part. */
  counted: Promise<void>
}

/** Stores a part and deletes the replaced one. Returns the SHA-256, hex. Throws Refusal. */
async function keepPart(env: Env, { sizeBytes, counted, ...part }: Arriving, body: Readable): Promise<string> {
  const hash = createHash('sha256')
  let isRefused = false
  counted.catch(() => {
    isRefused = true
  })
  async function* pass() {
    let last: Buffer | undefined
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (isRefused) break
      hash.update(chunk)
      if (last) yield last
      last = chunk
    }
    // The last bytes wait for the row.
    await counted
    if (last) yield last
  }
  try {
    await env.bucket.put(part.id, Readable.from(pass(), { objectMode: false }), sizeBytes)
  } catch (error) {
    // A refused part has no row.
    await counted
    await forgetPart(env, part)
    throw error
  }
  const etag = hash.digest('hex')
  const kept = await env.db.transaction(async (tx) => {
    // A completed or dropped upload takes no more parts.
    if (!(await store.holdAwaited(tx, part.objectId))) return undefined
    const hasReplaced = await store.storePart(tx, part, etag)
    // A single row was counted when it came.
    if (hasReplaced) await store.sumParts(tx, part.objectId)
    return { hasReplaced }
  })
  if (!kept) {
    await env.bucket.remove(part.id)
    await forgetPart(env, part)
    throw new Refusal('already_uploaded')
  }
  for (const id of kept.hasReplaced ? await store.findReplaced(env.db, part.objectId) : []) {
    await env.bucket.remove(id)
    await store.deleteParts(env.db, [id])
  }
  return etag
}

async function forgetPart(env: Env, { id, objectId }: store.PartKey): Promise<void> {
  await env.db.transaction(async (tx) => {
    const isAwaited = await store.holdAwaited(tx, objectId)
    await store.deleteParts(tx, [id])
    if (isAwaited) await store.sumParts(tx, objectId)
  })
}

/** Deletes bytes first. */
export async function dropParts(env: Env, objectIds: string[]): Promise<void> {
  const ids = await store.findAllParts(env.db, objectIds)
  for (const id of ids) await env.bucket.remove(id)
  await store.deleteParts(env.db, ids)
}

/** The job deletes the bytes. Throws Refusal. */
export async function abortParts(env: Env, user: SignedInUser, upload: Upload): Promise<Record<string, never>> {
  const { id } = await requireUpload(env, user, upload)
  if (!(await objectStore.dropWaiting(env.db, user.id, id))) throw new Refusal('file_in_use')
  return {}
}
