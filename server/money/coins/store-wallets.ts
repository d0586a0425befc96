import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { AddressFilter } from '../../../contract/money/coinaddresses.ts'
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

/** Returns a page of the addresses given out, the newest first, as JSON that PostgreSQL writes. */
export async function readAddresses(db: Queryable, { only, beforeMs, beforeId }: AddressFilter, atMost: number): Promise<string> {
  const came = sql`exists (select from crypto_arrivals a where a.payment_id = p.id and not a.is_gone)`
  const { rows } = await db.execute<{ answer: string }>(sql`
    with found as (
      select p.* from crypto_payments p
      where (p.created_at, p.id) < (${new Date(beforeMs)}::timestamptz, ${beforeId}::uuid) and ${only ? came : sql`true`}
      order by p.created_at desc, p.id desc limit ${atMost + 1}),
    shown as (
      select p.created_at, p.id, json_build_object(
        'id', p.id, 'addressIndex', p.address_index, 'address', p.payment_address, 'currency', p.currency, 'status', p.status,
        'receivedUnits', coalesce(c.units, 0)::text, 'hasOther', coalesce(c.other, false),
        'at', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as address
      from (select * from found order by created_at desc, id desc limit ${atMost}) p cross join lateral (
        select sum(a.units::numeric) filter (where a.asset = p.currency) as units, bool_or(a.asset <> p.currency) as other
        from crypto_arrivals a where a.payment_id = p.id and not a.is_gone) c)
    select json_build_object('addresses', coalesce((select json_agg(address order by created_at desc, id desc) from shown), '[]'::json),
      'hasMore', (select count(*) from found) > ${atMost})::text as answer`)
  return rows[0]?.answer ?? ''
}
