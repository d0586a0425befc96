import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { instantOf } from '../db/instant.ts'
import { named } from '../db/named.ts'

/** The place of a row in the list: its activity in ms, then its room. */
export interface Place {
  ms: number
  roomId: string
}

// `oldest` comes with the same statement as the rooms, so it belongs to the same snapshot: whatever is missing from the rooms has
// this number or a later one. Read-only transactions have no number and do not hold it back.
const SNAPSHOT = sql`select pg_snapshot_xmin(pg_current_snapshot()) as oldest, pg_snapshot_xmax(pg_current_snapshot()) as next`

const given = sql.placeholder

/**
 * Picks the rooms with the newest activity. Rooms are found by one scan of their index for all keys at once, which costs a third of
 * a join; nothing else of the other rows is read.
 */
export async function pickPage(db: Queryable, userId: string, before: Place | undefined, limit: number) {
  const rows = await pagePicked(db, { userId, limit, at: before ? new Date(before.ms) : null, roomId: before?.roomId ?? null })
  return pickedOf(rows)
}

const pagePicked = named((db) =>
  db
    .select({ oldest: sql<string>`now.oldest::text`, roomId: sql<string | null>`picked.room_id`, ms: sql<number>`picked.ms` })
    .from(sql`(${SNAPSHOT}) now left join (
      select room_id, (extract(epoch from activity) * 1000)::bigint as ms from (
        select r.id as room_id, coalesce(r.last_message_at,
          (select c.added_at from contacts c where c.chat_room_id = r.id and c.user_id = ${given('userId')})) as activity
        from chat_rooms r
        where r.id = any(array(select chat_room_id from contacts where user_id = ${given('userId')} and state <> 'declined'))
        -- Evaluated once a room, for the order and for the condition.
        offset 0) each
      where ${given('at')}::timestamptz is null or (activity, room_id) < (${given('at')}::timestamptz, ${given('roomId')}::text)
      order by activity desc, room_id desc
      limit ${given('limit')}) picked on true`)
    .prepare('room_page'),
)

/** A counter: everything of earlier transactions was answered; with `after`, only of the changes up to there. */
export interface Since {
  oldest: string
  after: { changedIn: string; roomId: string } | undefined
}

/**
 * Picks the rooms of which something has changed, the earliest change first. `isTooOld`: rows have left the list since without a
 * trace, or the counter comes from a database that this one is not.
 */
export async function pickChanged(db: Queryable, userId: string, { oldest, after }: Since, limit: number) {
  const from = after?.changedIn ?? oldest
  const rows = await changedPicked(db, { userId, oldest, from, roomId: after?.roomId ?? '', limit })
  return { ...pickedOf(rows), isTooOld: rows[0]?.isTooOld ?? false }
}

// Each table is read once, for all of the account's rows, and only what has changed goes on: to join them row by row took five
// times as long. The rows of members change with every message and commit of their room.
const changedPicked = named((db) => {
  const [me, from] = [sql`${given('userId')}::uuid`, sql`${given('from')}::xid8`]
  const mine = sql`select * from contacts where user_id = ${me}`
  return db
    .select({
      oldest: sql<string>`now.oldest::text`,
      roomId: sql<string | null>`picked.room_id`,
      changedIn: sql<string>`picked.changed_in::text`,
      isTooOld: sql<boolean>`now.next < ${given('oldest')}::xid8
        or exists (select from list_floors f where f.user_id = ${me} and f.changed_in >= ${given('oldest')}::xid8)`,
    })
    .from(sql`(${SNAPSHOT}) now left join (
      select * from (
        select distinct on (room_id) room_id, changed_in from (
          select chat_room_id as room_id, changed_in from (${mine}) own where changed_in >= ${from}
          union all
          select chat_room_id, changed_in from chat_participants
          where chat_room_id = any(array(select chat_room_id from (${mine}) own)) and changed_in >= ${from}
          union all
          select own.chat_room_id, news.changed_in
          from (
            select u.id, seen.changed_in, seen.is_mutual from users u
            cross join lateral (values (u.profile_changed_in, false), (u.presence_changed_in, true)) seen(changed_in, is_mutual)
            where u.id = any(array(select contact_user_id from (${mine}) own)) and seen.changed_in >= ${from}
            union all
            select user_id, state_changed_in, true from contacts where contact_user_id = ${me} and state_changed_in >= ${from}) news
          -- A stranger must not learn when somebody is online or answers, so these changes count between mutual contacts only.
          cross join lateral (
            select c.chat_room_id from contacts c
            where ${isPair(sql`c.user_id, c.contact_user_id`, sql`${me}, news.id`)} and (not news.is_mutual
              or c.state = 'accepted' and not c.is_blocked and exists (
                select from contacts t where ${isPair(sql`t.user_id, t.contact_user_id`, sql`news.id, ${me}`)}
                  and t.state = 'accepted' and not t.is_blocked))
            offset 0) own) each
        order by room_id, changed_in desc) latest
      where (changed_in, room_id) > (${from}, ${given('roomId')}::text)
      order by changed_in, room_id
      limit ${given('limit')}) picked on true`)
    .prepare('rooms_changed')
})

