import { and, asc, desc, eq, getTableColumns, gt, lt, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import { bytesBefore } from '../db/page.ts'
import { messages } from '../db/schema/messages.ts'

/** Finds a message by its seq. */
export async function findMessage(db: Queryable, roomId: string, seq: number) {
  const [row] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.chatRoomId, roomId), eq(messages.seq, seq)))
  return row
}

/** Finds a message by its sender and id. */
export async function findOwnMessage(db: Queryable, roomId: string, senderId: string, id: string) {
  const [row] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.chatRoomId, roomId), eq(messages.senderId, senderId), eq(messages.id, id)))
  return row
}

interface Page {
  before?: number | undefined
  after?: number | undefined
  limit: number
}

/**
 * Reads a page of a room by its keys, oldest first: those after a place, else the newest ones (before a place). It has fewer than
 * `limit` only where nothing is left, or where its contents reach `LIMITS.pageBytes`.
 */
export async function pageOf(db: Queryable, roomId: string, { before, after, limit }: Page) {
  const forward = after !== undefined
  const order = forward ? asc(messages.seq) : desc(messages.seq)
  const page = db
    .select({ ...getTableColumns(messages), bytesBefore: bytesBefore(messages.content, order) })
    .from(messages)
    .where(
      and(
        eq(messages.chatRoomId, roomId),
        before === undefined ? undefined : lt(messages.seq, before),
        after === undefined ? undefined : gt(messages.seq, after),
      ),
    )
    .orderBy(order)
    .limit(limit)
    .as('page')
  return await db.select().from(page).where(lt(page.bytesBefore, LIMITS.pageBytes)).orderBy(asc(page.seq))
}

/** The member's new marks, and the users to notify. */
export type MovedMarks = Record<string, unknown> & { deliveredSeq: number; readSeq: number; audience: string[] }

/**
 * Raises the member's read mark, never beyond the log, and the delivered mark with it. Returns undefined if nothing changed. One
 * statement on the newest version of the row subtracts the messages between old and new mark from the unread count, so that a
 * message that arrives meanwhile stays counted.
 */
export async function raiseRead(db: Queryable, roomId: string, userId: string, seq: number | null, now: Date) {
  return await raise(
    db,
    sql`update chat_participants p set
      unread_count = p.unread_count - (
        select count(*) from messages m
        where m.chat_room_id = p.chat_room_id and m.seq > greatest(p.read_seq, p.uncounted_seq) and m.seq <= target.seq
          and m.sender_id <> p.user_id and not m.is_silent),
      read_seq = target.seq, read_at = ${now},
      delivered_at = case when p.delivered_seq < target.seq then ${now} else p.delivered_at end,
      delivered_seq = greatest(p.delivered_seq, target.seq)
    from (select least(coalesce(${seq}::bigint, last_seq), last_seq) as seq from chat_rooms where id = ${roomId}) target
    where p.chat_room_id = ${roomId} and p.user_id = ${userId} and p.read_seq < target.seq`,
  )
}

/** Raises the member's delivered mark, never beyond the log. Returns undefined if nothing changed. */
export async function raiseDelivered(db: Queryable, roomId: string, userId: string, seq: number, now: Date) {
  return await raise(
    db,
    sql`update chat_participants p set delivered_seq = target.seq, delivered_at = ${now}
    from (select least(${seq}::bigint, last_seq) as seq from chat_rooms where id = ${roomId}) target
    where p.chat_room_id = ${roomId} and p.user_id = ${userId} and p.delivered_seq < target.seq`,
  )
}

async function raise(db: Queryable, update: SQL) {
  const { rows } = await db.execute<MovedMarks>(
    sql`${update} returning p.delivered_seq::float8 as "deliveredSeq", p.read_seq::float8 as "readSeq", array(
      select member_id::text from audience_of(p.chat_room_id, p.user_id) where is_told) as audience`,
  )
  return rows[0]
}
