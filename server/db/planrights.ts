import { sql } from 'drizzle-orm'
import { PLANS, PLANS_VERSION } from '../../contract/plans.ts'
import type { Queryable } from './connect.ts'
import { planRights } from './schema/plans.ts'

/** Writes the contract's plans as rows, unless a newer server has already written a newer version of the table. */
export async function writePlanRights(db: Queryable): Promise<void> {
  const rows = Object.entries(PLANS).map(([plan, { rights, messagesPerMonth, fileBytes }]) => ({
    plan,
    version: PLANS_VERSION,
    canSend: rights.send,
    canCall: rights.call,
    canShareFiles: rights.shareFiles,
    hasFamily: rights.family,
    messagesPerMonth,
    fileBytes,
  }))
  await db
    .insert(planRights)
    .values(rows)
    .onConflictDoUpdate({
      target: planRights.plan,
      set: {
        version: sql`excluded.version`,
        canSend: sql`excluded.can_send`,
        canCall: sql`excluded.can_call`,
        canShareFiles: sql`excluded.can_share_files`,
        hasFamily: sql`excluded.has_family`,
        messagesPerMonth: sql`excluded.messages_per_month`,
        fileBytes: sql`excluded.file_bytes`,
      },
      setWhere: sql`${planRights.version} < excluded.version`,
    })
}
