import type { z } from 'zod'
import type { devicesApi, Unlock } from '../../../contract/account/devices.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { areAcquainted, mutualContacts } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { challengeOf } from '../sessions/challenge.ts'
import { closeSessions, deleteSessionsOfDevices } from '../sessions/sessions.ts'
import * as store from './store.ts'
import { deleteFree } from './store-keypackages.ts'

export type UnlockSecret = Omit<Unlock, 'challenge'>

/**
 * Returns the unlock secret of the device that this session names, and the challenge still to sign [Note: V1, D4]. Throws
 * Refusal.
 */
export const unlock = async (env: Env, user: SignedInUser): Promise<Unlock> => ({
  ...(await requireUnlock(env.db, user)),
  challenge: user.deviceId === null ? challengeOf(env, user.sessionHash) : null,
})

/** Returns the unlock secret of the account's device; undefined for an unknown device or one whose keys were removed. */
export async function unlockOf(db: Queryable, userId: string, deviceId: string): Promise<UnlockSecret | undefined> {
  const secret = await store.findUnlock(db, userId, deviceId)
  return secret && { deviceId, unlockSecret: secret.toString('base64') }
}

/** Deletes the device's unlock secret, unclaimed key packages and sessions, so that its vault can never be opened again. */
export async function forgetUnlock(env: Env, userId: string, deviceId: string): Promise<void> {
  const ended = await env.db.transaction(async (tx) => {
    await store.deleteUnlock(tx, userId, deviceId)
    await deleteFree(tx, userId, deviceId)
    return await deleteSessionsOfDevices(tx, userId, [deviceId])
  })
  closeSessions(env, ended)
}

/**
 * Returns the caller's keyring and manifest, and the history keys sealed to the device that signed for this session [Note: H2].
 */
export async function ownKeys(env: Env, user: SignedInUser): Promise<z.input<typeof devicesApi.keys.output>> {
  const stored = await store.findDocuments(env.db, user.id)
  return {
    keyring: stored?.keyring ? signed(stored.keyring) : null,
    manifest: stored?.manifest ? signed(stored.manifest) : null,
    historySeals: user.deviceId === null ? [] : await store.findHistorySeals(env.db, user.id, user.deviceId),
  }
}

/** Lists the account's devices as the server knows them. */
export async function listDevices(env: Env, user: SignedInUser): Promise<z.input<typeof devicesApi.list.output>> {
  const rows = await store.findDevices(env.db, user.id)
  return rows.map(({ id, addedAt, lastSeenAt }) => ({
    id,
    addedAt: addedAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    isCurrent: id === user.deviceId,
  }))
}

/**
 * Tells the account's own sockets and its mutual contacts that its manifest changed. Others would only learn when devices come
 * and go; a sender with an old manifest learns of it from the refusal.
 */
export async function announceKeys(env: Env, userId: string): Promise<void> {
  env.hub.publish([userId], { type: 'devices', data: {} })
  const mutual = await mutualContacts(env.db, [userId])
  env.hub.publish(mutual.get(userId) ?? [], { type: 'contacts', data: { userIds: [userId] } })
}

/**
 * Returns the manifest of the caller or of a person joined to the caller by a contact row: the requested version if it is stored,
 * else the newest. A stranger gets not_found. Throws Refusal.
 */
export async function manifestOf(env: Env, user: SignedInUser, userId: string, version?: number) {
  if (userId !== user.id && !(await areAcquainted(env.db, user.id, userId))) throw new Refusal('not_found')
  const stored = await store.findDocuments(env.db, userId)
  if (!stored) throw new Refusal('not_found')
  const older = version !== undefined && (await store.findManifestVersion(env.db, userId, version))
  return {
    userId,
    identityKey: stored.publicKey?.toString('base64') ?? null,
    manifest: older || (stored.manifest ? signed(stored.manifest) : null),
    version: stored.manifest?.version ?? 0,
  }
}

/** Returns the account's newest manifest; undefined for an account without keys or a deleted one. */
export async function newestManifest(env: Env, userId: string): Promise<Signed | undefined> {
  const stored = await store.findDocuments(env.db, userId)
  return stored?.manifest ? signed(stored.manifest) : undefined
}

/** Returns the unlock secret of the device that this session names. Throws Refusal. */
export async function requireUnlock(db: Queryable, { id, namedDeviceId }: SignedInUser): Promise<UnlockSecret> {
  const found = namedDeviceId === null ? undefined : await unlockOf(db, id, namedDeviceId)
  if (!found) throw new Refusal('unknown_device')
  return found
}

const signed = ({ content, signature }: Signed): Signed => ({ content, signature })
