import { eq, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'

export async function setAllOffline(db: Queryable): Promise<void> {
  await db.update(users).set({ isOnline: false }).where(eq(users.isOnline, true))
}

/** Sets the presence of these users; `isHere` is in the order of `userIds`. Returns the users whose presence has changed. */
export async function movePresence(db: Queryable, userIds: string[], isHere: boolean[], now: Date) {
  // Rows are locked in the same order as a batch of messages locks its senders.
  const { rows } = await db.execute<{ userId: string; isOnline: boolean }>(sql`
    with moved as (select * from unnest(${sql.param(userIds)}::uuid[], ${sql.param(isHere)}::boolean[]) as t(id, is_here)),
    locked as (select u.id from users u join moved on moved.id = u.id and moved.is_here <> u.is_online
      where u.deleted_at is null order by u.id for no key update of u)
    update users u set is_online = moved.is_here, last_seen = case when moved.is_here then u.last_seen else ${now}::timestamptz end
    from moved join locked using (id)
    where u.id = moved.id
    returning u.id::text as "userId", u.is_online as "isOnline"`)
  return rows
}
