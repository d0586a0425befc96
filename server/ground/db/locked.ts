import { sql } from 'drizzle-orm'

const given = sql.placeholder

/** Values of `IS_LOCKED`. */
export interface Asking extends Record<string, unknown> {
  /** SHA-256 of the token. */
  session: Buffer
  openSince: Date
}

/** `me` is the reader's row of chat_participants. */
export const IS_LOCKED = sql`(me.is_protected and not exists (
  select from open_chats o where o.chat_room_id = me.chat_room_id and o.user_id = me.user_id
    and o.session_hash = ${given('session')}::bytea and o.used_at > ${given('openSince')}::timestamptz))`
