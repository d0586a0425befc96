import { eq } from 'drizzle-orm'
import { users } from '../db/schema.ts'
import type { Env } from '../env.ts'
import { mutualContacts } from './audience.ts'

/** After a start nobody is here yet, whatever the last process wrote. */
export async function resetPresence(env: Env): Promise<void> {
  await env.db.update(users).set({ isOnline: false }).where(eq(users.isOnline, true))
}

/** Keeps `is_online` and `last_seen` after the hub, and tells those who accepted each other. Hand it to the hub's arrivals and departures. */
export function followPresence(env: Env): (userId: string) => Promise<void> {
  const turns = new Map<string, Promise<void>>()
  return async (userId) => {
    // One after another for each user, each reading the hub when its turn comes: a quick return cannot be overtaken.
    const turn = (turns.get(userId) ?? Promise.resolve()).then(() => tellPresence(env, userId))
    const settled = turn.catch(() => undefined)
    turns.set(userId, settled)
    try {
      await turn
    } finally {
      if (turns.get(userId) === settled) turns.delete(userId)
    }
  }
}

async function tellPresence(env: Env, userId: string): Promise<void> {
  const isOnline = env.hub.isHere(userId)
  const now = env.clock()
  const [before] = await env.db.select({ isOnline: users.isOnline }).from(users).where(eq(users.id, userId))
  if (!before || before.isOnline === isOnline) return
  await env.db
    .update(users)
    .set(isOnline ? { isOnline } : { isOnline, lastSeen: now })
    .where(eq(users.id, userId))
  const data = { userId, isOnline, lastSeen: isOnline ? null : now.toISOString() }
  env.hub.publish(await mutualContacts(env.db, userId), { type: 'presence', data })
}
