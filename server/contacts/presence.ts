import type { Env } from '../env.ts'
import { mutualContacts } from '../relations/relations.ts'
import * as store from './store-presence.ts'

/** Sets everyone offline. After a start nobody is connected, whatever the last process has written. */
export async function resetPresence(env: Env): Promise<void> {
  await store.setAllOffline(env.db)
}

/**
 * Returns a function that stores `is_online` and `last_seen` of a user from the hub's state and notifies accepted contacts. Call it
 * at each arrival and departure. Changes that arrive during a write are written together, because after a start all users arrive
 * at once.
 */
export function followPresence(env: Env): (userId: string) => Promise<void> {
  const waiting = new Set<string>()
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (userId) => {
    waiting.add(userId)
    // Writes run one after another and read the hub at their turn, so that an old state never overwrites a newer one.
    next ??= last.then(() => {
      const written = tellPresence(env, [...waiting])
      waiting.clear()
      next = undefined
      last = written.catch(() => undefined)
      return written
    })
    return next
  }
}

async function tellPresence(env: Env, userIds: string[]): Promise<void> {
  const now = env.clock()
  const here = userIds.map((userId) => env.hub.isHere(userId))
  const rows = await store.movePresence(env.db, userIds, here, now)
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
