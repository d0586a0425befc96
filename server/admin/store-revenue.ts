import { sql } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'

export interface Sums {
  /** The first day; null for all months before. */
  month: string | null
  /** US cents a month, in twelfths. */
  twelfths: number
  premiumTwelfths: number
  subscribers: number
  /** US cents. */
  paid: number
  refunded: number
}

/** Returns by how much the sums of each UTC month have risen, and of all before. A month without any is left out. */
export async function sumMonths(db: Queryable, since: Date, now: Date): Promise<Sums[]> {
  const { rows } = await db.execute<Sums & Record<string, unknown>>(sql`
    select case when at >= ${since}::timestamptz then to_char(at at time zone 'UTC', 'YYYY-MM-01') end as month,
      sum(recurring)::float8 as twelfths, sum(premium)::float8 as "premiumTwelfths", sum(subscribers)::float8 as subscribers,
      sum(paid)::float8 as paid, sum(refunded)::float8 as refunded
    from income where at <= ${now}::timestamptz group by 1`)
  return rows
}

/** Makes one row of each day that has several. Returns of how many days. */
export async function foldDays(db: Queryable, today: Date, atMost: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with days as (
      select date_trunc('day', at, 'UTC') as day from income where at < ${today}::timestamptz group by 1 having count(*) > 1 limit ${atMost}),
    gone as (
      delete from income i using days d where i.at >= d.day and i.at < d.day + interval '24 hours'
      returning d.day, i.recurring, i.premium, i.subscribers, i.paid, i.refunded)
    insert into income (at, recurring, premium, subscribers, paid, refunded)
    select day, sum(recurring), sum(premium), sum(subscribers), sum(paid), sum(refunded) from gone group by day`)
  return rowCount ?? 0
}

/** Counts living accounts, and those whose running plan was given to them and not paid for since. */
export async function countAccounts(db: Queryable, now: Date): Promise<{ people: number; granted: number }> {
  const { rows } = await db.execute<{ people: number; granted: number }>(sql`
    select (select coalesce(sum(people), 0)::int from plan_counts where at <= ${now}::timestamptz) as people, count(*)::int as granted
    from (select distinct user_id from ledger_entries where kind = 'grant') given join users u on u.id = given.user_id
    where u.deleted_at is null and exists (select from plan_rights r where r.plan = u.subscription_tier and r.can_send)
      and (u.subscription_end_date is null or u.subscription_end_date > ${now}::timestamptz)
      and (select l.kind from ledger_entries l where l.user_id = u.id and l.kind in ('payment', 'grant') and l.tier = u.subscription_tier
        order by l.place desc limit 1) = 'grant'`)
  return rows[0] ?? { people: 0, granted: 0 }
}
