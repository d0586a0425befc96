import { sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'

/** Sums unread messages in direct rooms with an accepted contact and in all groups. */
export async function sumUnread(db: Queryable, userId: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select coalesce(sum(p.unread_count), 0)::int as count
    from chat_participants p
    join chat_rooms r on r.id = p.chat_room_id
    left join contacts c on c.user_id = p.user_id and c.chat_room_id = p.chat_room_id
    where p.user_id = ${userId} and p.unread_count > 0 and (r.type <> 'direct' or c.state = 'accepted')`)
  return rows[0]?.count ?? 0
}
