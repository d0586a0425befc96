import { and, eq, getTableColumns, gt, inArray, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { presence } from '../../ground/db/schema/presence.ts'
import { pushSubscriptions as pushes, quietHours } from '../../ground/db/schema/push.ts'
import { sessions } from '../../ground/db/schema/sessions.ts'

export type Subscription = typeof pushes.$inferSelect
/** Quiet hours in minutes of the day. */
export type QuietMinutes = Omit<typeof quietHours.$inferSelect, 'userId'>

/** Locks the account and keeps its session from ending meanwhile. Returns false if that has ended. */
export async function lockSession(tx: Queryable, userId: string, sessionHash: Buffer): Promise<boolean> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  const isThere = and(eq(sessions.tokenHash, sessionHash), eq(sessions.userId, userId))
  return (await tx.select({ id: sessions.id }).from(sessions).where(isThere).for('key share')).length > 0
}

/** Counts the account's subscriptions except this one. */
export const countOthers = (tx: Queryable, userId: string, endpointHash: Buffer): Promise<number> =>
  tx.$count(pushes, and(eq(pushes.userId, userId), ne(pushes.endpointHash, endpointHash)))

/** Stores a subscription, or gives it to this session. Returns false if it is of another account and has other keys. */
export async function writeSubscription(tx: Queryable, row: typeof pushes.$inferInsert): Promise<boolean> {
  const { endpointHash: _, endpoint: __, ...change } = row
  const isSame = sql`${pushes.p256dh} = ${row.p256dh} and ${pushes.auth} = ${row.auth}`
  const written = await tx
    .insert(pushes)
    .values(row)
    .onConflictDoUpdate({
      target: pushes.endpointHash,
      set: change,
      setWhere: sql`${pushes.userId} = ${row.userId} or ${isSame}`,
    })
    .returning({ endpointHash: pushes.endpointHash })
  return written.length > 0
}

export async function deleteOfSession(db: Queryable, sessionHash: Buffer): Promise<void> {
  await db.delete(pushes).where(eq(pushes.sessionHash, sessionHash))
}

/** Deletes a subscription of the account. Returns false if it has none there. */
export async function deleteOwn(db: Queryable, userId: string, endpointHash: Buffer): Promise<boolean> {
  const isOwn = and(eq(pushes.userId, userId), eq(pushes.endpointHash, endpointHash))
  return (await db.delete(pushes).where(isOwn).returning({ endpointHash: pushes.endpointHash })).length > 0
}

/** Subscriptions in the order of their hashes: those behind one, up to another; to the end if absent. */
export interface Slice {
  after: Buffer | undefined
  upTo: Buffer | undefined
}

/** Returns where a slice of so many subscriptions ends; undefined for the last one. */
export async function endOfSlice(db: Queryable, after: Buffer | undefined, count: number): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ endpointHash: pushes.endpointHash })
    .from(pushes)
    .where(after && gt(pushes.endpointHash, after))
    .orderBy(pushes.endpointHash)
    .limit(1)
    .offset(count - 1)
  return row?.endpointHash
}

interface Asked {
  /** User ids, or a slice of all people. */
  among: string[] | Slice
  now: Date
  limit: number
}

/**
 * Finds live subscriptions of people who have no page open at any process, and for whom something has come since they were told that
 * no page of theirs has received: what the bell would count.
 */
export async function findDue(db: Queryable, { among, now, limit }: Asked) {
  const hasNews = sql`exists (
    select from chat_participants p
    join chat_rooms r on r.id = p.chat_room_id
    join messages m on m.room = r.number
      and m.seq > greatest(p.read_seq, p.uncounted_seq, p.delivered_seq, p.cleared_seq)
    where p.user_id = ${pushes.userId} and p.unread_count > 0 and r.last_message_at > ${pushes.toldAt}
      and (p.muted_until is null or p.muted_until <= ${now})
      and m.sender_id <> p.user_id and not m.is_silent and not m.seq <@ p.withheld and m.created_at > ${pushes.toldAt}
      and (r.type <> 'direct' or exists (
        select from contacts c
        where c.chat_room_id = p.chat_room_id and c.user_id = p.user_id and c.state = 'accepted' and not c.is_blocked)))`
  const isPast = (time: typeof pushes.notBefore | typeof pushes.quietUntil) => or(isNull(time), lte(time, now))
  const rows = await db
    .select({ subscription: getTableColumns(pushes), quiet: getTableColumns(quietHours) })
    .from(pushes)
    .innerJoin(sessions, eq(sessions.tokenHash, pushes.sessionHash))
    .innerJoin(users, eq(users.id, pushes.userId))
    .leftJoin(presence, eq(presence.userId, pushes.userId))
    .leftJoin(quietHours, eq(quietHours.userId, pushes.userId))
    .where(
      and(
        isAmong(among),
        isPast(pushes.notBefore),
        isPast(pushes.quietUntil),
        sql`coalesce(${presence.nodes}, '{}') = '{}'`,
        isListening(now),
        hasNews,
      ),
    )
    .limit(limit)
  return rows
}

