import { sql } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'

/**
 * What money has come and gone for periods that end after a time, with the period that it is of. Periods of a deleted account end with
 * it. Payments of a year count once, of a month twelve times, so that sums stay whole numbers: twelfths of a cent a month.
 */
const moneyAfter = (time: Date) => sql`
  select m.user_id, m.tier, m.starts_at, least(m.ends_at, u.deleted_at) as ends_at, m.created_at,
    m.cents * case m.billing_period when 'yearly' then 1 else 12 end as twelfths
  from (
    select p.user_id, p.tier, p.billing_period, p.starts_at, p.ends_at, p.created_at, p.amount_cents as cents
      from ledger_entries p where p.kind = 'payment' and ${endsAfter(time)}
    union all select p.user_id, p.tier, p.billing_period, p.starts_at, p.ends_at, r.created_at, -r.amount_cents
      from ledger_entries p join ledger_entries r on r.refers_to = p.key and r.refers_to is not null and r.kind = 'refund'
      where p.kind = 'payment' and ${endsAfter(time)}) m
    left join users u on u.id = m.user_id and u.deleted_at is not null`

const endsAfter = (time: Date) => sql`(p.ends_at > ${time}::timestamptz or p.ends_at is null)`

/**
 * Returns what recurs at each of these times, which are in their order, in twelfths of a US cent a month, from what was written by then.
 * Reads the periods that end after the first time, once: what begins to count before a time, and has not ended, counts there.
 */
export async function sumRecurring(db: Queryable, times: Date[]): Promise<number[]> {
  const [first] = times
  if (!first) return []
  const places = sql`${sql.param(times.map((time) => time.toISOString()))}::timestamptz[]`
  // How many of the times lie before it. Times of the ledger are whole milliseconds.
  const placeOf = (time: ReturnType<typeof sql>) => sql`width_bucket(${time} - interval '1 microsecond', ${places})`
  const { rows } = await db.execute<{ begins: number; ends: number | null; twelfths: string }>(sql`
    select ${placeOf(sql`greatest(starts_at, created_at)`)} as begins,
      case when ends_at is not null then ${placeOf(sql`greatest(ends_at, starts_at, created_at)`)} end as ends,
      sum(twelfths) as twelfths
    from (${moneyAfter(first)}) money group by 1, 2`)
  return times.map((_, at) =>
    rows
      .filter(({ begins, ends }) => begins <= at && (ends === null || ends > at))
      .reduce((sum, row) => sum + Number(row.twelfths), 0),
  )
}

interface Running {
  /** Twelfths of a US cent that the running periods bring in a month. */
  twelfths: number
  premiumTwelfths: number
  /** Accounts that have paid for Premium, and were not paid back. */
  premiumSubscribers: number
}

/** Returns what recurs now. */
export async function sumRunning(db: Queryable, now: Date): Promise<Running> {
  const at = sql`${now}::timestamptz`
  const { rows } = await db.execute<{ twelfths: string; premium: string; subscribers: number }>(sql`
    select coalesce(sum(twelfths), 0) as twelfths, coalesce(sum(premium), 0) as premium,
      (count(*) filter (where premium > 0))::int as subscribers
    from (
      select sum(twelfths) as twelfths, sum(twelfths) filter (where tier = 'premium') as premium from (${moneyAfter(now)}) money
      where created_at <= ${at} and starts_at <= ${at} and (ends_at is null or ends_at > ${at})
      group by user_id) accounts`)
  const { twelfths = 0, premium = 0, subscribers = 0 } = rows[0] ?? {}
  return { twelfths: Number(twelfths), premiumTwelfths: Number(premium), premiumSubscribers: subscribers }
}

/** Returns what was paid and paid back in each UTC month since then, in US cents, by the first day of the month. */
export async function sumMonths(db: Queryable, since: Date): Promise<Map<string, { paid: number; refunded: number }>> {
  const { rows } = await db.execute<{ month: string; paid: string; refunded: string }>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-01') as month,
      coalesce(sum(amount_cents) filter (where kind = 'payment'), 0) as paid,
      coalesce(sum(amount_cents) filter (where kind = 'refund'), 0) as refunded
    from ledger_entries where created_at >= ${since}::timestamptz and kind in ('payment', 'refund')
    group by 1`)
  return new Map(rows.map(({ month, ...sums }) => [month, { paid: Number(sums.paid), refunded: Number(sums.refunded) }]))
}

/** Counts living accounts, and those whose running plan was given to them and not paid for since. */
export async function countAccounts(db: Queryable, now: Date): Promise<{ people: number; granted: number }> {
  const { rows } = await db.execute<{ people: number; granted: number }>(sql`
    select count(*)::int as people,
      (count(*) filter (where exists (select from plan_rights r where r.plan = u.subscription_tier and r.can_send)
        and (u.subscription_end_date is null or u.subscription_end_date > ${now}::timestamptz)
        and (select l.kind from ledger_entries l where l.user_id = u.id and l.kind in ('payment', 'grant') and l.tier = u.subscription_tier
          order by l.place desc limit 1) = 'grant'))::int as granted
    from users u where u.deleted_at is null`)
  return rows[0] ?? { people: 0, granted: 0 }
}
