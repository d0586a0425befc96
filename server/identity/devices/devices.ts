import type { z } from 'zod'
import type { devicesApi, Unlock } from '../../../contract/account/devices.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { areAcquainted, mayFollow, mutualContacts } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { challengeOf } from '../sessions/challenge.ts'
import { closeSessions, deleteSessionsOfDevices } from '../sessions/sessions.ts'
import * as store from './store.ts'
import { deleteFree } from './store-keypackages.ts'
import { raiseGiven } from './store-strangers.ts'
import { givenToStranger } from './strangers.ts'

export type UnlockSecret = Omit<Unlock, 'challenge'>

/** Throws Refusal [Note: V1, D4]. */
export const unlock = async (env: Env, user: SignedInUser): Promise<Unlock> => ({
  ...(await requireUnlock(env.db, user)),
  challenge: user.isProofDue ? challengeOf(env, user.sessionHash) : null,
})

export async function unlockOf(db: Queryable, userId: string, deviceId: string): Promise<UnlockSecret | undefined> {
  const secret = await store.findUnlock(db, userId, deviceId)
  return secret && { deviceId, unlockSecret: secret.toString('base64') }
}

/** The vault can never be opened again. */
export async function forgetUnlock(env: Env, userId: string, deviceId: string): Promise<void> {
  const ended = await env.db.transaction(async (tx) => {
    await store.deleteUnlock(tx, userId, deviceId)
    await deleteFree(tx, userId, deviceId)
    return await deleteSessionsOfDevices(tx, userId, [deviceId])
  })
  closeSessions(env, ended)
}

/** Seals are for the device that signed [Note: H2]. */
export async function ownKeys(env: Env, user: SignedInUser): Promise<z.input<typeof devicesApi.keys.output>> {
  const stored = await store.findDocuments(env.db, user.id)
  return {
    keyring: stored?.keyring ? signed(stored.keyring) : null,
    manifest: stored?.manifest ? signed(stored.manifest) : null,
    historySeals: user.deviceId === null ? [] : await store.findHistorySeals(env.db, user.id, user.deviceId),
  }
}

export async function listDevices(env: Env, user: SignedInUser): Promise<z.input<typeof devicesApi.list.output>> {
  const rows = await store.findDevices(env.db, user.id)
  return rows.map(({ id, addedAt, lastSeenAt }) => ({
    id,
    addedAt: addedAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    isCurrent: id === user.deviceId,
  }))
}

/** True if the account has one device or none. */
export const hasOneDevice = async (db: Queryable, userId: string): Promise<boolean> => (await store.countDevices(db, userId)) <= 1

/** Tells own sockets and mutual contacts. Other senders learn of an old manifest from the refusal. */
export async function announceKeys(env: Env, userId: string): Promise<void> {
  env.hub.publish([userId], { type: 'devices', data: {} })
  const mutual = await mutualContacts(env.db, [userId])
  env.hub.publish(mutual.get(userId) ?? [], { type: 'contacts', data: { userIds: [userId] } })
}

/** Not_found for a stranger. Throws Refusal. */
export async function manifestOf(env: Env, user: SignedInUser, userId: string, version?: number) {
  const isOwn = userId === user.id
  if (!isOwn && !(await areAcquainted(env.db, user.id, userId))) throw new Refusal('not_found')
  const stored = await store.findDocuments(env.db, userId)
  if (!stored) throw new Refusal('not_found')
  const newest = stored.manifest?.version ?? 0
  const mayKnow = isOwn || (await mayFollow(env.db, user.id, userId))
  const upTo = mayKnow ? newest : await givenToStranger(env, user, userId, newest, version)
  // An older list than they hold looks like a rollback.
  if (mayKnow && !isOwn) await raiseGiven(env.db, user.id, userId, newest)
  const isNewest = upTo === newest && (version === undefined || version >= newest)
  const kept = isNewest ? undefined : await store.findKeptManifest(env.db, userId, Math.min(version ?? upTo, upTo), upTo)
  return {
    userId,
    identityKey: stored.publicKey?.toString('base64') ?? null,
    manifest: kept ? signed(kept) : stored.manifest && signed(stored.manifest),
    version: kept ? Math.max(kept.version, upTo) : newest,
  }
}

/** Returns undefined without keys, and for a deleted account. */
export async function newestManifest(env: Env, userId: string): Promise<Signed | undefined> {
  const stored = await store.findDocuments(env.db, userId)
  return stored?.manifest ? signed(stored.manifest) : undefined
}

/** Throws Refusal `unknown_device` if the session names no device of the account. */
export async function requireUnlock(db: Queryable, { id, namedDeviceId }: SignedInUser): Promise<UnlockSecret> {
  const found = namedDeviceId === null ? undefined : await unlockOf(db, id, namedDeviceId)
  if (!found) throw new Refusal('unknown_device')
  return found
}

const signed = ({ content, signature }: Signed): Signed => ({ content, signature })
