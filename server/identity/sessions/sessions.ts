import { randomBytes, randomUUID } from 'node:crypto'
import type { Origin } from '../../../contract/account/sessions.ts'
import type { AccountChange } from '../../../contract/frames.ts'
import { browserOf } from '../../../contract/ground/browser.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { hashOfToken } from '../../ground/http/cookie.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import type { SignedOut } from '../../ground/realtime/hub.ts'
import { Refusal } from '../../refuse.ts'
import { noteSignInDevice } from './signins.ts'
import * as store from './store.ts'

const TOKEN_BYTES = 32
const EXPIRED_AT_ONCE = 1000

export interface StartedSession {
  id: string
  /** The cookie's value; the server stores only its SHA-256. */
  token: string
  /** Hex. */
  sessionHash: string
  expiresAt: Date
}

export interface Entrance extends Origin {
  deviceId: string | null
  /** The listener that the cookie comes back to; the direct one if absent. */
  listener?: Caller['ingress']
}

/** Keeps only the names of browser and system. */
export const originOf = ({ headers, ingress }: Pick<Caller, 'headers' | 'ingress'>): Origin => ({
  ...browserOf(headers['user-agent'] ?? ''),
  ingress: comesByOnion({ ingress, headers }) ? 'onion' : 'direct',
})

/** The caller sets the cookie. */
export async function startSession(
  env: Env,
  userId: string,
  { listener, ...entrance }: Entrance,
  db: Queryable = env.db,
): Promise<StartedSession> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = env.clock()
  const expiresAt = later(now, LIMITS.sessionAbsoluteSeconds)
  const sessionHash = hashOfToken(token, listener)
  const tokenHash = fromHex(sessionHash)
  const id = randomUUID()
  await store.insertSession(db, { ...entrance, id, tokenHash, userId, createdAt: now, lastUsedAt: now, expiresAt })
  await store.trimSessions(db, userId, tokenHash, LIMITS.sessionsPerUser)
  return { id, token, sessionHash, expiresAt }
}

/** Throws Refusal `not_signed_in`. Call this after waiting for a lock. */
export async function requireLive(tx: Queryable, { sessionHash }: SignedInUser): Promise<void> {
  if (!(await store.isStored(tx, fromHex(sessionHash)))) throw new Refusal('not_signed_in')
}

/** Closes the sockets too. */
export async function endSession(env: Env, { id, sessionHash }: SignedInUser): Promise<void> {
  await env.db.transaction(async (tx) => await announceEnd(tx, id, await store.deleteSession(tx, fromHex(sessionHash))))
  env.hub.closeSession(sessionHash)
}

/** Closes the sockets too. */
export async function endSessionsOf(env: Env, userId: string, exceptHash?: string): Promise<void> {
  closeSessions(env, await env.db.transaction((tx) => deleteSessionsOf(tx, userId, exceptHash)))
}

/** After COMMIT `closeSessions` takes the result, so that this node need not wait. */
export async function deleteSessionsOf(
  tx: Queryable,
  userId: string,
  exceptHash?: string,
  what?: AccountChange,
): Promise<string[]> {
  const ended = await store.deleteOf(tx, userId, exceptHash === undefined ? undefined : fromHex(exceptHash))
  return await announceEnd(tx, userId, ended, what)
}

export async function deleteSessionsOfDevices(tx: Queryable, userId: string, deviceIds: string[]): Promise<string[]> {
  return await announceEnd(tx, userId, await store.deleteOfDevices(tx, userId, deviceIds))
}

/** Returns the hashes. */
export async function announceEnd(
  tx: Queryable,
  userId: string,
  ended: { tokenHash: Buffer }[],
  what: AccountChange = 'sessions',
): Promise<string[]> {
  if (ended.length > 0) await announceChange(tx, [userId], what)
  return ended.map(({ tokenHash }) => tokenHash.toString('hex'))
}

export function closeSessions(env: Env, sessionHashes: string[], why?: SignedOut): void {
  for (const hash of sessionHashes) env.hub.closeSession(hash, why)
}

/** One step of a job: true if more are left. */
export async function deleteExpiredSessions(env: Env): Promise<boolean> {
  return await env.db.transaction(async (tx) => {
    const ended = await store.deleteExpired(tx, env.clock(), EXPIRED_AT_ONCE)
    await announceChange(tx, [...new Set(ended.map(({ userId }) => userId))], 'sessions')
    return ended.length === EXPIRED_AT_ONCE
  })
}

/** The device has not signed yet. Throws Refusal. */
export async function nameDevice(tx: Queryable, { sessionHash }: SignedInUser, deviceId: string): Promise<void> {
  if (!(await store.setDevice(tx, fromHex(sessionHash), deviceId, null))) throw new Refusal('not_signed_in')
}

/** The session sleeps until a device signs again [Note: D4]. Closes its sockets. */
export async function sleep(env: Env, { id, sessionHash }: SignedInUser): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    await store.putToSleep(tx, fromHex(sessionHash))
    await announceChange(tx, [id], 'sessions')
  })
  env.hub.closeUnproven(sessionHash)
  return {}
}

/** The device stays the session's [Note: D4]. Throws Refusal. */
export async function rememberProof(
  tx: Queryable,
  now: Date,
  { id, sessionHash }: SignedInUser,
  deviceId: string,
): Promise<void> {
  if (!(await store.setDevice(tx, fromHex(sessionHash), deviceId, now))) throw new Refusal('not_signed_in')
  await noteSignInDevice(tx, now, id, fromHex(sessionHash), deviceId)
}

/** Throws Refusal `not_signed_in` if the session has ended. */
export async function rememberConfirmation(db: Queryable, { sessionHash }: SignedInUser, confirmedAt: Date): Promise<void> {
  if (!(await store.setConfirmed(db, fromHex(sessionHash), confirmedAt))) throw new Refusal('not_signed_in')
}

const fromHex = (hash: string): Buffer => Buffer.from(hash, 'hex')
const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)
