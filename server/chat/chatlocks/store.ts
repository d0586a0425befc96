import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Asking } from '../../ground/db/locked.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { archivePages, chatLocks, chatTries, openChats } from '../../ground/db/schema/chatlocks.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { chatParticipants, chatRooms } from '../../ground/db/schema/rooms.ts'

/** A room and the member whose chat password it may have. */
export interface Chat {
  chatRoomId: string
  userId: string
}

export type Lock = typeof chatLocks.$inferSelect

/** Returns whether the session has the chat open, and notes the use if none was noted since `notedBefore`. */
export async function noteUse(db: Queryable, asked: Chat & Asking & { now: Date; notedBefore: Date }): Promise<boolean> {
  const { chatRoomId, userId, session, openSince, now, notedBefore } = asked
  const own = sql`chat_room_id = ${chatRoomId} and user_id = ${userId} and session_hash = ${session} and used_at > ${openSince}`
  // `skip locked`: a session that locks the chat just now is not waited for.
  const { rows } = await db.execute<{ isOpen: boolean }>(sql`
    with noted as (
      update open_chats o set used_at = ${now} from (
        select chat_room_id, user_id, session_hash from open_chats where ${own} and used_at <= ${notedBefore}
        for no key update skip locked) due
      where o.chat_room_id = due.chat_room_id and o.user_id = due.user_id and o.session_hash = due.session_hash)
    select exists (select from open_chats where ${own}) as "isOpen"`)
  return rows[0]?.isOpen ?? false
}

/** Returns which sessions of these people have opened the chat. */
export async function findOpen(db: Queryable, chatRoomId: string, userIds: string[], since: Date) {
  const isOpen = and(eq(openChats.chatRoomId, chatRoomId), inArray(openChats.userId, userIds), gt(openChats.usedAt, since))
  return await db.select({ userId: openChats.userId, hash: openChats.sessionHash }).from(openChats).where(isOpen)
}

/** Finds the chat with the caller's accepted contact. */
export async function findChat(db: Queryable, userId: string, contactId: string) {
  const [row] = await db
    .select({ chatRoomId: contacts.chatRoomId, userId: contacts.userId, contactUserId: contacts.contactUserId })
    .from(contacts)
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId), eq(contacts.state, 'accepted')))
  return row
}

/** Locks the room's log until the transaction ends: no message comes while its lock is set or removed. */
export async function lockRoom(tx: Queryable, chatRoomId: string): Promise<void> {
  await tx.select({ id: chatRooms.id }).from(chatRooms).where(eq(chatRooms.id, chatRoomId)).for('no key update')
}

export async function findLock(db: Queryable, chat: Chat): Promise<Lock | undefined> {
  const [row] = await db.select().from(chatLocks).where(isLockOf(chat))
  return row
}

/** Does the same, and locks the row until the transaction ends, so that tries are compared one after another. */
export async function holdLock(tx: Queryable, chat: Chat): Promise<Lock | undefined> {
  const [row] = await tx.select().from(chatLocks).where(isLockOf(chat)).for('no key update')
  return row
}

export async function insertLock(tx: Queryable, lock: typeof chatLocks.$inferInsert): Promise<void> {
  await tx.insert(chatLocks).values(lock)
  await setProtected(tx, lock, true)
}

export async function updateLock(tx: Queryable, chat: Chat, lock: Partial<Lock>): Promise<void> {
  await tx.update(chatLocks).set(lock).where(isLockOf(chat))
}

/** Deletes the chat password, and with it what sessions have opened. Returns whether there was one. */
export async function deleteLock(tx: Queryable, chat: Chat): Promise<boolean> {
  const deleted = await tx.delete(chatLocks).where(isLockOf(chat)).returning({ userId: chatLocks.userId })
  if (deleted.length > 0) await setProtected(tx, chat, false)
  return deleted.length > 0
}

export async function deletePages(tx: Queryable, { chatRoomId, userId }: Chat): Promise<void> {
  await tx.delete(archivePages).where(and(eq(archivePages.room, numberOf(chatRoomId)), eq(archivePages.userId, userId)))
}

async function setProtected(tx: Queryable, { chatRoomId, userId }: Chat, isProtected: boolean): Promise<void> {
  const isIt = and(eq(chatParticipants.chatRoomId, chatRoomId), eq(chatParticipants.userId, userId))
  await tx.update(chatParticipants).set({ isProtected }).where(isIt)
}

/** Returns true if the session has verified after that time and has the chat open. */
export async function hasVerified(tx: Queryable, chat: Chat, { session, openSince }: Asking, since: Date): Promise<boolean> {
  const isIt = and(isOpenIn(chat, session), gt(openChats.verifiedAt, since), gt(openChats.usedAt, openSince))
  return (await tx.$count(openChats, isIt)) > 0
}

export async function openChat(tx: Queryable, { chatRoomId, userId }: Chat, sessionHash: Buffer, now: Date): Promise<void> {
  await tx
    .insert(openChats)
    .values({ chatRoomId, userId, sessionHash, verifiedAt: now, usedAt: now })
    .onConflictDoUpdate({
      target: [openChats.chatRoomId, openChats.userId, openChats.sessionHash],
      set: { verifiedAt: now, usedAt: now },
    })
}

/** Locks the chat for the session. Returns whether it was open. */
export async function closeChat(db: Queryable, chat: Chat, session: Buffer): Promise<boolean> {
  const closed = await db.delete(openChats).where(isOpenIn(chat, session)).returning({ userId: openChats.userId })
  return closed.length > 0
}

export type Tries = Pick<typeof chatTries.$inferSelect, 'wrongTries' | 'waitsUntil'>

/** The tries of a session that has opened the chat before; none of another one. */
export async function findTries(db: Queryable, chat: Chat, session: Buffer): Promise<Tries | undefined> {
  const [row] = await db
    .select({ wrongTries: chatTries.wrongTries, waitsUntil: chatTries.waitsUntil })
    .from(chatTries)
    .where(isTriesOf(chat, session))
  return row
}

export async function saveTries(tx: Queryable, { chatRoomId, userId }: Chat, sessionHash: Buffer, tries: Tries): Promise<void> {
  await tx
    .insert(chatTries)
    .values({ chatRoomId, userId, sessionHash, ...tries })
    .onConflictDoUpdate({ target: [chatTries.chatRoomId, chatTries.userId, chatTries.sessionHash], set: tries })
}

/** Locks the chat for all sessions but this one, which have not opened it by a new password. */
export async function closeOthers(tx: Queryable, { chatRoomId, userId }: Chat, session: Buffer): Promise<void> {
  const isOther = and(eq(openChats.chatRoomId, chatRoomId), eq(openChats.userId, userId), ne(openChats.sessionHash, session))
  await tx.delete(openChats).where(isOther)
  const isOthers = and(eq(chatTries.chatRoomId, chatRoomId), eq(chatTries.userId, userId), ne(chatTries.sessionHash, session))
  await tx.delete(chatTries).where(isOthers)
}

const isLockOf = ({ chatRoomId, userId }: Chat) => and(eq(chatLocks.chatRoomId, chatRoomId), eq(chatLocks.userId, userId))

const isOpenIn = ({ chatRoomId, userId }: Chat, session: Buffer) =>
  and(eq(openChats.chatRoomId, chatRoomId), eq(openChats.userId, userId), eq(openChats.sessionHash, session))

const isTriesOf = ({ chatRoomId, userId }: Chat, session: Buffer) =>
  and(eq(chatTries.chatRoomId, chatRoomId), eq(chatTries.userId, userId), eq(chatTries.sessionHash, session))
