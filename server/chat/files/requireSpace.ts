import { randomUUID } from 'node:crypto'
import { sealedMaxBytes } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { UNLIMITED } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/** Returns the file's id. Throws Refusal. */
export async function beginSealed(env: Env, user: SignedInUser, uploadId?: string): Promise<string> {
  // A full account learns this before the upload.
  await requireSpace(env, env.db, user, 0)
  return await begin(env, user, 'file', LIMITS.filesWaitingMax, uploadId)
}

/** Drops the caller's oldest unused files beyond `kept`. Returns the id. */
export async function begin(env: Env, user: SignedInUser, kind: store.Kind, kept: number, uploadId?: string): Promise<string> {
  const id = randomUUID()
  await store.insertObject(env.db, { id, ownerId: user.id, kind, createdAt: env.clock(), uploadId: uploadId ?? null })
  await store.dropBeyond(env.db, user.id, kind, kept)
  return id
}

/** The row already counts `sizeBytes`. Throws Refusal. */
export async function requireSpace(env: Env, db: Queryable, user: SignedInUser, sizeBytes: number): Promise<void> {
  const space = await store.findSpace(db, user.id, env.clock())
  if (!space?.canShareFiles) throw new Refusal('subscription_required')
  if (sizeBytes > sealedMaxBytes(space.fileBytes)) throw new Refusal('file_too_large')
  if (space.storageBytes === UNLIMITED) return
  if (space.storedBytes > space.storageBytes || (sizeBytes === 0 && space.storedBytes === space.storageBytes))
    throw new Refusal('storage_limit_reached')
}
