import { and, eq, lt, lte, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { PRESENCE_CHANNEL } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { presence, serverNodes } from '../../ground/db/schema/presence.ts'

/** Whom alone to look for among those who may know; undefined: all. */
export type Here = readonly string[] | undefined

/** Who is online, and who may know: ids of users. */
export interface Shown {
  userId: string
  isOnline: boolean
  lastSeen: Date | null
  /** Those to whom both show when they are online. */
  seesOnline: string[]
  /** Those to whom both show when they were last seen. */
  seesLast: string[]
}

/** A server process, and when it was last seen alive. */
export type Node = typeof serverNodes.$inferSelect

/** Ids in one notification, which holds 8,000 bytes. */
const IDS_AT_ONCE = 150

/**
 * Writes who is at this node and who is not; `isHere` is in the order of `userIds`. Tells the other nodes, if there are any. Returns
 * those of whom something has changed. One statement, which is a transaction of its own.
 */
export async function writePresence(
  db: Queryable,
  node: string,
  userIds: string[],
  isHere: boolean[],
  { now, here }: { now: Date; here: Here },
): Promise<Shown[]> {
  // In one order, so that two nodes that write the same people take turns. The lock waits for the end of an account that is deleted.
  const written = sql`
    insert into presence as p (user_id, nodes, last_seen, seen_on, online_changed_in, seen_changed_in)
    select u.id, case when given.is_here then array[${node}::uuid] else '{}' end,
      case when not given.is_here then ${now}::timestamptz end, ${dayOf(now)}::date, pg_current_xact_id(), pg_current_xact_id()
    from unnest(${sql.param(userIds)}::uuid[], ${sql.param(isHere)}::boolean[]) as given(id, is_here)
    join users u on u.id = given.id
    where u.deleted_at is null
    order by u.id
    for key share of u
    on conflict (user_id) do update set
      nodes = case when excluded.nodes = '{}' then array_remove(p.nodes, ${node}) else array_append(p.nodes, ${node}) end,
      last_seen = coalesce(excluded.last_seen, p.last_seen), seen_on = excluded.seen_on
    where (${node} = any(p.nodes)) <> (excluded.nodes <> '{}')`
  // Who is written as here can be freed only by the node's row: one that the others have deleted comes back.
  const noted = sql`noted as (${noteNode(node, now)}),`
  return await shownOf(db, sql`${written} returning p.user_id, p.nodes, p.last_seen`, here, { node, before: noted })
}

/** Returns what is known of these people. */
export const readPresence = (db: Queryable, userIds: string[], here: Here): Promise<Shown[]> =>
  shownOf(db, sql`select user_id, nodes, last_seen from presence where user_id = any(${sql.param(userIds)}::uuid[])`, here)

/**
 * Frees up to `atMost` people of a node that was last seen at `seenAt`: they were online until then. Tells the other nodes. Returns
 * those whom it has freed.
 */
export const freeNode = (
  db: Queryable,
  node: string,
  { id, seenAt }: Node,
  { atMost, here }: { atMost: number; here: Here },
): Promise<Shown[]> =>
  shownOf(
    db,
    sql`
    update presence p set nodes = array_remove(p.nodes, ${id}), last_seen = greatest(p.last_seen, ${seenAt}::timestamptz),
      seen_on = greatest(p.seen_on, ${dayOf(seenAt)}::date)
    where p.user_id = any(array(
      -- By the index of those who are online. A row that is being written is freed by the next look.
      select user_id from presence where nodes <> '{}' and ${id} = any(nodes) limit ${atMost} for update skip locked))
    returning p.user_id, p.nodes, p.last_seen`,
    here,
    { node },
  )

/** Reads who may know of the changed people, in the statement that changes them. With `node` it tells the other nodes of them. */
async function shownOf(
  db: Queryable,
  changed: SQL,
  here: Here,
  { node, before = sql`` }: { node?: string; before?: SQL } = {},
): Promise<Shown[]> {
  const told = node
    ? sql`(select count(pg_notify(${PRESENCE_CHANNEL}, json_build_object('node', ${node}::text, 'what', 'moved', 'userIds', ids)::text))
        from (
          select json_agg(user_id) as ids from (
            select user_id, (row_number() over () - 1) / ${IDS_AT_ONCE} as part from changed
            where exists (select from server_nodes where id <> ${node})) numbered
          group by part) parts)`
    : sql`0`
  const { rows } = await db.execute<{
    userId: string
    isOnline: boolean
    ms: number | null
    seesOnline: string
    seesLast: string
  }>(sql`
    with ${before} changed as (${changed})
    select changed.user_id::text as "userId", changed.nodes <> '{}' as "isOnline",
      (extract(epoch from changed.last_seen) * 1000)::float8 as ms,
      coalesce(sees.online, '') as "seesOnline", coalesce(sees.last, '') as "seesLast", ${told} as told
    from changed
    join users u on u.id = changed.user_id
    -- As one text, not as an array: thousands of ids are read many times as fast.
    cross join lateral (
      select string_agg(other.id::text, ' ') filter (where u.shows_presence and other.shows_presence) as online,
        string_agg(other.id::text, ' ') filter (where u.shows_last_seen and other.shows_last_seen) as last
      from (${candidates(here)}) mine
      join contacts theirs on (theirs.user_id, theirs.contact_user_id) >= (mine.contact_user_id, mine.user_id)
        and (theirs.user_id, theirs.contact_user_id) <= (mine.contact_user_id, mine.user_id)
      join users other on other.id = mine.contact_user_id
      where mine.state = 'accepted' and theirs.state = 'accepted'
        and not mine.is_blocked and not theirs.is_blocked) sees`)
  return rows.map(({ userId, isOnline, ms, seesOnline, seesLast }) => ({
    ...{ userId, isOnline, lastSeen: ms === null ? null : new Date(ms) },
    ...{ seesOnline: idsOf(seesOnline), seesLast: idsOf(seesLast) },
  }))
}

/** The UTC day. */
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** Moves those who are here on to today. Returns of how many, at most `atMost`. */
export async function moveDays(db: Queryable, now: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update presence set seen_on = ${dayOf(now)}::date
    where user_id = any(array(
      -- A row that is being written gets the day by that.
      select user_id from presence where nodes <> '{}' and (seen_on < ${dayOf(now)}::date) is not false limit ${atMost} for update skip locked))`)
  return rowCount ?? 0
}

const FIRST = sql`'00000000-0000-0000-0000-000000000000'::uuid`
const LAST = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** The contacts of `changed`, by whichever there are fewer of: contacts, or people who are here. The limit keeps the other way from being read. */
function candidates(here: Here): SQL {
  const all = sql`select * from contacts where user_id = changed.user_id`
  if (!here) return all
  // By the whole key: another index has its second half's order, and would be read until so many are found.
  const areFewer = sql`(select count(*) from (
    select from contacts
    where (user_id, contact_user_id) >= (changed.user_id, ${FIRST}) and (user_id, contact_user_id) <= (changed.user_id, ${LAST})
    order by user_id, contact_user_id limit ${here.length + 1}) few) <= ${here.length}`
  return sql`
    (${all} limit case when ${areFewer} then null else 0 end)
    union all
    select c.* from unnest(case when ${areFewer} then '{}' else ${sql.param([...here])}::uuid[] end) as here(id)
    cross join lateral (
      select * from contacts where (user_id, contact_user_id) >= (changed.user_id, here.id) and (user_id, contact_user_id) <= (changed.user_id, here.id)
      limit 1) c`
}

const idsOf = (text: string): string[] => (text === '' ? [] : text.split(' '))

/** Notes that this node lives. */
export async function renewNode(db: Queryable, id: string, now: Date): Promise<void> {
  await db.execute(noteNode(id, now))
}

const noteNode = (id: string, now: Date): SQL => sql`
  insert into server_nodes (id, seen_at) values (${id}, ${now}) on conflict (id) do update set seen_at = excluded.seen_at`

/** Returns the nodes that nobody has seen since. */
export const findDead = (db: Queryable, since: Date) => db.select().from(serverNodes).where(lt(serverNodes.seenAt, since))

/** Deletes a node whose people are free, unless it lives after all. */
export async function deleteNode(db: Queryable, { id, seenAt }: Node): Promise<void> {
  await db.delete(serverNodes).where(and(eq(serverNodes.id, id), lte(serverNodes.seenAt, seenAt)))
}

/** Returns whether somebody is online, and what the two show to each other; undefined if they never were. */
export async function readPair(db: Queryable, userId: string, viewerId: string) {
  const viewer = alias(users, 'viewer')
  const [row] = await db
    .select({
      isOnline: sql<boolean>`${presence.nodes} <> '{}'`,
      showsOnline: sql<boolean>`${users.showsPresence} and ${viewer.showsPresence}`,
      showsLast: sql<boolean>`${users.showsLastSeen} and ${viewer.showsLastSeen}`,
    })
    .from(presence)
    .innerJoin(users, eq(users.id, presence.userId))
    .innerJoin(viewer, eq(viewer.id, viewerId))
    .where(eq(presence.userId, userId))
  return row
}

/** Deletes what is known of an account that is being deleted, whose row the caller has locked. */
export async function deletePresence(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(presence).where(eq(presence.userId, userId))
}
