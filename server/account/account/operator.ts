import type { Db } from '../../ground/db/connect.ts'
import { deleteSessionsOf } from '../../identity/sessions/sessions.ts'
import * as store from './store.ts'

/** Ends every session of the account, for the operator. Returns undefined if no account has the name. */
export async function endSessions(db: Db, username: string): Promise<{ username: string; count: number } | undefined> {
  return await db.transaction(async (tx) => {
    const row = await store.findByUsername(tx, username)
    if (!row) return undefined
    return { username: row.username, count: (await deleteSessionsOf(tx, row.id)).length }
  })
}
