import type { Env } from '../../env.ts'
import { askTogether } from '../../ground/db/askTogether.ts'
import type { Db } from '../../ground/db/connect.ts'
import * as store from './store.ts'

const REMEMBERED_MAX = 50_000

/** Keeps strangers away from the room's lock; the append itself decides. Caches members. */
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
