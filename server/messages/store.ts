import { and, asc, desc, eq, getTableColumns, gt, lt, not, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../contract/limits.ts'
import type { Queryable } from '../db/connect.ts'
import { named } from '../db/named.ts'
import { bytesBefore } from '../db/page.ts'
import { messages } from '../db/schema/messages.ts'
import { chatParticipants } from '../db/schema/rooms.ts'
import { IS_WITHHELD, type Reader } from '../db/withheld.ts'

// What a page shows.
const { contentHash: _, isSilent: __, ...SHOWN } = getTableColumns(messages)
type MessageRow = Omit<typeof messages.$inferSelect, 'contentHash' | 'isSilent'>

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

interface Page extends Reader {
  before?: number | undefined
  after?: number | undefined
  limit: number
}

/**
 * Reads a page of what the reader is given of a room, by its keys, oldest first: those after a place, else the newest ones (before a
 * place). It has fewer than `limit` only where nothing is left, or where its contents reach `LIMITS.pageBytes`.
 */
export async function pageOf(db: Queryable, roomId: string, { before, after, limit, ...reader }: Page): Promise<MessageRow[]> {
  const isForward = after !== undefined
  const page = {
    ...reader,
    roomId,
    after: after ?? 0,
    before: before ?? Number.MAX_SAFE_INTEGER,
    limit,
  }
  // So few cannot reach the bound, whose sum costs as much as the page itself.
  if (limit * LIMITS.contentBytes > LIMITS.pageBytes) return await (isForward ? boundedForward : boundedBack)(db, page)
  return isForward ? await forward(db, page) : (await back(db, page)).reverse()
}

const forward = named((db) =>
  db
    .select(SHOWN)
    .from(messages)
    .where(isOnPage())
    .orderBy(asc(messages.seq))
    .limit(sql.placeholder('limit'))
    .prepare('page_forward'),
)

const back = named((db) =>
  db
    .select(SHOWN)
    .from(messages)
    .where(isOnPage())
    .orderBy(desc(messages.seq))
    .limit(sql.placeholder('limit'))
    .prepare('page_back'),
)

const boundedForward = named((db) => bounded(db, asc(messages.seq)).prepare('bounded_page_forward'))
const boundedBack = named((db) => bounded(db, desc(messages.seq)).prepare('bounded_page_back'))

function bounded(db: Queryable, order: SQL) {
  const page = db
    .select({ ...SHOWN, bytesBefore: bytesBefore(messages.content, order) })
    .from(messages)
    .where(isOnPage())
    .orderBy(order)
    .limit(sql.placeholder('limit'))
    .as('page')
  return db.select().from(page).where(lt(page.bytesBefore, LIMITS.pageBytes)).orderBy(asc(page.seq))
}

// By sub-selects, whose values no plan knows: for these very ones a plan looks cheaper than the one that is kept, and would be made anew
// at each call [Note of `named`].
const isOnPage = () =>
  and(
    eq(messages.chatRoomId, sql`(select ${sql.placeholder('roomId')}::text)`),
    gt(messages.seq, sql`(select ${sql.placeholder('after')}::bigint)`),
    lt(messages.seq, sql`(select ${sql.placeholder('before')}::bigint)`),
    not(IS_WITHHELD),
  )

/** The member's new marks, and the users to notify. */
export interface MovedMarks {
  deliveredSeq: number
  readSeq: number
  /** The member too. `seesReading` is false for who is not shown how far the member has read: unless both show it. */
  audience: { userId: string; seesReading: boolean }[]
  /** True if more than the read mark has risen. */
  hasDelivered: boolean
}

// The pair is compared as a whole, which only the primary key can do: by the index of users a plan may read all rooms of one.
const MEMBER = sql`((select ${sql.placeholder('roomId')}::text), (select ${sql.placeholder('userId')}::uuid))`
const isMember = and(
  sql`(${chatParticipants.chatRoomId}, ${chatParticipants.userId}) >= ${MEMBER}`,
  sql`(${chatParticipants.chatRoomId}, ${chatParticipants.userId}) <= ${MEMBER}`,
)
const DELIVERED_AT = sql`case when ${chatParticipants.deliveredSeq} < target.seq
  then ${sql.placeholder('now')}::timestamptz else ${chatParticipants.deliveredAt} end`
const MOVED = {
  deliveredSeq: chatParticipants.deliveredSeq,
  readSeq: chatParticipants.readSeq,
  // Whom the member has blocked is not told, and goes on seeing the marks of before.
  audience: sql<MovedMarks['audience']>`(
    select coalesce(json_agg(json_build_object('userId', a.member_id, 'seesReading', a.member_id = ${chatParticipants.userId} or (
      select bool_and(u.shows_receipts) from users u where u.id = any(array[a.member_id, ${chatParticipants.userId}])))), '[]')
    from audience_of(${chatParticipants.chatRoomId}, ${chatParticipants.userId}) a
    where a.is_told and (${chatParticipants.shownReadSeq} is null or a.member_id = ${chatParticipants.userId}))`,
  // The update that raises the mark writes this time.
  hasDelivered: sql<boolean>`coalesce(${chatParticipants.deliveredAt} = ${sql.placeholder('now')}::timestamptz, false)`,
}

/**
 * Raises the member's read mark, never beyond the log, and the delivered mark with it. Returns undefined if nothing changed. One
 * statement on the newest version of the row subtracts the messages between old and new mark from the unread count, so that a
 * message that arrives meanwhile stays counted.
 */
export async function raiseRead(db: Queryable, roomId: string, userId: string, seq: number | null, now: Date) {
  const [moved] = await raisedRead(db, { roomId, userId, seq, now })
  return moved
}

const raisedRead = named((db) =>
  db
    .update(chatParticipants)
    .set({
      // Read in the order of the key, so by its index: a plan from when the table was empty must not read the whole room.
      unreadCount: sql`${chatParticipants.unreadCount} - (
        select count(*) from (
          select m.sender_id, m.is_silent from messages m
          where m.chat_room_id = ${chatParticipants.chatRoomId} and m.seq <= target.seq
            and m.seq > greatest(${chatParticipants.readSeq}, ${chatParticipants.uncountedSeq})
          order by m.seq offset 0) passed
        where passed.sender_id <> ${chatParticipants.userId} and not passed.is_silent)`,
      readSeq: sql`target.seq`,
      readAt: sql`${sql.placeholder('now')}::timestamptz`,
      deliveredAt: DELIVERED_AT,
      deliveredSeq: sql`greatest(${chatParticipants.deliveredSeq}, target.seq)`,
    })
    .from(sql`(
      select least(coalesce(${sql.placeholder('seq')}::bigint, last_seq), last_seq) as seq
      from chat_rooms where id = ${sql.placeholder('roomId')}) target`)
    .where(and(isMember, lt(chatParticipants.readSeq, sql`target.seq`)))
    .returning(MOVED)
    .prepare('raise_read'),
)

/** Raises the member's delivered mark, never beyond the log. Returns undefined if nothing changed. */
export async function raiseDelivered(db: Queryable, roomId: string, userId: string, seq: number, now: Date) {
  const [moved] = await raisedDelivered(db, { roomId, userId, seq, now })
  return moved
}

const raisedDelivered = named((db) =>
  db
    .update(chatParticipants)
    .set({ deliveredSeq: sql`target.seq`, deliveredAt: sql`${sql.placeholder('now')}::timestamptz` })
    .from(sql`(
      select least(${sql.placeholder('seq')}::bigint, last_seq) as seq
      from chat_rooms where id = ${sql.placeholder('roomId')}) target`)
    .where(and(isMember, lt(chatParticipants.deliveredSeq, sql`target.seq`)))
    .returning(MOVED)
    .prepare('raise_delivered'),
)
