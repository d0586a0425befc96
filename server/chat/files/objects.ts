import type { z } from 'zod'
import type { filesApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Bytes, Elsewhere } from '../../ground/http/bytes.ts'
import { refusalOf } from '../../ground/http/errors.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { looksMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { readerOf, requireRoom } from '../rooms/members.ts'
import { openParts } from './complete.ts'
import { directFor } from './direct.ts'
import { dropParts } from './parts.ts'
import * as store from './store.ts'
import { findParts } from './store-parts.ts'

const DROPPED_AT_ONCE = 100

/**
 * Answers a photo in use to mutual contacts and administrators too, and a sent file to readers of the message alone. Throws
 * Refusal.
 */
export async function readObject(
  env: Env,
  user: SignedInUser,
  { objectId: id, from }: z.output<typeof filesApi.get.input>,
  caller: Pick<Caller, 'ingress' | 'headers'>,
): Promise<Bytes | Elsewhere> {
  const object = await store.findObject(env.db, id)
  if (!object || !(await mayRead(env, user, object))) throw new Refusal('not_found')
  const { kind, mediaType: seen, sizeBytes, hash } = object
  // Sealed bytes may look like a picture.
  const mediaType = kind === 'file' ? 'application/octet-stream' : seen
  if (mediaType === null || sizeBytes === null || hash === null) throw new Refusal('not_found')
  const parts = object.uploadId === null ? [] : await findParts(env.db, id)
  const direct = from === 'bucket' && kind === 'file' && parts.length === 0 ? directFor(env, caller) : undefined
  if (direct) return { address: await direct.getAddress(id) }
  return {
    mediaType,
    sizeBytes,
    etag: hash.toString('hex'),
    open: (range) => (parts.length === 0 ? env.bucket.get(id, range) : openParts(env, parts, range)),
  }
}

type Object = NonNullable<Awaited<ReturnType<typeof store.findObject>>>

async function mayRead(env: Env, user: SignedInUser, { ownerId, kind, state, chatRoomId, messageSeq }: Object): Promise<boolean> {
  if (kind === 'file' && state === 'used') {
    if (chatRoomId === null || messageSeq === null) return false
    const reader = readerOf(await requireRoom(env.db, user, chatRoomId, env.clock()), user.id)
    return await store.isGiven(env.db, { chatRoomId, seq: messageSeq }, reader)
  }
  if (ownerId === user.id) return state === 'stored' || state === 'used'
  return kind === 'photo' && state === 'used' && (user.isAdmin || (await looksMutual(env.db, user.id, ownerId)))
}

/** Lets others read an uploaded picture. Throws Refusal. */
export async function bindPhoto(tx: Queryable, ownerId: string, id: string | undefined): Promise<void> {
  const object = id === undefined ? undefined : await store.findObject(tx, id)
  const isTheirs = object?.ownerId === ownerId && object.kind === 'photo'
  if (!isTheirs || object.state !== 'stored') throw new Refusal('unknown_upload')
  if (object.mediaType === null) throw new Refusal('not_a_picture')
  if (!(await store.move(tx, object.id, ['stored', 'used']))) throw new Refusal('unknown_upload')
}

/** The job deletes the bytes. */
export const dropObject = (tx: Queryable, ownerId: string, id: string): Promise<void> => store.dropOne(tx, ownerId, id)

/** Drops a file that no message carries. Throws Refusal. */
export async function removeFile(env: Env, user: SignedInUser, id: string): Promise<Record<string, never>> {
  const object = await store.findObject(env.db, id)
  if (object?.ownerId !== user.id || object.kind !== 'file') throw new Refusal('not_found')
  if (!(await store.dropWaiting(env.db, user.id, id))) throw new Refusal('file_in_use')
  return {}
}

/** Files that others have received stay. */
export const dropObjectsOf = (tx: Queryable, ownerId: string): Promise<void> => store.dropOwn(tx, ownerId)

/** Deletes rows last, so that a failed file is tried again. Throws the first failure at the end. */
export async function deleteDropped(env: Env): Promise<boolean> {
  const ago = (seconds: number) => new Date(env.clock().getTime() - seconds * 1000)
  await store.dropAbandoned(env.db, ago(LIMITS.uploadKeptSeconds), ago(LIMITS.uploadArrivesSeconds))
  const ids = await store.findDropped(env.db, DROPPED_AT_ONCE)
  const failures: unknown[] = []
  for (const id of ids)
    try {
      await dropParts(env, [id])
      await env.bucket.remove(id)
      await store.deleteObjects(env.db, [id])
    } catch (error) {
      // The bucket or the database is away.
      if (refusalOf(error)) throw error
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
  return ids.length === DROPPED_AT_ONCE
}
