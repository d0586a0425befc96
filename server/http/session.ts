import { createHash, randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, lt, ne, sql } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import { sessions, users } from '../db/schema.ts'
import { askTogether } from '../db/together.ts'
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
  return await env.findSession(sessionHash)
}

/** Looks sessions up, those that are asked for at the same time in one query. */
export function gatherSessions(env: Pick<Env, 'db' | 'clock'>): Env['findSession'] {
  return askTogether(async (sessionHashes) => {
    const rows = await env.db
      .select({
        id: users.id,
        username: users.username,
        displayName: users.displayName,
        subscriptionTier: users.subscriptionTier,
        isAdmin: users.isAdmin,
        deviceId: sessions.deviceId,
        tokenHash: sessions.tokenHash,
        lastUsedAt: sessions.lastUsedAt,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(isOneOf(sessionHashes), isLive(env), eq(users.isActive, true)))
    const found = rows.map(({ tokenHash, ...row }) => ({ ...row, sessionHash: tokenHash.toString('hex') }))
    const idleSince = later(env.clock(), -TOUCH_SECONDS)
    await touchSessions(
      env,
      found.filter(({ lastUsedAt }) => lastUsedAt <= idleSince).map(({ sessionHash }) => sessionHash),
    )
    return new Map(found.map(({ lastUsedAt: _, ...user }) => [user.sessionHash, user]))
  })
}

/** Which of these sessions are still good; those are marked as used. For sockets, which stay open for days. */
export async function liveSessions(env: Env, sessionHashes: string[]): Promise<Set<string>> {
  if (sessionHashes.length === 0) return new Set()
  const rows = await env.db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(isOneOf(sessionHashes), isLive(env), eq(users.isActive, true)))
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

// One parameter, so that the statement's text is the same for any number of them.
const isOneOf = (sessionHashes: string[]) => sql`${sessions.tokenHash} = any(${sql.param(sessionHashes.map(fromHex))}::bytea[])`

function isLive(env: Pick<Env, 'clock'>) {
  const now = env.clock()
  return and(gt(sessions.expiresAt, now), gt(sessions.lastUsedAt, later(now, -LIMITS.sessionIdleSeconds)))
}

async function touchSessions(env: Pick<Env, 'db' | 'clock'>, sessionHashes: string[]): Promise<void> {
  if (sessionHashes.length === 0) return
  const now = env.clock()
  // A row that somebody else is writing is skipped: two who touch many sessions never wait for each other.
  const due = env.db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(isOneOf(sessionHashes), lt(sessions.lastUsedAt, later(now, -TOUCH_SECONDS))))
    .for('no key update', { skipLocked: true })
  await env.db.update(sessions).set({ lastUsedAt: now }).where(inArray(sessions.tokenHash, due))
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
const fromHex = (hash: string): Buffer => Buffer.from(hash, 'hex')
const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)
