import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'

export interface PaymentRow {
  place: number
  key: string
  userId: string
  username: string | null
  tier: string
  packageName: string | null
  billingPeriod: 'monthly' | 'yearly' | null
  amountCents: number
  /** As the database writes it, like the other times. */
  paidAt: string
  startsAt: string
  endsAt: string | null
  reference: string | null
}

/** A user id, or what the provider calls the customer, the invoice, the payment, or what was paid back; else a username. */
function isNamed(named: string): SQL {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named)) return sql`p.user_id = ${named}::uuid`
  if (named.startsWith('cus_')) return sql`p.user_id in (select user_id from card_accounts where customer_id = ${named})`
  if (named.startsWith('in_')) return sql`p.key = ${`card:${named}`}`
  if (named.startsWith('pi_')) return sql`p.reference = ${named}`
  if (/^(re|pyr|dp|du)_/.test(named)) return sql`p.key in (select refers_to from ledger_entries where reference = ${named})`
  return sql`p.user_id in (select id from users where lower(username) = ${named.replace(/^@/, '').toLowerCase()} and deleted_at is null)`
}

/** Lists card payments, the newest first, before that place. */
export async function listPayments(
  db: Queryable,
  { named, before, limit }: { named?: string | undefined; before?: number | undefined; limit: number },
): Promise<PaymentRow[]> {
  const { rows } = await db.execute<PaymentRow & Record<string, unknown>>(sql`
    select p.place::float8 as place, p.key, p.user_id as "userId", case when u.deleted_at is null then u.username end as username,
      p.tier, g.name as "packageName", p.billing_period as "billingPeriod", p.amount_cents::float8 as "amountCents",
      p.created_at as "paidAt", p.starts_at as "startsAt", p.ends_at as "endsAt", p.reference
    from ledger_entries p join users u on u.id = p.user_id left join premium_packages g on g.id = p.package_id
    where p.kind = 'payment' and p.source = 'card' and ${named === undefined ? sql`true` : isNamed(named)}
      and p.place < ${before ?? Number.MAX_SAFE_INTEGER}
    order by p.place desc limit ${limit}`)
  return rows
}

export interface ReturnRow {
  refersTo: string
  kind: 'refund' | 'refund_failed' | 'dispute' | 'dispute_won'
  amountCents: number
  at: string
  reference: string | null
}

/** Lists what was paid back or disputed of these payments, the oldest first. */
export async function listReturns(db: Queryable, keys: string[]): Promise<ReturnRow[]> {
  if (keys.length === 0) return []
  const { rows } = await db.execute<ReturnRow & Record<string, unknown>>(sql`
    select refers_to as "refersTo", kind, amount_cents::float8 as "amountCents", created_at as at, reference
    from ledger_entries where refers_to in ${keys} and returned(kind, amount_cents) <> 0 order by place`)
  return rows
}
