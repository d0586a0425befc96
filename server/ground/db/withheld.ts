import { type SQL, sql } from 'drizzle-orm'
import { messages } from './schema/messages.ts'

/** Values of `IS_WITHHELD`. */
export interface Reader extends Record<string, unknown> {
  readerId: string
  clearedSeq: number
  /** Multirange of places where the reader blocked others. */
  withheld: string
}

const given = sql.placeholder

/** True if cleared, emptied, or from somebody blocked then. */
export const isWithheldFrom = ({ readerId, clearedSeq, withheld }: Record<'readerId' | 'clearedSeq' | 'withheld', SQL>): SQL =>
  sql`(${messages.seq} <= ${clearedSeq} or ${messages.content} = ''
    or ${messages.senderId} <> ${readerId} and ${messages.seq} <@ ${withheld})`

export const IS_WITHHELD: SQL = isWithheldFrom({
  readerId: sql`${given('readerId')}::uuid`,
  clearedSeq: sql`${given('clearedSeq')}::bigint`,
  withheld: sql`${given('withheld')}::int8multirange`,
})

/** Old messages are hashed on reading [Note: M5]. */
export const CONTENT_HASH = sql`coalesce(${messages.contentHash}, log_entry_hash(${messages.content}))`

/** A flood from a blocked person must not cost more. */
const LOOK_BACK = 100

/** `room` and `me` name rows of chat_rooms and chat_participants. */
export const newestShown = (room: SQL): SQL => sql`(
  select * from (
    select * from messages where room = ${room}.number and seq <= ${room}.last_message_seq order by seq desc limit ${sql.raw(String(LOOK_BACK))}) near
  where not near.is_silent and near.content <> '' and near.seq > me.cleared_seq
    and not (near.sender_id <> me.user_id and near.seq <@ me.withheld)
  order by near.seq desc limit 1)`
