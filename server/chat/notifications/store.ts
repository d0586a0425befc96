import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { instantOf } from '../../ground/db/instant.ts'
import { IS_LOCKED } from '../../ground/db/locked.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { ofAccount } from '../../ground/db/schema/columns.ts'
import { chatParticipants } from '../../ground/db/schema/rooms.ts'
import { askingOf } from '../chatlocks/chatGate.ts'

const given = sql.placeholder

// What is unread in a room counts unless it says otherwise itself: few rooms of a person do, so they are hashed at no cost. `offset 0`
// keeps that from becoming a join.
const NEWS = sql`p.user_id = ${given('userId')} and p.unread_count > 0
  and (p.muted_until is null or p.muted_until <= ${given('now')}::timestamptz)
  and p.chat_room_id not in (select u.chat_room_id from uncounted_rooms u where u.user_id = ${given('userId')} offset 0)`

/** Sums unread messages in direct rooms with an accepted contact and in all groups, except those that are muted. */
export async function sumUnread(db: Queryable, userId: string, now: Date): Promise<number> {
  const [row] = await unread(db, { userId, now })
  return row?.count ?? 0
}

const unread = named((db) =>
  db
    .select({ count: sql<number>`coalesce(sum(p.unread_count), 0)::int` })
    .from(sql`chat_participants p`)
    .where(NEWS)
    .prepare('unread_count'),
)

/** The place of a notification: its time in ms, then its seq and room. */
export interface Place {
  ms: number
  seq: number
  roomId: string
}

interface Page {
  before: Place | undefined
  limit: number
  now: Date
}

/** Returns a page of what `sumUnread` counts, as JSON in the contract's shape, the newest first. */
export async function unreadPage(db: Queryable, user: Pick<SignedInUser, 'id' | 'sessionHash'>, { before, limit, now }: Page) {
  const place = before
    ? { at: new Date(before.ms), seq: before.seq, roomId: before.roomId }
    : { at: null, seq: null, roomId: null }
  const rows = await pageOfUnread(db, { userId: user.id, ...askingOf(user, now), now, limit, ...place })
  return rows.map(({ row }) => row)
}

// The unread rows of the view `notifications`, and the same ones. Read through the view, a plan for all tables at once may join every
// message with every member. Here the rooms come first: those that an inbox has compared by its index, as many as fill a page and all
// that are as new as the last of them, and the few that have changed since by their newest row. Of these the rest is read, and no more
// than fills a page of each. So what is read does not grow with what is unread.
const pageOfUnread = named((db) => {
  const me = sql`(select ${given('userId')}::uuid)`
  const isBehind = (
    room: SQL,
  ) => sql`m.sender_id <> ${given('userId')}::uuid and not m.is_silent and (${given('at')}::timestamptz is null
    or (m.created_at, m.seq, ${room}.chat_room_id) < (${given('at')}::timestamptz, ${given('seq')}::bigint, ${given('roomId')}::text))`
  const newestOf = (room: SQL, limit: SQL | Placeholder) => sql`(
    select * from messages m where m.room = ${numberOf(sql`${room}.chat_room_id`)}
      and m.seq > greatest(${room}.read_seq, ${room}.uncounted_seq) and ${isBehind(room)}
    order by m.seq desc limit ${limit})`
  const compared = (from: SQL, before: SQL) => sql`
    select p.*, i.unread_at from inbox i
    cross join lateral (
      select * from chat_participants
      where (chat_room_id, user_id) >= (i.chat_room_id, ${me}) and (chat_room_id, user_id) <= (i.chat_room_id, ${me}) limit 1) p
    where ${ofAccount(sql`i.user_id`)} = ${ofAccount(me)} and i.unread_at is not null and i.unread_at >= ${from} and i.unread_at < ${before}
      and not p.is_new_to_member and ${NEWS}`
  const place = sql`${given('at')}::timestamptz`
  return db
    .select({
      row: sql<unknown>`json_build_object('id', md5(me.chat_room_id || ' ' || m.seq || ' ' || ${given('userId')})::uuid,
        'userId', ${given('userId')}::uuid, 'senderId', m.sender_id, 'messageId', case when not locked.it then m.id end, 'chatRoomId', me.chat_room_id, 'seq', m.seq,
        'type', case when m.message_type = 'text' or locked.it then 'new_message' else 'file_shared' end, 'isRead', false, 'readAt', null,
        'createdAt', ${instantOf(sql`m.created_at`)})`,
    })
    .from(sql`(
      select * from (${compared(sql`'-infinity'`, sql`coalesce(${place}, 'infinity')`)}
        order by i.unread_at desc fetch first (${given('limit')}::int) rows with ties) near
      union all
      -- Of these the pages before have shown the newest row.
      select * from (${compared(place, sql`'infinity'`)}) above
      union all
      select * from (
        select p.*, newest.created_at from chat_participants p cross join lateral ${newestOf(sql`p`, sql`1`)} newest
        where (p.user_id, p.is_new_to_member) >= (${me}, true) and (p.user_id, p.is_new_to_member) <= (${me}, true) and ${NEWS}
        order by newest.created_at desc, newest.seq desc, p.chat_room_id desc
        limit ${given('limit')}) fresh) me
      cross join lateral (select ${IS_LOCKED} as it offset 0) locked
      cross join lateral ${newestOf(sql`me`, given('limit'))} m`)
    .orderBy(sql`m.created_at desc, m.seq desc, me.chat_room_id desc`)
    .limit(given('limit'))
    .prepare('unread_page')
})

/** Mutes a room for one member until then; null ends it. Returns false if they are no member. */
export async function setMuted(db: Queryable, roomId: string, userId: string, mutedUntil: Date | null): Promise<boolean> {
  const rows = await db
    .update(chatParticipants)
    .set({ mutedUntil })
    .where(and(eq(chatParticipants.chatRoomId, roomId), eq(chatParticipants.userId, userId)))
    .returning({ userId: chatParticipants.userId })
  return rows.length > 0
}
