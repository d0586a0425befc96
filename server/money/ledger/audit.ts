import type { Queryable } from '../../ground/db/connect.ts'
import { tierOf } from '../plans/plans.ts'
import { checkChain } from './entryChain.ts'
import { graceOf } from './ledger.ts'
import { standingAt } from './standing.ts'
import * as store from './store.ts'

const AT_ONCE = 1000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Computes the plan of every account anew from its entries, and compares it with the plan that counts. Also checks the chain of the ledger, and compares
 * the sums of income with the ledger, and the counts of plans and the list of administrators with the accounts. Returns how many accounts it has compared, and a line for each difference.
 */
export async function checkLedger(db: Queryable, now: Date): Promise<{ accounts: number; differences: string[] }> {
  const [chain, impossible, days, plans, unlisted, { accounts, differences }] = await Promise.all([
    checkChain(db),
    store.countImpossible(db),
    store.findWrongDays(db),
    store.findWrongCounts(db, now),
    store.countUnlisted(db),
    comparePlans(db, now),
  ])
  return {
    accounts,
    differences: [
      ...chain,
      ...(impossible > 0 ? [`${impossible} refunds are of no payment, or return more than was paid`] : []),
      ...days.map((day) => `the sums of income of ${day} are not those of the ledger`),
      ...plans.map((plan) => `the count of the plan ${plan} is not that of the accounts`),
      ...(unlisted > 0 ? [`${unlisted} accounts are otherwise in the list of administrators`] : []),
      ...differences,
    ],
  }
}

async function comparePlans(db: Queryable, now: Date): Promise<{ accounts: number; differences: string[] }> {
  const differences: string[] = []
  let [after, accounts] = [FIRST, 0]
  for (;;) {
    const rows = await store.listAccounts(db, after, now, AT_ONCE)
    const ids = rows.map(({ id }) => id)
    const [found, renewals] = await Promise.all([store.listEntries(db, ids), store.listRenewals(db, ids)])
    const entries = new Map<string, typeof found>(ids.map((id) => [id, []]))
    for (const entry of found) entries.get(entry.userId)?.push(entry)
    const renews = new Map(renewals.map((one) => [one.userId, one.renews]))
    for (const row of rows) {
      const { tier, packageId, endDate } = standingAt(entries.get(row.id) ?? [], now, graceOf(renews.get(row.id)))
      const said = inWords(tier, packageId, endDate)
      const isOver = row.subscriptionEndDate !== null && row.subscriptionEndDate <= now
      const counts = inWords(
        tierOf(row.effective),
        isOver ? null : row.subscriptionPackageId,
        isOver ? null : row.subscriptionEndDate,
      )
      if (said !== counts) differences.push(`${row.username}: the ledger says ${said}, the account has ${counts}`)
    }
    accounts += rows.length
    if (rows.length < AT_ONCE) return { accounts, differences }
    after = rows.at(-1)?.id ?? after
  }
}

/** Adds up the sums of income and the counts of plans anew, and writes the list of administrators anew. */
export const sumLedger = (db: Queryable): Promise<void> => store.sumAnew(db)

const inWords = (tier: string, packageId: string | null, end: Date | null): string =>
  [tier, packageId && `by package ${packageId}`, end && `until ${end.toISOString()}`].filter(Boolean).join(' ')
