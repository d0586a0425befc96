import type { Env } from '../env.ts'
import { mutualContacts } from '../relations/relations.ts'
import * as store from './store-presence.ts'

/** Sets everyone offline: after a start nobody is connected, whatever the last process wrote. */
export async function resetPresence(env: Env): Promise<void> {
  await store.setAllOffline(env.db)
}

/**
 * Keeps `is_online` and `last_seen` after the hub, and tells those who accepted each other. Hand it to the hub's arrivals and
 * departures. Moves that come while one is written are written together: after a start everyone arrives at once.
 */
export function followPresence(env: Env): (userId: string) => Promise<void> {
  const waiting = new Set<string>()
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (userId) => {
    waiting.add(userId)
    // One after another, each reading the hub at its turn, so that an old state never overwrites a newer one.
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
