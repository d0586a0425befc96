import { type SQL, sql } from 'drizzle-orm'
import { messages } from './schema/messages.ts'

/** Who reads messages, and which places are withheld from them. Values of the placeholders of `IS_WITHHELD`. */
export interface Reader extends Record<string, unknown> {
  readerId: string
  /** Up to here the reader has cleared the room. */
  clearedSeq: number
  /** The places at which the reader blocked the others, as PostgreSQL writes a multirange. */
  withheld: string
}

const given = sql.placeholder

/**
 * True for a message that the reader is not given: cleared by them, or from somebody whom they blocked then. Nobody is given one
 * that was emptied because all have cleared it.
 */
export const isWithheldFrom = ({ readerId, clearedSeq, withheld }: Record<'readerId' | 'clearedSeq' | 'withheld', SQL>): SQL =>
  sql`(${messages.seq} <= ${clearedSeq} or ${messages.content} = ''
    or ${messages.senderId} <> ${readerId} and ${messages.seq} <@ ${withheld})`

/** The same, of the reader whom the placeholders name. */
export const IS_WITHHELD: SQL = isWithheldFrom({
  readerId: sql`${given('readerId')}::uuid`,
  clearedSeq: sql`${given('clearedSeq')}::bigint`,
  withheld: sql`${given('withheld')}::int8multirange`,
})

/** What [Note: M5] hashes of a message: made from the content of one that was stored before hashes were. */
export const CONTENT_HASH = sql`coalesce(${messages.contentHash}, log_entry_hash(${messages.content}))`

/** How far a list looks back for a message that its reader is given: whoever floods somebody who blocks them costs no more. */
const LOOK_BACK = 100

/**
 * The newest message of a room that the reader is given, for a join. `room` names its row of chat_rooms, and `me` the reader's of
 * chat_participants. The messages are found by their key, the newest first, until one is shown.
 */
export const newestShown = (room: SQL): SQL => sql`(
  select * from (
    select * from messages where chat_room_id = ${room}.id and seq <= ${room}.last_message_seq order by seq desc limit ${sql.raw(String(LOOK_BACK))}) near
  where not near.is_silent and near.content <> '' and near.seq > me.cleared_seq
    and not (near.sender_id <> me.user_id and near.seq <@ me.withheld)
  order by near.seq desc limit 1)`
