import type { z } from 'zod'
import type { adminApi } from '../../contract/admin/admin.ts'
import { ADMIN_LIMITS } from '../../contract/admin/adminlimits.ts'
import type { Env } from '../env.ts'
import { checkCard } from '../money/payments/card.ts'
import * as store from './store-revenue.ts'

const CENTS_IN_A_YEAR = 1200
const DAY_MS = 24 * 60 * 60 * 1000
const dollars = (cents: number): number => cents / 100

/** The first instant of the UTC month so many months away. */
const monthFrom = (now: Date, months: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
const nameOf = (first: Date): string => first.toISOString().slice(0, 10)

type Revenue = z.input<typeof adminApi.revenueStats.output>
type Month = Revenue['months'][number]

/** Months that are over, by their first day, as this process has read them from the ledger. */
export type ReadMonths = Map<string, Month>

/**
 * Sums up what the ledger says of income. A month that is over never changes, so `read` keeps it from the day after, when whatever was
 * begun in it has been written; of the ledger only the other months are read.
 */
export async function readRevenue(env: Env, read: ReadMonths): Promise<Revenue> {
  const [now, known] = [env.clock(), new Map(read)]
  const firsts = Array.from({ length: ADMIN_LIMITS.revenueMonths }, (_, at) =>
    monthFrom(now, at + 1 - ADMIN_LIMITS.revenueMonths),
  )
  const missing = firsts.filter((first) => !known.has(nameOf(first)))
  const over = missing.slice(0, -1)
  const [recurring, running, sums, { people, granted }] = await Promise.all([
    store.sumRecurring(
      env.db,
      over.map((first) => new Date(monthFrom(first, 1).getTime() - 1)),
    ),
    store.sumRunning(env.db, now),
    store.sumMonths(env.db, missing[0] ?? now),
    store.countAccounts(env.db, now),
  ])
  const months = firsts.map((first): Month => {
    const [month, at] = [nameOf(first), over.indexOf(first)]
    const { paid, refunded } = sums.get(month) ?? { paid: 0, refunded: 0 }
    const twelfths = recurring[at] ?? running.twelfths
    return known.get(month) ?? { month, recurring: twelfths / CENTS_IN_A_YEAR, paid: dollars(paid), refunded: dollars(refunded) }
  })
  read.clear()
  for (const month of months)
    if (monthFrom(new Date(month.month), 1).getTime() + DAY_MS <= now.getTime()) read.set(month.month, month)
  const monthlyRecurringRevenue = running.twelfths / CENTS_IN_A_YEAR
  return {
    ...{ monthlyRecurringRevenue, premiumMRR: running.premiumTwelfths / CENTS_IN_A_YEAR, granted },
    premiumSubscribers: running.premiumSubscribers,
    averageRevenuePerUser: people === 0 ? 0 : monthlyRecurringRevenue / people,
    months,
  }
}

/** Asks the card provider whether it answers. */
export async function checkCardProvider(env: Env): Promise<z.input<typeof adminApi.cardProvider.output>> {
  return { provider: env.card.provider, state: await checkCard(env.card), checkedAt: env.clock().toISOString() }
}
