import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { businessDetails, receiptCounters, receipts } from '../../ground/db/schema/receipts.ts'

export type ReceiptRow = typeof receipts.$inferSelect
export type DetailsRow = typeof businessDetails.$inferSelect

const { name, value } = receiptCounters

/** Returns undefined if another transaction has it. */
export async function takeCounter(tx: Queryable, counter: string): Promise<number | undefined> {
  await tx.insert(receiptCounters).values({ name: counter, value: 0 }).onConflictDoNothing()
  const [row] = await tx.select({ value }).from(receiptCounters).where(eq(name, counter)).for('update', { skipLocked: true })
  return row?.value
}

export async function nextNumber(tx: Queryable, counter: string): Promise<number> {
  const [row] = await tx
    .insert(receiptCounters)
    .values({ name: counter, value: 1 })
    .onConflictDoUpdate({ target: name, set: { value: sql`${value} + 1` } })
    .returning({ value })
  if (!row) throw new Error('A counter gave no number')
  return row.value
}

export async function saveCounter(tx: Queryable, counter: string, next: number): Promise<void> {
  await tx.update(receiptCounters).set({ value: next }).where(eq(name, counter))
}

export interface LinkedEntry {
  seq: number
  userId: string
  kind: string
  source: 'card' | 'coin' | 'operator'
  /** Null without a card. */
  isLive: boolean | null
  tier: string
  packageName: string | null
  billingPeriod: 'monthly' | 'yearly' | null
  /** As the database writes it. */
  startsAt: string
  endsAt: string | null
  createdAt: string
  amountCents: number
  taxCents: number | null
  coin: 'bitcoin' | 'ethereum' | 'usdc' | null
  coinUnits: string | null
  rate: string | null
  reference: string | null
  /** The link of the payment that was returned. */
  paidSeq: number | null
}

/** Lists entries after that link. What was returned has its payment's period. What came in coins beyond the price paid for nothing. */
export async function listEntries(tx: Queryable, seq: number, atMost: number): Promise<LinkedEntry[]> {
  const { rows } = await tx.execute<LinkedEntry & Record<string, unknown>>(sql`
    select c.seq::float8 as seq, e.user_id as "userId", e.kind, e.source, v.is_live as "isLive",
      e.tier, g.name as "packageName", p.billing_period as "billingPeriod", p.starts_at as "startsAt", p.ends_at as "endsAt",
      e.created_at as "createdAt", e.amount_cents::float8 as "amountCents", e.tax_cents::float8 as "taxCents", e.coin,
      case when e.coin_units is not null then least(e.coin_units::numeric, k.amount::numeric)::text end as "coinUnits", k.rate, e.reference, pc.seq::float8 as "paidSeq"
    from ledger_chain c join ledger_entries e on e.place = c.place
      join ledger_entries p on p.key = coalesce(e.refers_to, e.key)
      left join ledger_chain pc on pc.place = p.place and e.refers_to is not null
      left join card_providers v on v.id = e.provider_id
      left join premium_packages g on g.id = e.package_id
      left join crypto_payments k on k.id = case when p.key ~ '^coin:[0-9a-f-]{36}$' then substr(p.key, 6)::uuid end
    where c.seq > ${seq} order by c.seq limit ${atMost}`)
  return rows
}

/** Waits for a deletion of the account, and keeps one waiting. Returns false after one. */
export async function holdAccount(tx: Queryable, userId: string): Promise<boolean> {
  const [row] = await tx.select({ deletedAt: users.deletedAt }).from(users).where(eq(users.id, userId)).for('key share')
  return row?.deletedAt === null
}

export async function insertReceipt(tx: Queryable, row: ReceiptRow): Promise<void> {
  await tx.insert(receipts).values(row)
}

export async function findReceipt(tx: Queryable, seq: number): Promise<ReceiptRow | undefined> {
  return (await tx.select().from(receipts).where(eq(receipts.seq, seq)))[0]
}

export async function isBehind(db: Queryable, counter: string): Promise<boolean> {
  const { rows } = await db.execute<{ is: boolean }>(sql`
    select coalesce((select max(seq) from ledger_chain), 0) > coalesce((select value from receipt_counters where name = ${counter}), 0) as is`)
  return rows[0]?.is ?? false
}

interface Page {
  /** Whose; absent for all. */
  userId?: string
  number?: string | undefined
  before?: number | undefined
  limit: number
}

/** Lists the newest first. */
export const listReceipts = (db: Queryable, { userId, number, before, limit }: Page): Promise<ReceiptRow[]> =>
  db
    .select()
    .from(receipts)
    .where(
      and(
        userId === undefined ? undefined : eq(receipts.userId, userId),
        number === undefined ? undefined : eq(receipts.number, number),
        before === undefined ? undefined : lt(receipts.seq, before),
      ),
    )
    .orderBy(desc(receipts.seq))
    .limit(limit)

export async function deleteBefore(db: Queryable, issuedAt: Date): Promise<void> {
  await db.delete(receipts).where(lt(receipts.issuedAt, issuedAt))
}

export async function forgetAccount(tx: Queryable, userId: string): Promise<void> {
  await tx.update(receipts).set({ userId: null }).where(eq(receipts.userId, userId))
  await deleteDetails(tx, userId)
}

export async function findDetails(db: Queryable, userId: string): Promise<DetailsRow | undefined> {
  return (await db.select().from(businessDetails).where(eq(businessDetails.userId, userId)))[0]
}

export async function saveDetails(db: Queryable, row: DetailsRow): Promise<void> {
  await db.insert(businessDetails).values(row).onConflictDoUpdate({ target: businessDetails.userId, set: row })
}

export async function deleteDetails(db: Queryable, userId: string): Promise<void> {
  await db.delete(businessDetails).where(eq(businessDetails.userId, userId))
}
