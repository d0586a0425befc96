import type { Env } from '../../env.ts'
import { askTogether } from '../../ground/db/askTogether.ts'
import type { Db } from '../../ground/db/connect.ts'
import * as store from './store.ts'

/** Size of the cache of memberships. Beyond it the oldest are queried again. */
const REMEMBERED_MAX = 50_000

/**
 * Checks membership before waiting for a room's lock, so that a stranger delays nobody. Simultaneous checks share a query, and
 * positive results are cached. The check is advisory: only the append itself decides.
 */
export function gatherMembers(db: Db): Env['isMember'] {
  const members = new Set<string>()
  const ask = askTogether(async (keys) => new Map((await store.membersAmong(db, keys)).map((key) => [key, true])))
  return async (roomId, userId) => {
    const key = `${roomId} ${userId}`
    if (members.has(key)) return true
    if (!(await ask(key))) return false
    for (const oldest of members) {
      if (members.size < REMEMBERED_MAX) break
      members.delete(oldest)
    }
    members.add(key)
    return true
  }
}
