import { announceChange } from '../db/changes.ts'
import type { Db } from '../db/connect.ts'
import { deleteSessionsOf } from '../sessions/sessions.ts'
import * as store from './store.ts'

// The operator's commands on an account. Each returns undefined if no account has the name, and announces its change, so that
// open pages reload.

/** Makes the account an administrator. Returns its name in the original spelling. */
export async function makeAdmin(db: Db, username: string): Promise<string | undefined> {
  return await db.transaction(async (tx) => {
    const row = await store.findByUsername(tx, username)
    if (!row) return undefined
    await store.setAdmin(tx, row.id)
    await announceChange(tx, [row.id], 'rights')
    return row.username
  })
}

/** Ends every session of the account. */
export async function endSessions(db: Db, username: string): Promise<{ username: string; count: number } | undefined> {
  return await db.transaction(async (tx) => {
    const row = await store.findByUsername(tx, username)
    if (!row) return undefined
    return { username: row.username, count: (await deleteSessionsOf(tx, row.id)).length }
  })
}