/** True where the session of a subscription, and its account, are live. */
export function isListening(now: Date): SQL {
  const idleSince = new Date(now.getTime() - LIMITS.sessionIdleSeconds * 1000)
  return sql`${sessions.expiresAt} > ${now} and ${sessions.lastUsedAt} > ${idleSince}
    and ${users.isActive} and ${users.deletedAt} is null`
}

const isAmong = (among: string[] | Slice) =>
  Array.isArray(among)
    ? inArray(pushes.userId, among)
    : and(among.after && gt(pushes.endpointHash, among.after), among.upTo && lte(pushes.endpointHash, among.upTo))

/** Notes that quiet hours hold these until then. */
export async function holdUntil(db: Queryable, held: { endpointHash: Buffer; until: Date }[]): Promise<void> {
  const hashes = sql.param(held.map(({ endpointHash }) => endpointHash))
  const until = sql.param(held.map((each) => each.until))
  await db.execute(sql`
    update push_subscriptions s set quiet_until = given.until
    from unnest(${hashes}::bytea[], ${until}::timestamptz[]) as given(endpoint_hash, until)
    where s.endpoint_hash = given.endpoint_hash`)
}

/** Marks as told what came until now. Returns the hashes, in hex, of those that no other process was faster with. */
export async function claim(
  db: Queryable,
  endpointHashes: Buffer[],
  { now, notBefore }: { now: Date; notBefore: Date },
): Promise<Set<string>> {
  if (endpointHashes.length === 0) return new Set()
  const isDue = or(isNull(pushes.notBefore), lte(pushes.notBefore, now))
  const claimed = await db
    .update(pushes)
    .set({ toldAt: now, notBefore, quietUntil: null })
    .where(and(inArray(pushes.endpointHash, endpointHashes), isDue))
    .returning({ endpointHash: pushes.endpointHash })
  return new Set(claimed.map(({ endpointHash }) => endpointHash.toString('hex')))
}

export async function noteSuccess(db: Queryable, endpointHash: Buffer): Promise<void> {
  await db.update(pushes).set({ failures: 0, failingSince: null }).where(eq(pushes.endpointHash, endpointHash))
}

/** Notes that a push has failed: what it told of is news again. */
export async function noteFailure(
  db: Queryable,
  endpointHash: Buffer,
  change: { toldAt: Date; notBefore: Date; failingSince: Date },
): Promise<void> {
  await db
    .update(pushes)
    .set({ ...change, failures: sql`${pushes.failures} + 1` })
    .where(eq(pushes.endpointHash, endpointHash))
}

export async function drop(db: Queryable, endpointHash: Buffer): Promise<void> {
  await db.delete(pushes).where(eq(pushes.endpointHash, endpointHash))
}

export async function findQuietHours(db: Queryable, userId: string): Promise<QuietMinutes | undefined> {
  const [row] = await db.select().from(quietHours).where(eq(quietHours.userId, userId))
  return row
}

/** Writes or deletes quiet hours. What the ones of before hold is due again. */
export async function writeQuietHours(tx: Queryable, userId: string, hours: QuietMinutes | null): Promise<void> {
  if (hours)
    await tx
      .insert(quietHours)
      .values({ ...hours, userId })
      .onConflictDoUpdate({ target: quietHours.userId, set: hours })
  else await tx.delete(quietHours).where(eq(quietHours.userId, userId))
  await tx.update(pushes).set({ quietUntil: null }).where(eq(pushes.userId, userId))
}
