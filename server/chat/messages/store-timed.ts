import { sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'

/** Empties as `emptyCleared` does what has come to its end [Note: M9]. Returns how many places. */
export async function emptyDue(db: Queryable, now: Date, atMost: number): Promise<number> {
  const { rows } = await db.execute<{ emptied: number }>(sql`
    with due as (
      delete from timed_messages t using (
        select room, seq from timed_messages where due_at <= ${now} order by due_at limit ${atMost} for update skip locked) ended
      where t.room = ended.room and t.seq = ended.seq returning t.room, t.seq),
    gone as (
      update messages m set content_hash = coalesce(m.content_hash, log_entry_hash(m.content)), content = '',
        file_path = null, file_name = null, file_size = null
      from due where m.room = due.room and m.seq = due.seq and m.content <> ''),
    unread as (
      update objects o set state = 'dropped' from due join chat_rooms r on r.number = due.room
      where o.chat_room_id = r.id and o.message_seq = due.seq and o.state = 'used')
    select count(*)::int as emptied from due`)
  return rows[0]?.emptied ?? 0
}
