import { createHash, randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, lt, ne } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import { sessions, users } from '../db/schema.ts'
import type { Env, SignedInUser } from '../env.ts'

const TOKEN_BYTES = 32
/** `last_used_at` is written at most this often: reading stays a read. */
const TOUCH_SECONDS = 5 * 60

export interface StartedSession {
  /** Goes into the cookie; only its SHA-256 is kept. */
  token: string
  expiresAt: Date
}

/** A new session. The caller sets the cookie: `visitor.setSession(token, expiresAt)`. */
export async function startSession(env: Env, userId: string, deviceId: string | null): Promise<StartedSession> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = env.clock()
  const expiresAt = later(now, LIMITS.sessionAbsoluteSeconds)
  await env.db.insert(sessions).values({ tokenHash: hashOf(token), userId, deviceId, createdAt: now, lastUsedAt: now, expiresAt })
  return { token, expiresAt }
}

/** Who holds this token, in one query. undefined: unknown, expired, idle too long, or the account is not active. */
export async function findSession(env: Env, token: string): Promise<SignedInUser | undefined> {
  return await findSessionByHash(env, hashOf(token).toString('hex'))
}

/** The same by the token's SHA-256 in hex. */
export async function findSessionByHash(env: Env, sessionHash: string): Promise<SignedInUser | undefined> {
  const tokenHash = Buffer.from(sessionHash, 'hex')
  const [row] = await env.db
    .select({
      id: users.id,
      username: users.username,
      displayName: users.displayName,
      subscriptionTier: users.subscriptionTier,
      isAdmin: users.isAdmin,
      deviceId: sessions.deviceId,
      lastUsedAt: sessions.lastUsedAt,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, tokenHash), isLive(env), eq(users.isActive, true)))
  if (!row) return undefined
  const { lastUsedAt, ...user } = row
  if (lastUsedAt <= later(env.clock(), -TOUCH_SECONDS)) await touchSessions(env, [sessionHash])
  return { ...user, sessionHash }
}

/** Which of these sessions are still good; those are marked as used. For sockets, which stay open for days. */
export async function liveSessions(env: Env, sessionHashes: string[]): Promise<Set<string>> {
  if (sessionHashes.length === 0) return new Set()
  const rows = await env.db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(inArray(sessions.tokenHash, sessionHashes.map(fromHex)), isLive(env), eq(users.isActive, true)))
  const live = rows.map((row) => row.tokenHash.toString('hex'))
  await touchSessions(env, live)
  return new Set(live)
}

/** Ends one session and closes its sockets. */
export async function endSession(env: Env, sessionHash: string): Promise<void> {
  await env.db.delete(sessions).where(eq(sessions.tokenHash, fromHex(sessionHash)))
  env.hub.closeSession(sessionHash)
}

/** Ends every session of a user, except the named one, and closes their sockets. */
export async function endSessionsOf(env: Env, userId: string, exceptHash?: string): Promise<void> {
  const others = exceptHash === undefined ? undefined : ne(sessions.tokenHash, fromHex(exceptHash))
  const ended = await env.db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), others))
    .returning({ tokenHash: sessions.tokenHash })
  for (const { tokenHash } of ended) env.hub.closeSession(tokenHash.toString('hex'))
}

/** From now on the session speaks for this device. */
export async function bindDevice(env: Env, sessionHash: string, deviceId: string): Promise<void> {
  await env.db
    .update(sessions)
    .set({ deviceId })
    .where(eq(sessions.tokenHash, fromHex(sessionHash)))
}

function isLive(env: Env) {
  const now = env.clock()
  return and(gt(sessions.expiresAt, now), gt(sessions.lastUsedAt, later(now, -LIMITS.sessionIdleSeconds)))
}

async function touchSessions(env: Env, sessionHashes: string[]): Promise<void> {
  if (sessionHashes.length === 0) return
  const now = env.clock()
  await env.db
    .update(sessions)
    .set({ lastUsedAt: now })
    .where(and(inArray(sessions.tokenHash, sessionHashes.map(fromHex)), lt(sessions.lastUsedAt, later(now, -TOUCH_SECONDS))))
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
const fromHex = (hash: string): Buffer => Buffer.from(hash, 'hex')
const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)
