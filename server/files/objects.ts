import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { objectPath } from '../../contract/files.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import type { Env, SignedInUser } from '../env.ts'
import type { Bytes, Caller } from '../http/serve.ts'
import { Refusal } from '../refuse.ts'
import { looksMutual } from '../relations/relations.ts'
import { HEAD_BYTES, pictureOf } from './picture.ts'
import * as store from './store.ts'

const DROPPED_AT_ONCE = 100

/** Answers the address that takes a new file. Of the caller's files that nobody uses, the oldest ones give way. */
export async function beginUpload(env: Env, user: SignedInUser): Promise<{ uploadURL: string }> {
  const id = randomUUID()
  await store.insertObject(env.db, { id, ownerId: user.id, kind: 'photo', createdAt: env.clock() })
  await store.dropBeyond(env.db, user.id, LIMITS.uploadsWaitingMax)
  return { uploadURL: objectPath(id) }
}

/** Stores the bytes of a file, once: they never change. Throws Refusal. */
export async function takeUpload(env: Env, user: SignedInUser, id: string, caller: Caller<'stream'>) {
  const object = await store.findObject(env.db, id)
  if (object?.ownerId !== user.id || object.state === 'dropped') throw new Refusal('not_found')
  if (object.state !== 'awaited') throw new Refusal('already_uploaded')
  if (env.clock().getTime() - object.createdAt.getTime() > LIMITS.uploadSeconds * 1000) throw new Refusal('upload_expired')
  const sizeBytes = Number(caller.headers['content-length'] ?? 0)
  if (sizeBytes === 0) throw new Refusal('empty_upload')
  // Of two requests that send bytes for one file, one goes on.
  if (!(await store.move(env.db, id, ['awaited', 'arriving']))) throw new Refusal('already_uploaded')
  try {
    const { bytes, received } = observed(caller.body)
    await env.bucket.put(id, bytes, sizeBytes)
    if (await store.move(env.db, id, ['arriving', 'stored'], received())) return {}
  } catch (error) {
    await store.move(env.db, id, ['arriving', 'awaited'])
    throw error
  }
  // It was dropped meanwhile, with its account.
  await env.bucket.remove(id)
  throw new Refusal('not_found')
}

/** Passes the bytes on, and notes what the row says of them. */
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

/**
 * Returns the bytes of a file: to its owner, and a profile photo that is in use to mutual contacts. Whoever may not read it is
 * answered as if there were none. Throws Refusal.
 */
export async function readObject(env: Env, user: SignedInUser, id: string): Promise<Bytes> {
  const object = await store.findObject(env.db, id)
  if (!object || !(await mayRead(env.db, user.id, object))) throw new Refusal('not_found')
  const { mediaType, sizeBytes } = object
  const bytes = mediaType === null || sizeBytes === null ? undefined : await env.bucket.get(id)
  if (!bytes || mediaType === null || sizeBytes === null) throw new Refusal('not_found')
  return { bytes, mediaType, sizeBytes }
}

type Object = NonNullable<Awaited<ReturnType<typeof store.findObject>>>

async function mayRead(db: Queryable, readerId: string, { ownerId, kind, state }: Object): Promise<boolean> {
  if (ownerId === readerId) return state === 'stored' || state === 'used'
  return kind === 'photo' && state === 'used' && (await looksMutual(db, readerId, ownerId))
}

/** Makes an uploaded picture of this owner one that others may read. Throws Refusal. */
export async function bindPhoto(tx: Queryable, ownerId: string, id: string | undefined): Promise<void> {
  const object = id === undefined ? undefined : await store.findObject(tx, id)
  const isTheirs = object?.ownerId === ownerId && object.kind === 'photo'
  if (!isTheirs || object.state !== 'stored') throw new Refusal('unknown_upload')
  if (object.mediaType === null) throw new Refusal('not_a_picture')
  if (!(await store.move(tx, object.id, ['stored', 'used']))) throw new Refusal('unknown_upload')
}

/** Nobody reads this file any more, if it is the owner's. The job deletes the bytes. */
export const dropObject = (tx: Queryable, ownerId: string, id: string): Promise<void> => store.dropOne(tx, ownerId, id)

/** Nobody reads a file of this account any more. */
export const dropObjectsOf = (tx: Queryable, ownerId: string): Promise<void> => store.dropAllOf(tx, ownerId)

/** Deletes dropped files, and those that were uploaded for nothing. The row goes last: what fails is tried again. */
export async function deleteDropped(env: Env): Promise<boolean> {
  await store.dropAbandoned(env.db, new Date(env.clock().getTime() - LIMITS.uploadKeptSeconds * 1000))
  const ids = await store.findDropped(env.db, DROPPED_AT_ONCE)
  for (const id of ids) await env.bucket.remove(id)
  await store.deleteObjects(env.db, ids)
  return ids.length === DROPPED_AT_ONCE
}
