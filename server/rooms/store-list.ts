import { type SQL, sql } from 'drizzle-orm'
import { askingOf } from '../chatlocks/gate.ts'
import type { Queryable } from '../db/connect.ts'
import { instantOf } from '../db/instant.ts'
import { IS_LOCKED } from '../db/locked.ts'
import { HAS_ANSWERED, IS_ONLINE, LAST_SEEN, LOOKS_MUTUAL, THEIR_DELIVERED, THEIR_READ } from '../db/mutual.ts'
import { named } from '../db/named.ts'
import { newestShown } from '../db/withheld.ts'
import type { SignedInUser } from '../env.ts'

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
  /** True if the caller shows this: the two see of each other what both show. */
  const isOwnShown = (column: string): SQL => sql`(select ${sql.raw(column)} from users where id = ${me})`
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
          -- What one member alone sees of a room, such as a mute or a cleared chat, is no news for the others; a read mark that rose alone
          -- is where both show how far they have read.
          select p.chat_room_id, seen.changed_in from chat_participants p
          cross join lateral (select case
            when p.user_id = ${me} then greatest(p.changed_in, p.own_changed_in)
            when p.changed_in >= ${from} then p.changed_in else p.read_changed_in end as changed_in) seen
          where p.chat_room_id = any(array(select chat_room_id from (${mine}) own)) and seen.changed_in >= ${from}
            and (p.user_id = ${me} or p.changed_in >= ${from} or ${isOwnShown('shows_receipts')}
              and (select o.shows_receipts from users o where o.id = p.user_id))
          union all
          select own.chat_room_id, news.changed_in
          from (
            -- A photo is shown to mutual contacts alone, so others do not learn that it has changed. Where more has, that counts.
            select u.id, each.changed_in, each.is_photo as is_mutual, each.is_photo as is_state from users u
            cross join lateral (values (u.profile_changed_in, false), (u.photo_changed_in, true)) each(changed_in, is_photo)
            where u.id = any(array(select contact_user_id from (${mine}) own)) and each.changed_in >= ${from}
              and (not each.is_photo or u.profile_changed_in < ${from})
            union all
            select user_id, changed_in, true, false from (
              select p.user_id, greatest(
                case when o.shows_presence and ${isOwnShown('shows_presence')} then p.online_changed_in end,
                case when o.shows_last_seen and ${isOwnShown('shows_last_seen')} then p.seen_changed_in end) as changed_in
              from presence p
              cross join lateral (select shows_presence, shows_last_seen from users where id = p.user_id offset 0) o
              where p.user_id = any(array(select contact_user_id from (${mine}) own))
                and (p.online_changed_in >= ${from} or p.seen_changed_in >= ${from})) shown
            where changed_in >= ${from}
            union all
            select user_id, state_changed_in, true, true from contacts where contact_user_id = ${me} and state_changed_in >= ${from}) news
          -- A stranger must not learn when somebody is online or answers, so these changes count between mutual contacts only. Who is
          -- blocked sees the other one go, as if they had left.
          cross join lateral (
            select c.chat_room_id from contacts c
            where ${isPair(sql`c.user_id, c.contact_user_id`, sql`${me}, news.id`)} and (not news.is_mutual
              or c.state = 'accepted' and not c.is_blocked and exists (
                select from contacts t where ${isPair(sql`t.user_id, t.contact_user_id`, sql`news.id, ${me}`)}
                  and t.state = 'accepted' and (news.is_state or not t.is_blocked)))
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
export async function rowsJson(
  db: Queryable,
  user: Pick<SignedInUser, 'id' | 'sessionHash'>,
  roomIds: string[],
  now: Date,
): Promise<string> {
  const [row] = await rowsWritten(db, { userId: user.id, ...askingOf(user, now), roomIds, now })
  return row?.json ?? '[]'
}

// Every row is found by a whole key: by a part of one, PostgreSQL would read all rows of an account for each row of the answer.
const rowsWritten = named((db) => {
  const me = sql`${given('userId')}::uuid`
  return db
    .select({ json: sql<string | null>`'[' || string_agg(row_to_json(shown)::text, ',') || ']'` })
    .from(sql`unnest(${given('roomIds')}::text[]) as asked(id)
    cross join lateral (select * from chat_participants where chat_room_id = asked.id and user_id <> ${me} offset 0) them
    cross join lateral (select * from contacts
      where ${isPair(sql`user_id, contact_user_id`, sql`${me}, them.user_id`)} and state <> 'declined' offset 0) c
    cross join lateral (select * from chat_participants where ${isPair(sql`chat_room_id, user_id`, sql`asked.id, ${me}`)} offset 0) me
    cross join lateral (select * from users where id = c.contact_user_id offset 0) u
    -- What the caller shows: the two see of each other what both show.
    cross join lateral (select * from users where id = ${me} offset 0) own
    left join lateral (select * from presence where user_id = c.contact_user_id offset 0) p on true
    cross join lateral (select * from chat_rooms where id = asked.id offset 0) r
    left join lateral (select * from contacts where ${isPair(sql`user_id, contact_user_id`, sql`them.user_id, ${me}`)} offset 0) theirs on true
    left join lateral (select * from manifests where user_id = c.contact_user_id offset 0) m on true
    left join lateral (select id, seq, sender_id as "senderId", ${instantOf(sql`created_at`)} as "createdAt"
      from ${newestShown(sql`r`)} l) newest on true
    cross join lateral (select
      u.id, u.username, u.display_name as "displayName", case when ${LOOKS_MUTUAL} then u.profile_image_url end as "profileImageUrl",
      c.display_name as alias, u.deleted_at is not null as "isDeleted",
      ${IS_ONLINE} as "isOnline", ${LAST_SEEN} as "lastSeen",
      encode(u.public_key, 'base64') as "identityKey", coalesce(m.version, 0) as "manifestVersion") person
    cross join lateral (select ${IS_LOCKED} as it) locked
    cross join lateral (select
      asked.id as "chatRoomId", c.id as "contactId", c.state, ${instantOf(sql`c.added_at`)} as "addedAt", c.is_blocked as "isBlocked",
      row_to_json(person) as person, r.last_seq as "lastSeq", me.is_protected as "isPasswordProtected", locked.it as "isLocked",
      case when locked.it then newest."createdAt" end as "lastMessageAt",
      case when newest.seq is not null and not locked.it then row_to_json(newest) end as "lastMessage",
      ${HAS_ANSWERED} as "hasAnswered", me.unread_count as "unreadCount",
      case when me.muted_until > ${given('now')}::timestamptz then ${instantOf(sql`me.muted_until`)} end as "mutedUntil",
      me.read_seq as "readSeq", me.cleared_seq as "clearedSeq",
      ${THEIR_DELIVERED} as "theirDeliveredSeq", ${THEIR_READ} as "theirReadSeq") shown`)
    .prepare('room_rows')
})

/** True for the row with these values in both columns, found by the index on the two and never by that on one of them. */
const isPair = (columns: SQL, values: SQL): SQL => sql`(${columns}) >= (${values}) and (${columns}) <= (${values})`
