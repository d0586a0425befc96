import { eq, sql } from 'drizzle-orm'
import { users } from '../db/schema/account.ts'
import type { Env } from '../env.ts'
import { mutualContacts } from '../relations/relations.ts'

/** After a start nobody is here yet, whatever the last process wrote. */
export async function resetPresence(env: Env): Promise<void> {
  await env.db.update(users).set({ isOnline: false }).where(eq(users.isOnline, true))
}

/**
 * Keeps `is_online` and `last_seen` after the hub, and tells those who accepted each other. Hand it to the hub's arrivals and
 * departures. Who moves meanwhile goes together: after a start of the server everyone arrives at once.
 */
export function followPresence(env: Env): (userId: string) => Promise<void> {
  const waiting = new Set<string>()
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (userId) => {
    waiting.add(userId)
    // One after another, each reading the hub when its turn comes: a quick return cannot be overtaken.
    next ??= last.then(() => {
      const told = tellPresence(env, [...waiting])
      waiting.clear()
      next = undefined
      last = told.catch(() => undefined)
      return told
    })
    return next
  }
}

async function tellPresence(env: Env, userIds: string[]): Promise<void> {
  const now = env.clock()
  const here = userIds.map((userId) => env.hub.isHere(userId))
  // Locked in the order in which messages lock their senders.
  const { rows } = await env.db.execute<{ userId: string; isOnline: boolean }>(sql`
    with moved as (select * from unnest(${sql.param(userIds)}::uuid[], ${sql.param(here)}::boolean[]) as t(id, is_here)),
    locked as (select u.id from users u join moved on moved.id = u.id and moved.is_here <> u.is_online
      where u.deleted_at is null order by u.id for no key update of u)
    update users u set is_online = moved.is_here, last_seen = case when moved.is_here then u.last_seen else ${now}::timestamptz end
    from moved join locked using (id)
    where u.id = moved.id
    returning u.id::text as "userId", u.is_online as "isOnline"`)
  if (rows.length === 0) return
  const audience = await mutualContacts(
    env.db,
    rows.map((row) => row.userId),
  )
  for (const { userId, isOnline } of rows) {
    const data = { userId, isOnline, lastSeen: isOnline ? null : now.toISOString() }
    env.hub.publish(audience.get(userId) ?? [], { type: 'presence', data })
  }
}
