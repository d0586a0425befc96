import { announceChange } from '../db/changes.ts'
import type { Db } from '../db/connect.ts'
import { setTier } from '../ledger/ledger.ts'
import { effectiveTier } from '../plans/plans.ts'
import { writeAudit } from './audit.ts'
import * as store from './store.ts'
import { lockAdministration } from './store-audit.ts'

// What the operator does from the command line. It stands in the audit trail without a name.

/** Makes the account an administrator. Returns its name in the original spelling; undefined if no account has it. */
export async function makeAdmin(db: Db, username: string): Promise<string | undefined> {
  return await db.transaction(async (tx) => {
    await lockAdministration(tx)
    const row = await store.findByName(tx, username)
    if (!row) return undefined
    await store.setAdmin(tx, row.id, true)
    const shown = { actorId: null, act: 'make-admin', subjectId: row.id } as const
    await writeAudit(tx, new Date(), { ...shown, before: { isAdmin: row.isAdmin }, after: { isAdmin: true } })
    await announceChange(tx, [row.id], 'rights')
    return row.username
  })
}

/** Gives the account a plan, as `setTier` does. Throws PlanError. */
export async function giveTier(db: Db, grant: Parameters<typeof setTier>[2]): Promise<string> {
  return await db.transaction(async (tx) => {
    await lockAdministration(tx)
    const [now, row] = [new Date(), await store.findByName(tx, grant.username)]
    const before = { tier: row ? await effectiveTier(tx, row.id, now) : 'free' }
    const named = await setTier(tx, now, grant)
    const shown = { actorId: null, act: 'subscription', ...(row && { subjectId: row.id }) } as const
    const endDate = grant.endDate?.toISOString() ?? null
    await writeAudit(tx, now, { ...shown, before, after: { tier: grant.tier, endDate } })
    return named
  })
}
