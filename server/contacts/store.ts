import { and, eq, inArray, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import { instantOf } from '../db/instant.ts'
import { named } from '../db/named.ts'
import { users } from '../db/schema/account.ts'
import { contacts } from '../db/schema/contacts.ts'
import { chatParticipants, chatRooms } from '../db/schema/rooms.ts'

/**
 * Returns the contact list as JSON in the contract's shape, newest conversation first. PostgreSQL writes it: to read, map and
 * write thousands of rows here would hold up everybody for a fifth of a second. Accepted contacts come first where the list is
 * too long, so that requests can never push them out.
 */
export const listJson = (db: Queryable, userId: string): Promise<string> => writtenList(db, { userId }).then(textOf)

/** Returns one row of the list as JSON, in a list; an empty list if it is not there. */
export const rowJson = (db: Queryable, userId: string, contactId: string): Promise<string> =>
  writtenRow(db, { userId, contactId }).then(textOf)

const textOf = ([row]: { json: string | null }[]): string => row?.json ?? '[]'

// The statement has eight tables. PostgreSQL takes many times as long to plan it as to run it for a few rows.
const writtenList = named((db) => written(db, sql`true`).prepare('contact_list'))
const writtenRow = named((db) => written(db, sql`c.id = ${sql.placeholder('contactId')}`).prepare('contact_row'))

function written(db: Queryable, condition: SQL) {
  const isMutual = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked and not theirs.is_blocked, false)`
  return db
    .select({ json: sql<string | null>`'[' || string_agg(row_to_json(shown)::text, ',' order by activity desc) || ']'` })
    .from(sql`(
    select coalesce(r.last_message_at, c.added_at) as activity, shown
    from contacts c
    join users u on u.id = c.contact_user_id
    join chat_rooms r on r.id = c.chat_room_id
    join chat_participants me on me.chat_room_id = c.chat_room_id and me.user_id = c.user_id
    join chat_participants them on them.chat_room_id = c.chat_room_id and them.user_id = c.contact_user_id
    left join contacts theirs on theirs.user_id = c.contact_user_id and theirs.contact_user_id = c.user_id
    left join manifests m on m.user_id = c.contact_user_id
    -- By its primary key: the room's messages are not scanned.
    left join messages l on l.chat_room_id = r.id and l.seq = r.last_message_seq
    cross join lateral (select
      u.display_name as "displayName", u.username, case when ${isMutual} then u.profile_image_url end as "profileImageUrl",
      u.deleted_at is not null as "isDeleted", ${isMutual} and u.is_online as "isOnline",
      case when ${isMutual} then ${instantOf(sql`u.last_seen`)} end as "lastSeen",
      u.onion_address as "onionAddress", encode(u.public_key, 'base64') as "identityKey", coalesce(m.version, 0) as "manifestVersion"
    ) person
    left join lateral (select
      l.id, l.seq, ${instantOf(sql`l.created_at`)} as "createdAt", l.sender_id as "senderId",
      -- The marks of the one who did not send it, as in server/rooms/status.ts.
      case
        when case when l.sender_id = c.user_id then them.read_seq else me.read_seq end >= l.seq then 'read'
        when case when l.sender_id = c.user_id then them.delivered_seq else me.delivered_seq end >= l.seq then 'delivered'
        else 'sent' end as "deliveryStatus",
      -- A line of a text that a program shows. Of a sealed one no part can be opened: a page shows what its vault holds.
      l.message_type as "messageType", l.file_name as "fileName",
      case when l.is_encrypted then '' else left(l.content, ${sql.raw(String(LIMITS.previewChars))}) end as content
    ) newest on l.seq is not null
    cross join lateral (select
      c.id, c.user_id as "userId", c.contact_user_id as "contactUserId", c.display_name as "displayName",
      c.is_blocked as "isBlocked", c.is_password_protected as "isPasswordProtected", ${instantOf(sql`c.added_at`)} as "addedAt",
      c.state, row_to_json(person) as "contactUser", row_to_json(newest) as "lastMessage",
      me.unread_count as "unreadCount", me.unread_count > 0 as "hasUnreadNotifications", c.chat_room_id as "chatRoomId",
      r.last_seq as "lastSeq", me.read_seq as "readSeq", them.delivered_seq as "theirDeliveredSeq", them.read_seq as "theirReadSeq"
    ) shown
    where c.user_id = ${sql.placeholder('userId')} and c.state <> 'declined' and ${condition}
    order by c.state = 'accepted' desc, activity desc
    limit ${sql.raw(String(LIMITS.contactsMax))}) listed`)
}

/** Finds an active account by lower-case username or by onion address. */
export async function findPerson(db: Queryable, who: { username: string } | { onionAddress: string }) {
  const [person] = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        users.isActive,
        'username' in who ? eq(sql`lower(${users.username})`, who.username) : eq(users.onionAddress, who.onionAddress),
      ),
    )
  return person
}

export async function countAccepted(db: Queryable, userId: string): Promise<number> {
  return await db.$count(contacts, and(eq(contacts.userId, userId), eq(contacts.state, 'accepted')))
}

/**
 * Creates the room and its memberships unless they exist. The room stays locked until the transaction ends. Returns false if a
 * member has deleted their account.
 */
export async function openRoom(tx: Queryable, roomId: string, creator: string, members: string[], now: Date): Promise<boolean> {
  await tx.insert(chatRooms).values({ id: roomId, createdBy: creator, createdAt: now }).onConflictDoNothing()
  const locked = await tx.select({ id: chatRooms.id }).from(chatRooms).where(eq(chatRooms.id, roomId)).for('no key update')
  if (locked.length === 0) return false
  await tx
    .insert(chatParticipants)
    .values(members.map((userId) => ({ chatRoomId: roomId, userId, joinedAt: now })))
    .onConflictDoNothing()
  // This check comes last: a deletion either waits for the locked rows or is complete by now.
  return (await tx.$count(users, and(inArray(users.id, members), isNull(users.deletedAt)))) === members.length
}

export async function findPair(tx: Queryable, a: string, b: string) {
  return await tx
    .select()
    .from(contacts)
    .where(
      or(and(eq(contacts.userId, a), eq(contacts.contactUserId, b)), and(eq(contacts.userId, b), eq(contacts.contactUserId, a))),
    )
}

/**
 * Deletes at most `atMost` unanswered requests made at `askedBefore` or earlier. Keeps rows of blocked people, because the row
 * holds the block.
 */
export async function deleteRequests(db: Queryable, askedBefore: Date, atMost: number) {
  const { rows } = await db.execute<{ askedId: string; askerId: string }>(sql`
    delete from contacts where id = any(array(
      select id from contacts where state = 'pending' and not is_blocked and added_at <= ${askedBefore}
      limit ${atMost} for update skip locked))
    returning user_id::text as "askedId", contact_user_id::text as "askerId"`)
  return rows
}

export async function insertContacts(tx: Queryable, rows: (typeof contacts.$inferInsert)[]): Promise<void> {
  if (rows.length > 0) await tx.insert(contacts).values(rows)
}

/** Deletes the oldest open requests to this person until `kept` are left. Keeps rows of blocked people, as above. */
export async function trimRequests(tx: Queryable, askedId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from contacts where id = any(array(
      select id from contacts where user_id = ${askedId} and state = 'pending' and not is_blocked
      order by added_at desc, id
      offset ${kept} for update skip locked))`)
}

/** Deletes the caller's own row; one that holds a block is hidden instead. Returns the row; undefined if there is none. */
export async function deleteContact(db: Queryable, userId: string, contactId: string) {
  const isIt = and(eq(contacts.id, contactId), eq(contacts.userId, userId), ne(contacts.state, 'declined'))
  const found = { contactUserId: contacts.contactUserId }
  const [deleted] = await db
    .delete(contacts)
    .where(and(isIt, not(contacts.isBlocked)))
    .returning(found)
  if (deleted) return deleted
  const [hidden] = await db.update(contacts).set({ state: 'declined' }).where(and(isIt, contacts.isBlocked)).returning(found)
  return hidden
}

/** Changes the state of the caller's own row, if it has one of the states in `from`. Returns the row; undefined if none matched. */
export async function moveState(
  db: Queryable,
  userId: string,
  contactId: string,
  from: ('pending' | 'accepted' | 'declined')[],
  to: 'pending' | 'accepted' | 'declined',
) {
  const [row] = await db
    .update(contacts)
    .set({ state: to })
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId), or(...from.map((state) => eq(contacts.state, state)))))
    .returning({ contactUserId: contacts.contactUserId })
  return row
}
