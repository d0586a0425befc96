import { and, asc, desc, eq, gt, inArray, isNotNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { sessions } from '../../ground/db/schema/sessions.ts'
import type { PlanRow } from '../../money/plans/plans.ts'

const provenDevice = sql<string | null>`case when ${sessions.provenAt} is not null then ${sessions.deviceId} end`
const SLEEPING = new Date(0)

export async function insertSession(db: Queryable, row: typeof sessions.$inferInsert): Promise<void> {
  await db.insert(sessions).values(row)
}

/** Unsigned sessions go first, then the least recently used. */
export async function trimSessions(db: Queryable, userId: string, newest: Buffer, kept: number): Promise<void> {
  await db.execute(sql`
    delete from sessions where token_hash = any(array(
      select token_hash from sessions where user_id = ${userId} and token_hash <> ${newest}
      order by proven_at is null, last_used_at desc
      offset ${kept - 1} for update skip locked))`)
}

/** The laterals follow a whole key, whatever the tables hold [Note of `named`]. */
export const findLive = (db: Queryable, tokenHashes: Buffer[], now: Date) =>
  live(db, { tokenHashes, now, idleSince: idleSince(now) })

const live = named((db) => {
  const now = sql`${sql.placeholder('now')}::timestamptz`
  return db
    .select({
      id: sql<string>`u.id`,
      username: sql<string>`u.username`,
      displayName: sql<string>`u.display_name`,
      plan: sql<PlanRow | null>`(select to_jsonb(r) from rights_of(u.id, ${now}) r)`,
      isAdmin: sql<boolean>`u.is_admin`,
      hasKeys: sql<boolean>`u.public_key is not null`,
      namedDeviceId: sql<string | null>`s.device_id`,
      provenAt: sql<Date | null>`s.proven_at`.mapWith(sessions.provenAt),
      confirmedAt: sql<Date | null>`s.confirmed_at`.mapWith(sessions.confirmedAt),
      tokenHash: sql`s.token_hash`.mapWith(sessions.tokenHash),
      lastUsedAt: sql`s.last_used_at`.mapWith(sessions.lastUsedAt),
    })
    .from(
      // The inner array hides the number: each would get a plan.
      sql`unnest(array(select unnest(${sql.placeholder('tokenHashes')}::bytea[]))) as asked(hash)
        cross join lateral (
          select * from sessions
          where token_hash = asked.hash and expires_at > ${now} and last_used_at > ${sql.placeholder('idleSince')}::timestamptz
          offset 0) s
        cross join lateral (select * from users where id = s.user_id and is_active and deleted_at is null offset 0) u`,
    )
    .prepare('live_sessions')
})

export async function isStored(tx: Queryable, tokenHash: Buffer): Promise<boolean> {
  return (await tx.$count(sessions, eq(sessions.tokenHash, tokenHash))) > 0
}

export const deleteSession = (db: Queryable, tokenHash: Buffer) => deleteWhere(db, eq(sessions.tokenHash, tokenHash))

/** Lists the named session first. */
export async function findOf(db: Queryable, userId: string, current: Buffer, now: Date) {
  const isCurrent = sql<boolean>`${sessions.tokenHash} = ${current}`
  return await db
    .select({
      ...{ id: sessions.id, browser: sessions.browser, system: sessions.system, ingress: sessions.ingress },
      ...{ createdAt: sessions.createdAt, lastUsedAt: sessions.lastUsedAt, deviceId: provenDevice, isCurrent },
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isInTime(now)))
    .orderBy(desc(isCurrent), desc(sessions.lastUsedAt), asc(sessions.id))
    .limit(LIMITS.sessionsPerUser)
}

export const deleteById = (db: Queryable, userId: string, id: string) =>
  deleteWhere(db, and(eq(sessions.userId, userId), eq(sessions.id, id)))

export function deleteOf(db: Queryable, userId: string, except: Buffer | undefined) {
  const others = except && ne(sessions.tokenHash, except)
  return deleteWhere(db, and(eq(sessions.userId, userId), others))
}

export function deleteOfDevices(db: Queryable, userId: string, deviceIds: string[]) {
  return deleteWhere(db, and(eq(sessions.userId, userId), inArray(sessions.deviceId, deviceIds)))
}

export function deleteExpired(db: Queryable, now: Date, atMost: number) {
  // Skips a locked row, so this never waits.
  const expired = sql`array(
    select token_hash from sessions where expires_at <= ${now} or last_used_at <= ${idleSince(now)}
    limit ${atMost} for update skip locked)`
  return deleteWhere(db, sql`${sessions.tokenHash} = any(${expired})`)
}

function deleteWhere(db: Queryable, condition: SQL | undefined) {
  return db.delete(sessions).where(condition).returning({ tokenHash: sessions.tokenHash, userId: sessions.userId })
}

/** Returns false if the session has ended. */
export async function setDevice(db: Queryable, tokenHash: Buffer, deviceId: string, provenAt: Date | null): Promise<boolean> {
  const bound = await db
    .update(sessions)
    .set({ deviceId, provenAt })
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ deviceId: sessions.deviceId })
  return bound.length === 1
}

