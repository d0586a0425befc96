import { randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, isNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import type { Signed } from '../../contract/shapes.ts'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'
import { sessions } from '../db/schema/sessions.ts'
import { askTogether } from '../db/together.ts'
import type { Env, SignedInUser } from '../env.ts'
import { hashOfToken } from '../http/cookie.ts'
import { Refusal } from '../refuse.ts'

const TOKEN_BYTES = 32
/** `last_used_at` is written at most this often: reading stays a read. */
const TOUCH_SECONDS = 5 * 60

export interface StartedSession {
  /** Goes into the cookie; only its SHA-256 is kept. */
  token: string
  expiresAt: Date
}

/** A new session. The caller sets the cookie: `visitor.setSession(token, expiresAt)`. */
export async function startSession(
  env: Env,
  userId: string,
  deviceId: string | null,
  db: Queryable = env.db,
): Promise<StartedSession> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = env.clock()
  const expiresAt = later(now, LIMITS.sessionAbsoluteSeconds)
  await db
    .insert(sessions)
    .values({ tokenHash: fromHex(hashOfToken(token)), userId, deviceId, createdAt: now, lastUsedAt: now, expiresAt })
  return { token, expiresAt }
}

/**
 * Looks sessions up, those that are asked for at the same time in one query. undefined: unknown, expired, idle too long, or
 * the account is not active.
 */
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
      .where(and(isOneOf(sessionHashes), isLive(env), isOpen))
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
    .where(and(isOneOf(sessionHashes), isLive(env), isOpen))
  const live = rows.map((row) => row.tokenHash.toString('hex'))
  await touchSessions(env, live)
  return new Set(live)
}

/** Asked behind a lock: the session may have ended while its request waited. Throws Refusal. */
export async function requireLive(tx: Queryable, { sessionHash }: SignedInUser): Promise<void> {
  if ((await tx.$count(sessions, eq(sessions.tokenHash, fromHex(sessionHash)))) === 0) throw new Refusal('not_signed_in')
}

/** Ends one session and closes its sockets. */
export async function endSession(env: Env, sessionHash: string): Promise<void> {
  await env.db.delete(sessions).where(eq(sessions.tokenHash, fromHex(sessionHash)))
  env.hub.closeSession(sessionHash)
}

/** Ends every session of a user, except the named one, and closes their sockets. */
export async function endSessionsOf(env: Env, userId: string, exceptHash?: string): Promise<void> {
  closeSessions(env, await deleteSessionsOf(env.db, userId, exceptHash))
}

/** Deletes the sessions only, so that it can be part of a transaction: after COMMIT come `closeSessions` with what this answers. */
export async function deleteSessionsOf(db: Queryable, userId: string, exceptHash?: string): Promise<string[]> {
  const others = exceptHash === undefined ? undefined : ne(sessions.tokenHash, fromHex(exceptHash))
  return await deleteWhere(db, and(eq(sessions.userId, userId), others))
}

/** The same for the sessions that speak for these devices. */
export async function deleteSessionsOfDevices(db: Queryable, userId: string, deviceIds: string[]): Promise<string[]> {
  return await deleteWhere(db, and(eq(sessions.userId, userId), inArray(sessions.deviceId, deviceIds)))
}

/** Closes the sockets of sessions that are deleted already, with the manifest that removed their device where one did. */
export function closeSessions(env: Env, sessionHashes: string[], manifest?: Signed): void {
  for (const hash of sessionHashes) env.hub.closeSession(hash, manifest)
}

/** From now on the session speaks for this device. false where the session has ended. */
export async function bindDevice(db: Queryable, sessionHash: string, deviceId: string): Promise<boolean> {
  const bound = await db
    .update(sessions)
    .set({ deviceId })
    .where(eq(sessions.tokenHash, fromHex(sessionHash)))
    .returning({ deviceId: sessions.deviceId })
  return bound.length === 1
}

async function deleteWhere(db: Queryable, condition: SQL | undefined): Promise<string[]> {
  const ended = await db.delete(sessions).where(condition).returning({ tokenHash: sessions.tokenHash })
  return ended.map(({ tokenHash }) => tokenHash.toString('hex'))
}

// One parameter, so that the statement's text is the same for any number of them.
const isOneOf = (sessionHashes: string[]) => sql`${sessions.tokenHash} = any(${sql.param(sessionHashes.map(fromHex))}::bytea[])`

const isOpen = and(eq(users.isActive, true), isNull(users.deletedAt))

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
  const touched = await env.db
    .update(sessions)
    .set({ lastUsedAt: now })
    .where(inArray(sessions.tokenHash, due))
    .returning({ userId: sessions.userId, deviceId: sessions.deviceId })
  await touchDevices(env, now, touched)
}

async function touchDevices(
  env: Pick<Env, 'db'>,
  now: Date,
  touched: { userId: string; deviceId: string | null }[],
): Promise<void> {
  const seen = touched.filter(({ deviceId }) => deviceId !== null)
  if (seen.length === 0) return
  const [userIds, deviceIds] = [seen.map(({ userId }) => userId), seen.map(({ deviceId }) => deviceId)]
  // Skipped like the sessions: a device that is being removed is nobody's to wait for.
  await env.db.execute(sql`
    update devices d set last_seen_at = ${now}
    from (
      select held.user_id, held.id from devices held
      join unnest(${sql.param(userIds)}::uuid[], ${sql.param(deviceIds)}::text[]) seen(user_id, id) using (user_id, id)
      for no key update of held skip locked) due
    where d.user_id = due.user_id and d.id = due.id`)
}

const fromHex = (hash: string): Buffer => Buffer.from(hash, 'hex')
const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)
