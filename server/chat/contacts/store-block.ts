import { and, eq, isNull, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { users } from '../../ground/db/schema/account.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { chatParticipants, chatRooms } from '../../ground/db/schema/rooms.ts'

/** Finds the caller's contact, in any state, and locks its room's log until the transaction ends: no message comes meanwhile. */
export async function lockContact(tx: Queryable, userId: string, contactId: string) {
  const isIt = and(eq(contacts.id, contactId), eq(contacts.userId, userId))
  const [found] = await tx.select({ chatRoomId: contacts.chatRoomId }).from(contacts).where(isIt)
  if (!found) return undefined
  const [room] = await tx
    .select({ lastSeq: chatRooms.lastSeq })
    .from(chatRooms)
    .where(eq(chatRooms.id, found.chatRoomId))
    .for('no key update')
  // Read again: it may have changed while this waited.
  const [contact] = await tx.select().from(contacts).where(isIt)
  return room && contact && { ...contact, lastSeq: room.lastSeq }
}

/** Finds the living accounts that a person blocks, by username. A row whose person has left the list holds its block still. */
export async function findBlocked(db: Queryable, userId: string) {
  return await db
    .select({
      ...{ contactId: contacts.id, userId: users.id, username: users.username },
      isListed: sql<boolean>`${contacts.state} = 'accepted'`,
    })
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.contactUserId))
    .where(and(eq(contacts.userId, userId), contacts.isBlocked, isNull(users.deletedAt)))
    .orderBy(sql`lower(${users.username})`)
    .limit(LIMITS.contactsMax)
}

/** Blocks the person, who is shown from now on when the caller was last seen now. A request leaves the list. */
export async function setBlocked(tx: Queryable, userId: string, contactId: string, now: Date): Promise<void> {
  await tx
    .update(contacts)
    .set({
      isBlocked: true,
      state: sql`case when ${contacts.state} = 'pending' then 'declined' else ${contacts.state} end`,
      seenWhenBlocked: sql`(select case when p.nodes <> '{}' then ${now}::timestamptz else p.last_seen end from presence p where p.user_id = ${userId})`,
    })
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId)))
}

export async function setUnblocked(tx: Queryable, userId: string, contactId: string): Promise<void> {
  await tx
    .update(contacts)
    .set({ isBlocked: false, seenWhenBlocked: null })
    .where(and(eq(contacts.id, contactId), eq(contacts.userId, userId)))
}

/** Withholds from the member what others append behind `seq`, counts nothing up to there as unread, and freezes the marks that others are shown. */
export async function beginWithholding(tx: Queryable, roomId: string, userId: string, seq: number): Promise<void> {
  await tx
    .update(chatParticipants)
    .set({
      withheld: sql`${chatParticipants.withheld} + int8multirange(int8range(${seq}::bigint + 1, null))`,
      unreadCount: 0,
      uncountedSeq: seq,
      shownDeliveredSeq: sql`${chatParticipants.deliveredSeq}`,
      shownReadSeq: sql`${chatParticipants.readSeq}`,
    })
    .where(isMember(roomId, userId))
}

/** Ends that: what others append behind `seq` is given to the member again. */
export async function endWithholding(tx: Queryable, roomId: string, userId: string, seq: number): Promise<void> {
  await tx
    .update(chatParticipants)
    .set({
      withheld: sql`${chatParticipants.withheld} - int8multirange(int8range(${seq}::bigint + 1, null))`,
      shownDeliveredSeq: null,
      shownReadSeq: null,
    })
    .where(isMember(roomId, userId))
}

/**
 * Clears the room up to `seq` for the member: what is there counts as unread no more, and the archive keys of epochs that ended there
 * are deleted. Returns up to where it is cleared.
 */
export async function clearUpTo(tx: Queryable, roomId: string, userId: string, seq: number): Promise<number> {
  const [row] = await tx
    .update(chatParticipants)
    .set({
      clearedSeq: sql`greatest(${chatParticipants.clearedSeq}, ${seq})`,
      uncountedSeq: sql`greatest(${chatParticipants.uncountedSeq}, ${seq})`,
      unreadCount: sql`(
        select count(*) from messages m
        where m.room = ${numberOf(roomId)} and m.seq > greatest(${chatParticipants.readSeq}, ${chatParticipants.uncountedSeq}, ${seq}::bigint)
          and m.sender_id <> ${userId} and not m.is_silent)`,
    })
    .where(isMember(roomId, userId))
    .returning({ clearedSeq: chatParticipants.clearedSeq })
  await tx.execute(sql`
    delete from archive_keys k where k.room = ${numberOf(roomId)} and k.user_id = ${userId} and exists (
      select from room_commits c where c.room = k.room and c.seq <= ${seq} and (
        c.group_id = k.group_id and c.epoch >= k.epoch or c.generation > (
          select max(o.generation) from room_commits o where o.room = k.room and o.group_id = k.group_id)))`)
  return row?.clearedSeq ?? 0
}

const isMember = (roomId: string, userId: string) =>
  and(eq(chatParticipants.chatRoomId, roomId), eq(chatParticipants.userId, userId))

/**
 * Empties up to `atMost` messages that all members of their room have cleared: place, sender and hash remain, and the files that they
 * carried are dropped. Returns how many were emptied.
 */
export async function emptyCleared(db: Queryable, atMost: number): Promise<number> {
  const { rows } = await db.execute<{ emptied: number }>(sql`
    with due as (
      select r.id, r.number, r.emptied_seq, shared.up_to from (
        select p.chat_room_id, min(p.cleared_seq) as up_to from chat_participants p
        where p.chat_room_id in (select chat_room_id from chat_participants where cleared_seq > 0)
        group by p.chat_room_id) shared
      join chat_rooms r on r.id = shared.chat_room_id
      where shared.up_to > r.emptied_seq order by r.id limit 1 for no key update of r),
    piece as (
      select due.id as chat_room_id, m.room, m.seq from due join messages m on m.room = due.number
      where m.seq > due.emptied_seq and m.seq <= due.up_to order by m.seq limit ${atMost}),
    gone as (
      update messages m set content_hash = coalesce(m.content_hash, log_entry_hash(m.content)), content = '',
        file_path = null, file_name = null, file_size = null
      from piece where m.room = piece.room and m.seq = piece.seq and m.content <> ''),
    unread as (
      update objects o set state = 'dropped' from piece
      where o.chat_room_id = piece.chat_room_id and o.message_seq = piece.seq and o.state = 'used'),
    noted as (
      update chat_rooms r set emptied_seq = case
        when (select count(*) from piece) < ${atMost} then due.up_to else (select max(seq) from piece) end
      from due where r.id = due.id)
    select count(*)::int as emptied from due`)
  return rows[0]?.emptied ?? 0
}
