import { and, eq, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../ground/db/connect.ts'
import { archivePages } from '../../ground/db/schema/chatlocks.ts'
import { archiveKeys, chatParticipants, chatRooms } from '../../ground/db/schema/rooms.ts'

export async function roomsOf(db: Queryable, userId: string): Promise<string[]> {
  const rows = await db
    .select({ id: chatParticipants.chatRoomId })
    .from(chatParticipants)
    .where(eq(chatParticipants.userId, userId))
  return rows.map(({ id }) => id)
}

/** Returns a hash, because thousands of ids take long. Appends lock rooms first too. */
export async function lockRoomsOf(db: Queryable, userId: string): Promise<unknown> {
  const { rows } = await db.execute(sql`
    select md5(string_agg(id, ',')) as hash from (
      select id from chat_rooms where id = any(${roomIdsOf(userId)}) order by id for no key update) as locked`)
  return rows[0]?.['hash']
}

export async function hashOfRooms(db: Queryable, userId: string): Promise<unknown> {
  const { rows } = await db.execute(sql`
    select md5(string_agg(chat_room_id, ',' order by chat_room_id)) as hash from chat_participants where user_id = ${userId}`)
  return rows[0]?.['hash']
}

export async function markNeedsCommit(db: Queryable, userId: string): Promise<void> {
  await db.update(chatRooms).set({ needsCommit: true }).where(isOneOf(chatRooms.id, userId))
}

/** Includes the keys in pages. */
export async function deleteArchiveKeys(db: Queryable, userId: string): Promise<void> {
  await db.delete(archiveKeys).where(and(eq(archiveKeys.userId, userId), isIn(archiveKeys.room, userId)))
  await db.delete(archivePages).where(and(eq(archivePages.userId, userId), isIn(archivePages.room, userId)))
}

const roomIdsOf = (userId: string) => sql`array(select chat_room_id from chat_participants where user_id = ${userId})`

/** By number. */
const isIn = (column: PgColumn, userId: string) =>
  sql`${column} = any(array(select number from chat_rooms where id = any(${roomIdsOf(userId)})))`

const isOneOf = (column: PgColumn, userId: string) => sql`${column} = any(${roomIdsOf(userId)})`
