import { randomBytes } from 'node:crypto'
import { sameBytes } from '../../contract/bytes.ts'
import type { AccountKeys } from '../../contract/devices.ts'
import { onionAddress } from '../../contract/onion.ts'
import type { Signed } from '../../contract/shapes.ts'
import { whoLists } from '../contacts/audience.ts'
import type { Queryable } from '../db/connect.ts'
import { isTaken } from '../db/unique.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../http/refuse.ts'
import { bindDevice, endSession } from '../http/session.ts'
import { type ReadKeys, readKeys, requireSuccessor } from './documents.ts'
import { deleteFreePackages, storeKeyPackages } from './keypackages.ts'
import * as store from './store.ts'

export interface Unlock {
  deviceId: string
  /** 32 bytes, base64. */
  unlockSecret: string
}

/** The first keys of an account, inside the caller's transaction [Note: K3]. Throws Refusal. */
export async function storeFirstKeys(tx: Queryable, now: Date, userId: string, read: ReadKeys): Promise<Unlock> {
  const identity = await store.lockIdentity(tx, userId)
  if (!identity || identity.publicKey) throw new Refusal('has_keys')
  if (read.keyringVersion !== 1 || read.manifest.version !== 1) throw new Refusal('stale_version')
  if (read.manifest.devices.length !== 1) throw new Refusal('unknown_device')
  const publicKey = Buffer.from(read.identityKey)
  await store.setIdentity(tx, userId, publicKey, onionAddress(publicKey)).catch((error: unknown) => {
    if (isTaken(error, 'users_onion_address_unique')) throw new Refusal('invalid_input', { text: 'The identity key is not new' })
    throw error
  })
  return await storeDevice(tx, now, userId, read)
}

/** Adds the browser of this session by a manifest one version up, signed by the account. Throws Refusal. */
export async function enrol(env: Env, user: SignedInUser, posted: AccountKeys): Promise<Unlock> {
  const read = readKeys(posted)
  const now = env.clock()
  const { unlock, ended } = await env.db.transaction(async (tx) => {
    const identity = await store.lockIdentity(tx, user.id)
    const stored = await store.findDocuments(tx, user.id)
    if (!identity?.publicKey || !stored?.keyring || !stored.manifest) throw new Refusal('stale_version')
    if (!sameBytes(identity.publicKey, read.identityKey)) throw new Refusal('invalid_signature')
    // The answer to the first try was lost.
    if (user.deviceId === posted.deviceId && sameText(stored.manifest, posted.manifest)) {
      return { unlock: await requireUnlock(tx, now, user), ended: [] }
    }
    const keyringStays = read.keyringVersion === stored.keyring.version && sameText(stored.keyring, posted.keyring)
    if (!keyringStays && read.keyringVersion !== stored.keyring.version + 1) throw new Refusal('stale_version')
    requireSuccessor(stored.manifest, read)

    const before = await store.deviceIds(tx, user.id)
    const listed = read.manifest.devices.map((device) => device.id)
    if (listed.some((id) => id !== posted.deviceId && !before.includes(id))) throw new Refusal('unknown_device')
    const leaving = before.filter((id) => !listed.includes(id))
    const ended = await store.sessionsOfDevices(tx, user.id, leaving)
    await store.deleteOtherDevices(tx, user.id, listed)
    if (!before.includes(posted.deviceId)) return { unlock: await storeDevice(tx, now, user.id, read), ended }
    // Another session's device: its unlock secret is not this session's to have.
    if (user.deviceId !== posted.deviceId) throw new Refusal('invalid_input', { text: 'This device is enrolled already' })
    await saveDocuments(tx, user.id, read)
    await storeKeyPackages(tx, now, user.id, posted.deviceId, posted.keyPackages)
    return { unlock: await requireUnlock(tx, now, user), ended }
  })
  await bindDevice(env, user.sessionHash, unlock.deviceId)
  for (const hash of ended) if (hash !== user.sessionHash) await endSession(env, hash)
  env.hub.publish([user.id, ...(await whoLists(env.db, user.id))], { type: 'contacts', data: {} })
  return unlock
}

/** The unlock secret of this session's device [Note: V1]. Throws Refusal. */
export const unlock = (env: Env, user: SignedInUser): Promise<Unlock> => requireUnlock(env.db, env.clock(), user)

/** The unlock secret of a device of the account; undefined for a device that is not the account's or whose keys were removed. */
export async function unlockOf(env: Env, userId: string, deviceId: string): Promise<Unlock | undefined> {
  const secret = await store.takeUnlock(env.db, userId, deviceId, env.clock())
  return secret && { deviceId, unlockSecret: secret.toString('base64') }
}

/** The vault of this device stays shut for good: its unlock secret, waiting key packages and sessions are gone. */
export async function forgetUnlock(env: Env, userId: string, deviceId: string): Promise<void> {
  await env.db.transaction(async (tx) => {
    await store.deleteUnlock(tx, userId, deviceId)
    await deleteFreePackages(tx, userId, deviceId)
  })
  for (const hash of await store.sessionsOfDevices(env.db, userId, [deviceId])) await endSession(env, hash)
}

/** The caller's own keyring and manifest. */
export async function ownKeys(env: Env, user: SignedInUser): Promise<{ keyring: Signed | null; manifest: Signed | null; historySeals: [] }> {
  const stored = await store.findDocuments(env.db, user.id)
  return {
    keyring: stored?.keyring ? signed(stored.keyring) : null,
    manifest: stored?.manifest ? signed(stored.manifest) : null,
    historySeals: [],
  }
}

/** The manifest of oneself or of someone whom a contact row joins to the caller. A stranger is not found. Throws Refusal. */
export async function manifestOf(env: Env, user: SignedInUser, userId: string) {
  if (userId !== user.id && !(await store.areAcquainted(env.db, user.id, userId))) throw new Refusal('not_found')
  const stored = await store.findDocuments(env.db, userId)
  if (!stored) throw new Refusal('not_found')
  return {
    userId,
    identityKey: stored.publicKey?.toString('base64') ?? null,
    manifest: stored.manifest ? signed(stored.manifest) : null,
    version: stored.manifest?.version ?? 0,
  }
}

async function storeDevice(tx: Queryable, now: Date, userId: string, read: ReadKeys): Promise<Unlock> {
  const { deviceId, keyPackages } = read.posted
  const secret = randomBytes(32)
  await saveDocuments(tx, userId, read)
  await store.insertDevice(tx, userId, deviceId, secret, now)
  await storeKeyPackages(tx, now, userId, deviceId, keyPackages)
  return { deviceId, unlockSecret: secret.toString('base64') }
}

const saveDocuments = (tx: Queryable, userId: string, { posted, keyringVersion, manifest }: ReadKeys): Promise<void> =>
  store.saveDocuments(tx, userId, {
    keyring: posted.keyring,
    keyringVersion,
    manifest: posted.manifest,
    manifestVersion: manifest.version,
  })

async function requireUnlock(db: Queryable, now: Date, user: SignedInUser): Promise<Unlock> {
  const secret = user.deviceId === null ? undefined : await store.takeUnlock(db, user.id, user.deviceId, now)
  if (!user.deviceId || !secret) throw new Refusal('unknown_device')
  return { deviceId: user.deviceId, unlockSecret: secret.toString('base64') }
}

const sameText = (a: Signed, b: Signed): boolean => a.content === b.content && a.signature === b.signature
const signed = ({ content, signature }: Signed): Signed => ({ content, signature })
