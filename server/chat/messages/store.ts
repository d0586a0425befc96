import { and, asc, desc, eq, gt, lt, not, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { instantOf } from '../../ground/db/instant.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { bytesBefore } from '../../ground/db/pageBytes.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { messages } from '../../ground/db/schema/messages.ts'
import { isWithheldFrom } from '../../ground/db/withheld.ts'

export async function findMessage(db: Queryable, roomId: string, seq: number) {
  const [row] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.room, numberOf(roomId)), eq(messages.seq, seq)))
  return row && { ...row, chatRoomId: roomId }
}

export async function findOwnMessage(db: Queryable, roomId: string, senderId: string, id: string) {
  const [row] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.room, numberOf(roomId)), eq(messages.senderId, senderId), eq(messages.id, id)))
  return row && { ...row, chatRoomId: roomId }
}

interface Page {
  before?: number | undefined
  after?: number | undefined
  limit: number
}

interface WrittenPage {
  /** Sent as PostgreSQL writes it, in the contract's order. */
  json: string
  isProtected: boolean
}

/** Returns messages that the member is given, oldest first, up to `LIMITS.pageBytes`. undefined for a stranger. */
export async function pageOf(
  db: Queryable,
  userId: string,
  roomId: string,
  { before, after, limit }: Page,
): Promise<WrittenPage | undefined> {
  const isForward = after !== undefined
  // A bound's sum costs as much as the page.
  const isBounded = limit * LIMITS.contentBytes > LIMITS.pageBytes
  const read = isBounded ? (isForward ? boundedForward : boundedBack) : isForward ? forward : back
  const [page] = await read(db, { userId, roomId, limit, after: after ?? 0, before: before ?? Number.MAX_SAFE_INTEGER })
  return page
}

const forward = named((db) => written(db, picked(asc(messages.seq))).prepare('page_forward'))
const back = named((db) => written(db, picked(desc(messages.seq))).prepare('page_back'))
const boundedForward = named((db) => written(db, bounded(asc(messages.seq))).prepare('bounded_page_forward'))
const boundedBack = named((db) => written(db, bounded(desc(messages.seq))).prepare('bounded_page_back'))

const picked = (order: SQL): SQL =>
  sql`(select * from ${messages} where ${isOnPage()} order by ${order} limit ${sql.placeholder('limit')})`

const bounded = (order: SQL): SQL => sql`(
  select * from (
    select *, ${bytesBefore(messages.content, order).sql} as bytes_before from ${messages}
    where ${isOnPage()} order by ${order} limit ${sql.placeholder('limit')}) page
  where bytes_before < ${LIMITS.pageBytes})`

// Sub-selects hide the values from the planner [Note of `named`].
const ROOM = sql`(select ${sql.placeholder('roomId')}::text)`
const isOnPage = () =>
  and(
    eq(messages.room, numberOf(ROOM)),
    gt(messages.seq, sql`(select ${sql.placeholder('after')}::bigint)`),
    lt(messages.seq, sql`(select ${sql.placeholder('before')}::bigint)`),
    not(isWithheldFrom({ readerId: sql`me.user_id`, clearedSeq: sql`me.cleared_seq`, withheld: sql`me.withheld` })),
  )

/** Statuses follow `statusOf`. Another member's read mark is 0 unless both show theirs. */
const written = (db: Queryable, page: SQL) =>
  db.select({ json: sql<string>`page.json`, isProtected: sql<boolean>`page.is_protected` }).from(sql`(
    with member as materialized (
      select p.chat_room_id, p.user_id, coalesce(p.shown_delivered_seq, p.delivered_seq) as delivered_seq,
        coalesce(p.shown_read_seq, p.read_seq) as read_seq, p.cleared_seq, p.withheld, p.is_protected,
        (select u.shows_receipts from users u where u.id = p.user_id) as shows_receipts
      from chat_participants p where p.chat_room_id = ${ROOM})
    select me.is_protected, (
      select '[' || coalesce(string_agg(row_to_json(shown)::text, ',' order by shown.seq), '') || ']'
      from ${page} m
      cross join lateral (
        select min(o.delivered_seq) as delivered_seq,
          min(case when o.user_id = me.user_id or me.shows_receipts and o.shows_receipts then o.read_seq else 0 end) as read_seq
        from member o where o.user_id <> m.sender_id) others
      cross join lateral (select
        m.id, m.seq, me.chat_room_id as "chatRoomId", m.sender_id as "senderId", m.content, m.message_type as "messageType",
        m.file_path as "filePath", m.file_name as "fileName", m.file_size as "fileSize", m.is_encrypted as "isEncrypted",
        case when others.read_seq >= m.seq then 'read' when others.delivered_seq >= m.seq then 'delivered' else 'sent' end
          as "deliveryStatus",
        m.reply_to_id as "replyToId", ${instantOf(sql`m.created_at`)} as "createdAt") shown) as json
    from member me where me.user_id = ${sql.placeholder('userId')}::uuid) page`)