/** Changes nothing if no device has signed. */
export async function putToSleep(db: Queryable, tokenHash: Buffer): Promise<void> {
  await db
    .update(sessions)
    .set({ provenAt: SLEEPING, confirmedAt: null })
    .where(and(eq(sessions.tokenHash, tokenHash), isNotNull(sessions.provenAt)))
}

/** Returns false if the session has ended. */
export async function setConfirmed(db: Queryable, tokenHash: Buffer, confirmedAt: Date): Promise<boolean> {
  const noted = await db
    .update(sessions)
    .set({ confirmedAt })
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ userId: sessions.userId })
  return noted.length === 1
}

/** Touches the sessions last used before `dueBefore`. Names the devices of those that are awake. */
export async function touch(db: Queryable, tokenHashes: Buffer[], dueBefore: Date, now: Date) {
  // Skips a locked row: two calls never wait for each other.
  const due = db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(isOneOf(tokenHashes), lt(sessions.lastUsedAt, dueBefore)))
    .for('no key update', { skipLocked: true })
  return await db
    .update(sessions)
    .set({ lastUsedAt: now })
    .where(inArray(sessions.tokenHash, due))
    .returning({ userId: sessions.userId, deviceId: awakeDevice(now) })
}

const awakeDevice = (now: Date) =>
  sql<string | null>`case when ${sessions.provenAt} > ${awakeSince(now)} then ${sessions.deviceId} end`

/** `deviceIds[n]` belongs to `userIds[n]`. */
export async function touchDevices(db: Queryable, userIds: string[], deviceIds: (string | null)[], now: Date): Promise<void> {
  // Skips a locked row: a device being removed is not worth waiting for.
  await db.execute(sql`
    update devices d set last_seen_at = ${now}
    from (
      select held.user_id, held.id from devices held
      join unnest(${sql.param(userIds)}::uuid[], ${sql.param(deviceIds)}::text[]) seen(user_id, id) using (user_id, id)
      for no key update of held skip locked) due
    where d.user_id = due.user_id and d.id = due.id`)
}

// An array is one parameter.
const isOneOf = (tokenHashes: Buffer[]) => sql`${sessions.tokenHash} = any(${sql.param(tokenHashes)}::bytea[])`

export const isInTime = (now: Date) => and(gt(sessions.expiresAt, now), gt(sessions.lastUsedAt, idleSince(now)))

/** A session whose device signed by then sleeps [Note: D4]. */
export const awakeSince = (now: Date): Date => new Date(now.getTime() - LIMITS.proofSeconds * 1000)

/** Sessions last used by then are idle. */
const idleSince = (now: Date): Date => new Date(now.getTime() - LIMITS.sessionIdleSeconds * 1000)