/** The rooms, and the number of the oldest transaction that this answer may not have seen. */
function pickedOf<R extends { oldest: string; roomId: string | null }>(rows: R[]) {
  const [first] = rows
  if (!first) throw new Error('The snapshot was not answered')
  return { oldest: first.oldest, picked: rows.flatMap((row) => (row.roomId === null ? [] : [{ ...row, roomId: row.roomId }])) }
}

/**
 * Returns the caller's rows of these rooms as JSON in the contract's shape, in any order and without those that are not on the list.
 * PostgreSQL writes it, which takes a fraction of mapping its columns here.
 */
export async function rowsJson(db: Queryable, userId: string, roomIds: string[]): Promise<string> {
  const [row] = await rowsWritten(db, { userId, roomIds })
  return row?.json ?? '[]'
}

// Every row is found by a whole key: by a part of one, PostgreSQL would read all rows of an account for each row of the answer.
const rowsWritten = named((db) => {
  const me = sql`${given('userId')}::uuid`
  const isMutual = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked and not theirs.is_blocked, false)`
  return db
    .select({ json: sql<string | null>`'[' || string_agg(row_to_json(shown)::text, ',') || ']'` })
    .from(sql`unnest(${given('roomIds')}::text[]) as asked(id)
    cross join lateral (select * from chat_participants where chat_room_id = asked.id and user_id <> ${me} offset 0) them
    cross join lateral (select * from contacts
      where ${isPair(sql`user_id, contact_user_id`, sql`${me}, them.user_id`)} and state <> 'declined' offset 0) c
    cross join lateral (select * from chat_participants where ${isPair(sql`chat_room_id, user_id`, sql`asked.id, ${me}`)} offset 0) me
    cross join lateral (select * from users where id = c.contact_user_id offset 0) u
    cross join lateral (select * from chat_rooms where id = asked.id offset 0) r
    left join lateral (select * from contacts where ${isPair(sql`user_id, contact_user_id`, sql`them.user_id, ${me}`)} offset 0) theirs on true
    left join lateral (select * from manifests where user_id = c.contact_user_id offset 0) m on true
    left join lateral (select id, seq, sender_id as "senderId", ${instantOf(sql`created_at`)} as "createdAt" from messages
      where chat_room_id = asked.id and seq >= r.last_message_seq order by seq limit 1) newest on newest.seq = r.last_message_seq
    cross join lateral (select
      u.id, u.username, u.display_name as "displayName", c.display_name as alias, u.deleted_at is not null as "isDeleted",
      ${isMutual} and u.is_online as "isOnline", case when ${isMutual} then ${instantOf(sql`u.last_seen`)} end as "lastSeen",
      encode(u.public_key, 'base64') as "identityKey", coalesce(m.version, 0) as "manifestVersion") person
    cross join lateral (select
      asked.id as "chatRoomId", c.id as "contactId", c.state, ${instantOf(sql`c.added_at`)} as "addedAt",
      row_to_json(person) as person, r.last_seq as "lastSeq", case when newest.seq is not null then row_to_json(newest) end as "lastMessage",
      me.unread_count as "unreadCount", me.read_seq as "readSeq",
      them.delivered_seq as "theirDeliveredSeq", them.read_seq as "theirReadSeq") shown`)
    .prepare('room_rows')
})

/** True for the row with these values in both columns, found by the index on the two and never by that on one of them. */
const isPair = (columns: SQL, values: SQL): SQL => sql`(${columns}) >= (${values}) and (${columns}) <= (${values})`
