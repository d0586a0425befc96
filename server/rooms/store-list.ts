import { and, eq, ne, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'
import { contacts } from '../db/schema/contacts.ts'
import { manifests } from '../db/schema/devices.ts'
import { messages } from '../db/schema/messages.ts'
import { chatParticipants, chatRooms } from '../db/schema/rooms.ts'

/** The place of a row in the list: its activity in ms, then its room. */
export interface Place {
  ms: number
  roomId: string
}

/** Rooms of a page, with the number of the oldest transaction that this answer may not have seen. */
type Picked<More> = Record<string, unknown> & { oldest: string } & ({ roomId: string } & More)

// `oldest` comes with the same statement as the rooms, so it belongs to the same snapshot: whatever is missing from the rooms has
// this number or a later one. Read-only transactions have no number and do not hold it back.
const SNAPSHOT = sql`select pg_snapshot_xmin(pg_current_snapshot()) as oldest, pg_snapshot_xmax(pg_current_snapshot()) as next`

/** Picks the rooms with the newest activity by two indexes; nothing else of the other rows is read. */
export async function pickPage(db: Queryable, userId: string, before: Place | undefined, limit: number) {
  const activity = sql`coalesce(r.last_message_at, c.added_at)`
  const isOlder = before && sql`and (${activity}, c.chat_room_id) < (${new Date(before.ms)}::timestamptz, ${before.roomId})`
  const { rows } = await db.execute<Picked<{ ms: number }> | { oldest: string; roomId: null }>(sql`
    select now.oldest::text, picked.room_id as "roomId", picked.ms from (${SNAPSHOT}) now left join (
      select c.chat_room_id as room_id, (extract(epoch from ${activity}) * 1000)::bigint as ms
      from contacts c join chat_rooms r on r.id = c.chat_room_id
      where c.user_id = ${userId} and c.state <> 'declined' ${isOlder ?? sql``}
      order by ${activity} desc, c.chat_room_id desc
      limit ${limit}) picked on true`)
  return pickedOf(rows)
}

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
  const isNew = after
    ? sql`(changed_in, room_id) > (${after.changedIn}::xid8, ${after.roomId})`
    : sql`changed_in >= ${oldest}::xid8`
  type Row = { isTooOld: boolean } & (Picked<{ changedIn: string }> | { oldest: string; roomId: null })
  const { rows } = await db.execute<Row>(sql`
    select now.oldest::text, picked.room_id as "roomId", picked.changed_in::text as "changedIn",
      now.next < ${oldest}::xid8
        or exists (select from list_floors f where f.user_id = ${userId} and f.changed_in >= ${oldest}::xid8) as "isTooOld"
    from (${SNAPSHOT}) now left join (
      select * from (
        -- A stranger must not learn when somebody is online or answers, so these changes count between mutual contacts only.
        select c.chat_room_id as room_id, greatest(c.changed_in, r.changed_in, me.changed_in, them.changed_in, u.profile_changed_in,
          case when c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked and not theirs.is_blocked
            then greatest(u.presence_changed_in, theirs.state_changed_in) end) as changed_in
        from contacts c
        join chat_rooms r on r.id = c.chat_room_id
        join users u on u.id = c.contact_user_id
        join chat_participants me on me.chat_room_id = c.chat_room_id and me.user_id = c.user_id
        join chat_participants them on them.chat_room_id = c.chat_room_id and them.user_id = c.contact_user_id
        left join contacts theirs on theirs.user_id = c.contact_user_id and theirs.contact_user_id = c.user_id
        where c.user_id = ${userId}) each
      where ${isNew}
      order by changed_in, room_id
      limit ${limit}) picked on true`)
  return { ...pickedOf(rows), isTooOld: rows[0]?.isTooOld ?? false }
}

function pickedOf<R extends { oldest: string; roomId: string | null }>(rows: R[]) {
  const [first] = rows
  if (!first) throw new Error('The snapshot was not answered')
  return { oldest: first.oldest, picked: rows.filter((row): row is Extract<R, { roomId: string }> => row.roomId !== null) }
}

/**
 * Returns the caller's rows of these rooms, in any order and without those that are not on the list. PostgreSQL takes longer to plan
 * this query than to run it, so each connection keeps a prepared statement.
 */
export function findRows(db: Queryable, userId: string, roomIds: string[]) {
  const theirs = alias(contacts, 'theirs')
  const me = alias(chatParticipants, 'me')
  const them = alias(chatParticipants, 'them')
  return db
    .select({
      chatRoomId: contacts.chatRoomId,
      contactId: contacts.id,
      state: contacts.state,
      addedAt: contacts.addedAt,
      alias: contacts.displayName,
      isMutual: sql<boolean>`coalesce(${contacts.state} = 'accepted' and ${theirs.state} = 'accepted'
        and not ${contacts.isBlocked} and not ${theirs.isBlocked}, false)`,
      personId: users.id,
      username: users.username,
      displayName: users.displayName,
      isOnline: users.isOnline,
      lastSeen: users.lastSeen,
      publicKey: users.publicKey,
      deletedAt: users.deletedAt,
      manifestVersion: manifests.version,
      lastSeq: chatRooms.lastSeq,
      lastMessage: { id: messages.id, seq: messages.seq, senderId: messages.senderId, createdAt: messages.createdAt },
      unreadCount: me.unreadCount,
      readSeq: me.readSeq,
      theirDeliveredSeq: them.deliveredSeq,
      theirReadSeq: them.readSeq,
    })
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.contactUserId))
    .innerJoin(chatRooms, eq(chatRooms.id, contacts.chatRoomId))
    .innerJoin(me, and(eq(me.chatRoomId, contacts.chatRoomId), eq(me.userId, contacts.userId)))
    .innerJoin(them, and(eq(them.chatRoomId, contacts.chatRoomId), eq(them.userId, contacts.contactUserId)))
    .leftJoin(theirs, and(eq(theirs.userId, contacts.contactUserId), eq(theirs.contactUserId, contacts.userId)))
    .leftJoin(manifests, eq(manifests.userId, contacts.contactUserId))
    .leftJoin(messages, and(eq(messages.chatRoomId, chatRooms.id), eq(messages.seq, chatRooms.lastMessageSeq)))
    .where(
      and(
        sql`${contacts.chatRoomId} = any(${sql.placeholder('roomIds')}::text[])`,
        eq(contacts.userId, sql.placeholder('userId')),
        ne(contacts.state, 'declined'),
      ),
    )
    .prepare('room_rows')
    .execute({ userId, roomIds })
}
