import { and, desc, eq, getTableColumns, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'
import { contacts } from '../db/schema/contacts.ts'
import { manifests } from '../db/schema/devices.ts'
import { messages } from '../db/schema/messages.ts'
import { chatParticipants, chatRooms } from '../db/schema/rooms.ts'

/**
 * Reads the rows of the contact list, accepted ones first, so that requests can never push them out. It is one query of eight
 * tables. PostgreSQL takes many times as long to plan it as to run it, so each connection keeps a prepared statement.
 */
export function listRows(db: Queryable, userId: string, contactId?: string) {
  const theirs = alias(contacts, 'theirs')
  const me = alias(chatParticipants, 'me')
  const them = alias(chatParticipants, 'them')
  return (
    db
      .select({
        contact: contacts,
        isMutual: sql<boolean>`coalesce(${contacts.state} = 'accepted' and ${theirs.state} = 'accepted'
          and not ${contacts.isBlocked} and not ${theirs.isBlocked}, false)`,
        person: {
          displayName: users.displayName,
          username: users.username,
          profileImageUrl: users.profileImageUrl,
          isOnline: users.isOnline,
          lastSeen: users.lastSeen,
          onionAddress: users.onionAddress,
          publicKey: users.publicKey,
          deletedAt: users.deletedAt,
        },
        manifestVersion: manifests.version,
        room: { lastSeq: chatRooms.lastSeq, lastMessageAt: chatRooms.lastMessageAt },
        me: { deliveredSeq: me.deliveredSeq, readSeq: me.readSeq, unreadCount: me.unreadCount },
        them: { deliveredSeq: them.deliveredSeq, readSeq: them.readSeq },
        // A page shows a line of it, from its vault: the whole texts of a long list would be hundreds of megabytes.
        lastMessage: { ...getTableColumns(messages), content: sql<string>`left(${messages.content}, ${LIMITS.previewChars})` },
      })
      .from(contacts)
      .innerJoin(users, eq(users.id, contacts.contactUserId))
      .innerJoin(chatRooms, eq(chatRooms.id, contacts.chatRoomId))
      .innerJoin(me, and(eq(me.chatRoomId, contacts.chatRoomId), eq(me.userId, contacts.userId)))
      .innerJoin(them, and(eq(them.chatRoomId, contacts.chatRoomId), eq(them.userId, contacts.contactUserId)))
      .leftJoin(theirs, and(eq(theirs.userId, contacts.contactUserId), eq(theirs.contactUserId, contacts.userId)))
      .leftJoin(manifests, eq(manifests.userId, contacts.contactUserId))
      // The join finds the newest message by its primary key and does not scan the room's messages.
      .leftJoin(messages, and(eq(messages.chatRoomId, chatRooms.id), eq(messages.seq, chatRooms.lastMessageSeq)))
      .where(
        and(
          eq(contacts.userId, userId),
          ne(contacts.state, 'declined'),
          contactId === undefined ? undefined : eq(contacts.id, contactId),
        ),
      )
      .orderBy(desc(eq(contacts.state, 'accepted')), desc(sql`coalesce(${chatRooms.lastMessageAt}, ${contacts.addedAt})`))
      .limit(LIMITS.contactsMax)
      .prepare(contactId === undefined ? 'contact_list' : 'contact_row')
      .execute()
  )
}

export type ListRow = Awaited<ReturnType<typeof listRows>>[number]

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

/** Changes the state of the caller's own row, if it has one of the states in `from`. Returns the row; undefined if none matched. */
export async function moveState(
  db: Queryable,
  userId: string,
  contactId: string,
  from: ('pending' | 'accepted' | 'declined')[],
  to: 'accepted' | 'declined',
) {
  const [row] = await db
    .update(contacts)
    .set({ state: to })
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId), or(...from.map((state) => eq(contacts.state, state)))))
    .returning({ contactUserId: contacts.contactUserId })
  return row
}
