import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Currency } from '../../../contract/money/coins.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { cryptoArrivals as arrivals, cryptoIndexes as indexes, cryptoPayments as payments } from '../../ground/db/schema/coins.ts'
import { isLeft, type Payment } from './store.ts'

/** Lists the account's expired requests that nobody paid, the lowest address first. */
export const listLeft = (db: Queryable, userId: string, currency: Currency, limit: number): Promise<Payment[]> =>
  db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), eq(payments.currency, currency), isNotNull(payments.addressIndex), isLeft))
    .orderBy(asc(payments.addressIndex))
    .limit(limit)

export type Wallet = 'bitcoin' | 'ethereum'

const isOf = (wallet: Wallet) => sql`(${payments.currency} = 'bitcoin') = ${wallet === 'bitcoin'}`

/** Counts addresses given out, those since the newest paid one, and the longest row of unpaid ones before a paid one. */
export async function readGap(db: Queryable, wallet: Wallet) {
  const { rows } = await db.execute<{ given: number; sinceLastPaid: number; longestUnpaid: number }>(sql`
    with paid as (
      select distinct ${payments.addressIndex} as place from ${payments}
      where ${isOf(wallet)} and ${payments.addressIndex} is not null
        and exists (select from ${arrivals} where ${arrivals.paymentId} = ${payments.id} and not ${arrivals.isGone})
    ), rows as (select place - coalesce(lag(place) over (order by place), -1) - 1 as unpaid from paid)
    select given::int, (given - 1 - coalesce((select max(place) from paid), -1))::int as "sinceLastPaid",
      coalesce((select max(unpaid) from rows), 0)::int as "longestUnpaid"
    from (select coalesce((select ${indexes.nextIndex} from ${indexes} where ${indexes.chain} = ${wallet}), 0) as given) g`)
  return rows[0] ?? { given: 0, sinceLastPaid: 0, longestUnpaid: 0 }
}
