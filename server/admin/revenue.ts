import type { z } from 'zod'
import type { adminApi } from '../../contract/admin/admin.ts'
import { ADMIN_LIMITS } from '../../contract/admin/adminlimits.ts'
import type { Env } from '../env.ts'
import { checkCard } from '../money/payments/card.ts'
import * as store from './store-revenue.ts'

const CENTS_IN_A_YEAR = 1200
const DAYS_AT_ONCE = 31
const dollars = (cents: number): number => cents / 100

/** The first instant of the UTC month so many months away. */
const monthFrom = (now: Date, months: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
const nameOf = (first: Date): string => first.toISOString().slice(0, 10)

type Revenue = z.input<typeof adminApi.revenueStats.output>

/** Reads the sums of income: a month's, and what recurs at its end, which for the current month is now. */
export async function readRevenue(env: Env): Promise<Revenue> {
  const now = env.clock()
  const firsts = Array.from({ length: ADMIN_LIMITS.revenueMonths }, (_, at) =>
    monthFrom(now, at + 1 - ADMIN_LIMITS.revenueMonths),
  )
  const [sums, { people, granted }] = await Promise.all([
    store.sumMonths(env.db, firsts[0] ?? now, now),
    store.countAccounts(env.db, now),
  ])
  const until = (last: string) => sums.filter(({ month }) => month === null || month <= last)
  const months = firsts.map(nameOf).map((month) => {
    const { paid, refunded } = sums.find((one) => one.month === month) ?? { paid: 0, refunded: 0 }
    return {
      month,
      recurring: total(until(month), 'twelfths') / CENTS_IN_A_YEAR,
      paid: dollars(paid),
      refunded: dollars(refunded),
    }
  })
  const monthlyRecurringRevenue = total(sums, 'twelfths') / CENTS_IN_A_YEAR
  return {
    ...{ monthlyRecurringRevenue, premiumMRR: total(sums, 'premiumTwelfths') / CENTS_IN_A_YEAR, granted },
    premiumSubscribers: total(sums, 'subscribers'),
    averageRevenuePerUser: people === 0 ? 0 : monthlyRecurringRevenue / people,
    months,
  }
}

const total = (sums: store.Sums[], what: 'twelfths' | 'premiumTwelfths' | 'subscribers'): number =>
  sums.reduce((sum, one) => sum + one[what], 0)

/** A piece of a job. */
export async function sumDays(env: Env): Promise<boolean> {
  const today = new Date(env.clock().setUTCHours(0, 0, 0, 0))
  return (await store.foldDays(env.db, today, DAYS_AT_ONCE)) === DAYS_AT_ONCE
}

/** Asks the card provider whether it answers. */
export async function checkCardProvider(env: Env): Promise<z.input<typeof adminApi.cardProvider.output>> {
  return { provider: env.card.provider, state: await checkCard(env.card), checkedAt: env.clock().toISOString() }
}
