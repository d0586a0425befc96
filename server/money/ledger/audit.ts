import type { Queryable } from '../../ground/db/connect.ts'
import { tierOf } from '../plans/plans.ts'
import { checkChain } from './chain.ts'
import { graceOf } from './ledger.ts'
import { standingAt } from './standing.ts'
import * as store from './store.ts'

const AT_ONCE = 1000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Computes the plan of every account anew from its entries, and compares it with the plan that counts. Also compares
 * the sums of income with the ledger, and the counts of plans and the list of administrators with the accounts. Returns how many accounts it has compared, and a line for each difference.
 */
export async function checkLedger(db: Queryable, now: Date): Promise<{ accounts: number; differences: string[] }> {
  const differences = await checkChain(db)
  const impossible = await store.countImpossible(db)
  if (impossible > 0) differences.push(`${impossible} refunds are of no payment, or return more than was paid`)
  for (const day of await store.findWrongDays(db)) differences.push(`the sums of income of ${day} are not those of the ledger`)
  for (const plan of await store.findWrongCounts(db, now))
    differences.push(`the count of the plan ${plan} is not that of the accounts`)
  const unlisted = await store.countUnlisted(db)
  if (unlisted > 0) differences.push(`${unlisted} accounts are otherwise in the list of administrators`)
  let [after, accounts] = [FIRST, 0]
  for (;;) {
    const rows = await store.listAccounts(db, after, now, AT_ONCE)
    const ids = rows.map(({ id }) => id)
    const entries = new Map<string, store.EntryRow[]>(ids.map((id) => [id, []]))
    for (const entry of await store.listEntries(db, ids)) entries.get(entry.userId)?.push(entry)
    const renewals = new Map((await store.listRenewals(db, ids)).map(({ userId, renews }) => [userId, renews]))
    for (const row of rows) {
      const { tier, packageId, endDate } = standingAt(entries.get(row.id) ?? [], now, graceOf(renewals.get(row.id)))
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
