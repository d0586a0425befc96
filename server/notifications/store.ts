import { sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { named } from '../db/named.ts'

/** Sums unread messages in direct rooms with an accepted contact and in all groups. */
export async function sumUnread(db: Queryable, userId: string): Promise<number> {
  const [row] = await unread(db, { userId })
  return row?.count ?? 0
}

// The accepted rooms are hashed once; a join might compare all rooms with all contacts. `offset 0` keeps it from becoming one.
const unread = named((db) =>
  db
    .select({ count: sql<number>`coalesce(sum(p.unread_count), 0)::int` })
    .from(sql`chat_participants p`)
    .where(
      sql`p.user_id = ${sql.placeholder('userId')} and p.unread_count > 0 and (
        p.chat_room_id in (
          select c.chat_room_id from contacts c where c.user_id = ${sql.placeholder('userId')} and c.state = 'accepted' offset 0)
        or (select r.type <> 'direct' from chat_rooms r where r.id = p.chat_room_id))`,
    )
    .prepare('unread_count'),
)
