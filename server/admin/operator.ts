import type { ReviewOutcome } from '../../contract/money/coinreviews.ts'
import { announceChange } from '../ground/db/changes.ts'
import type { Db } from '../ground/db/connect.ts'
import { checkGrant, setTier } from '../money/ledger/ledger.ts'
import { endCard } from '../money/payments/endCard.ts'
import type { CardEnv } from '../money/payments/sync.ts'
import { effectiveTier } from '../money/plans/plans.ts'
import { writeAudit } from './audit.ts'
import { settleIn } from './coins.ts'
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

/**
 * Gives the account a plan, as `setTier` does. The card is billed no more, which the provider is told first.
 * Throws PlanError, and Refusal where the provider does not answer.
 */
export async function giveTier(env: CardEnv, grant: Parameters<typeof setTier>[2]): Promise<string> {
  const { userId } = await checkGrant(env.db, env.clock(), grant)
  const isCardEnded = await endCard(env, userId, { atEnd: true })
  return await env.db.transaction(async (tx) => {
    await lockAdministration(tx)
    const [now, row] = [env.clock(), await store.findByName(tx, grant.username)]
    const before = { tier: row ? await effectiveTier(tx, row.id, now) : 'free' }
    const named = await setTier(tx, now, grant)
    const shown = { actorId: null, act: 'subscription', ...(row && { subjectId: row.id }) } as const
    const endDate = grant.endDate?.toISOString() ?? null
    await writeAudit(tx, now, { ...shown, before, after: { tier: grant.tier, endDate, ...(isCardEnded && { isCardEnded }) } })
    return named
  })
}

/** Closes a review of a payment in coins. Throws Refusal. */
export async function settleCoins(
  db: Db,
  settlement: { reviewId: string; outcome: ReviewOutcome; transactionHash?: string | undefined },
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockAdministration(tx)
    await settleIn(tx, new Date(), { ...settlement, by: 'operator' }, null)
  })
}
