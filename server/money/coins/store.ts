import { and, asc, desc, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Currency } from '../../../contract/money/coins.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { cryptoArrivals as arrivals, cryptoIndexes as indexes, cryptoPayments as payments } from '../../ground/db/schema/coins.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { premiumPackages as packages } from '../../ground/db/schema/plans.ts'

export type Payment = typeof payments.$inferSelect
export type ArrivalRow = typeof arrivals.$inferSelect

/** Nothing has ever been seen at the address. */
export const isLeft = and(
  ...[eq(payments.status, 'expired'), eq(payments.received, '0'), isNull(payments.decided), isNull(payments.namedTransaction)],
  sql`not exists (select from ${arrivals} where ${arrivals.paymentId} = ${payments.id})`,
)

const isOpen = inArray(payments.status, ['pending', 'confirming'])

/** A package without messages is not sold. */
const isSold = and(eq(packages.isActive, true), ne(packages.messagesLimit, 0), ne(packages.tier, 'free'))

/** Returns undefined for a package or period without a sale. */
export async function findSold(db: Queryable, packageId: string, period: Payment['billingPeriod']) {
  const cents = period === 'yearly' ? packages.yearlyPrice : packages.monthlyPrice
  const [row] = await db
    .select({ tier: packages.tier, cents })
    .from(packages)
    .where(and(eq(packages.id, packageId), gt(cents, 0), isSold))
  return row
}

export const listSold = (db: Queryable, limit: number) =>
  db
    .select({
      id: packages.id,
      name: packages.name,
      monthlyPrice: sql<number | null>`nullif(${packages.monthlyPrice}, 0)`,
      yearlyPrice: sql<number | null>`nullif(${packages.yearlyPrice}, 0)`,
    })
    .from(packages)
    .where(isSold)
    .orderBy(asc(packages.displayOrder), asc(packages.id))
    .limit(limit)

/** Takes the number for good. */
export async function takeIndex(db: Queryable, chain: 'bitcoin' | 'ethereum'): Promise<number> {
  const [row] = await db
    .insert(indexes)
    .values({ chain, nextIndex: 1 })
    .onConflictDoUpdate({ target: indexes.chain, set: { nextIndex: sql`${indexes.nextIndex} + 1` } })
    .returning({ nextIndex: indexes.nextIndex })
  return (row?.nextIndex ?? 1) - 1
}

export async function readChosen(db: Queryable, userId: string) {
  const chosen = { preferred: users.preferredCryptoCurrency, walletAddress: users.cryptoWalletAddress }
  return (await db.select(chosen).from(users).where(eq(users.id, userId)))[0]
}

/** Locks the account. */
export async function noteChosen(tx: Queryable, userId: string, currency: Currency, walletAddress: string | null): Promise<void> {
  const chosen = { preferredCryptoCurrency: currency, cryptoWalletAddress: walletAddress }
  await tx.update(users).set(chosen).where(eq(users.id, userId))
}

export const countOpen = (db: Queryable, userId: string): Promise<number> =>
  db.$count(payments, and(eq(payments.userId, userId), isOpen))

export async function insertPayment(tx: Queryable, payment: typeof payments.$inferInsert): Promise<Payment> {
  const [row] = await tx.insert(payments).values(payment).returning()
  if (!row) throw new Error('A payment was not written')
  return row
}

/** Asks for another payment at the address of one that nobody paid. Returns undefined if it is that no more. */
export async function askAgain(
  tx: Queryable,
  { id, looks }: Pick<Payment, 'id' | 'looks'>,
  request: Omit<typeof payments.$inferInsert, 'id'>,
): Promise<Payment | undefined> {
  const anew = { status: 'pending' as const, nativeUnits: '0', blockConfirmations: 0, transactionHash: null, confirmedAt: null }
  const [row] = await tx
    .update(payments)
    .set({ ...request, ...anew, lookedAt: null, looks: looks + 1 })
    .where(and(eq(payments.id, id), eq(payments.looks, looks), isLeft))
    .returning()
  return row
}

interface Wanted {
  userId: string
  packageId: string | null
  tier: string
  currency: Currency
  billingPeriod: Payment['billingPeriod']
}

/** Returns an untouched request that lasts beyond `until`. */
export async function findSame(db: Queryable, wanted: Wanted, until: Date): Promise<Payment | undefined> {
  const isSame = and(
    ...[eq(payments.userId, wanted.userId), eq(payments.tier, wanted.tier)],
    wanted.packageId === null ? isNull(payments.packageId) : eq(payments.packageId, wanted.packageId),
    ...[eq(payments.currency, wanted.currency), eq(payments.billingPeriod, wanted.billingPeriod)],
    ...[eq(payments.status, 'pending'), eq(payments.received, '0'), sql`${payments.expiresAt} > ${until}`],
  )
  const [row] = await db.select().from(payments).where(isSame).orderBy(desc(payments.createdAt)).limit(1)
  return row
}

export async function findOwn(db: Queryable, userId: string, id: string): Promise<Payment | undefined> {
  const [row] = await db
    .select()
    .from(payments)
    .where(and(eq(payments.id, id), eq(payments.userId, userId)))
  return row
}

/** Omits older unpaid ones. */
export const listOwn = (db: Queryable, userId: string, before: Date, limit: number): Promise<Payment[]> =>
  db
    .select()
    .from(payments)
    .where(and(eq(payments.userId, userId), or(ne(payments.status, 'expired'), gt(payments.createdAt, before))))
    .orderBy(desc(payments.createdAt))
    .limit(limit)

export async function findPayment(db: Queryable, id: string): Promise<Payment | undefined> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id))
  return row
}

/** Lists requests since then, by id. */
export const listFrom = (db: Queryable, since: Date | undefined, after: string | undefined, limit: number): Promise<Payment[]> =>
  db
    .select()
    .from(payments)
    .where(and(since && gt(payments.createdAt, since), after === undefined ? undefined : gt(payments.id, after)))
    .orderBy(asc(payments.id))
    .limit(limit)

export const isCredited = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.$count(ledgerEntries, eq(ledgerEntries.key, `coin:${id}`))) > 0

export async function lockPayment(tx: Queryable, id: string): Promise<Payment | undefined> {
  const [row] = await tx.select().from(payments).where(eq(payments.id, id)).for('update')
  return row
}

export async function lockPayer(tx: Queryable, userId: string): Promise<{ isDeleted: boolean; isBlocked: boolean }> {
  const [row] = await tx
    .select({ deletedAt: users.deletedAt, isActive: users.isActive })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  return { isDeleted: row?.deletedAt !== null, isBlocked: row?.isActive !== true }
}

/** Who waits now comes first. */
const isOld = sql`${payments.status} not in ('pending', 'confirming')`

export const listDue = (db: Queryable, now: Date, limit: number): Promise<Payment[]> =>
  db.select().from(payments).where(lte(payments.nextLookAt, now)).orderBy(isOld, asc(payments.nextLookAt)).limit(limit)

/** Lists in no order: one that fails keeps no other waiting. */
export const listEndingCard = (db: Queryable, limit: number): Promise<Payment[]> =>
  db.select().from(payments).where(sql`${payments.endsCard} in ('due', 'same')`).orderBy(sql`random()`).limit(limit)

/** The node does not answer. */
export async function putOff(db: Queryable, id: string, nextLookAt: Date): Promise<void> {
  await db.update(payments).set({ nextLookAt }).where(eq(payments.id, id))
}

export async function updatePayment(tx: Queryable, id: string, change: Partial<Payment>): Promise<void> {
  await tx.update(payments).set(change).where(eq(payments.id, id))
}

/** Keeps the order in which arrivals count. */
export const listArrivals = (db: Queryable, paymentId: string): Promise<ArrivalRow[]> =>
  db
    .select()
    .from(arrivals)
    .where(eq(arrivals.paymentId, paymentId))
    .orderBy(sql`${arrivals.height} nulls last`, asc(arrivals.firstSeenAt), asc(arrivals.reference), asc(arrivals.index))

/** Leaves an arrival of another payment there. */
export async function writeArrival(tx: Queryable, arrival: typeof arrivals.$inferInsert): Promise<void> {
  const { height = null, blockHash = null } = arrival
  await tx
    .insert(arrivals)
    .values(arrival)
    .onConflictDoUpdate({
      target: [arrivals.chain, arrivals.reference, arrivals.index],
      set: { height, blockHash, isGone: false },
      setWhere: eq(arrivals.paymentId, arrival.paymentId),
    })
}

export async function markGone(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .update(arrivals)
    .set({ isGone: true, height: null, blockHash: null })
    .where(and(inArray(arrivals.id, [...ids]), ne(arrivals.isGone, true)))
}

export async function markLate(tx: Queryable, paymentId: string, references: readonly string[]): Promise<void> {
  if (references.length === 0) return
  await tx
    .update(arrivals)
    .set({ isInTime: false })
    .where(and(eq(arrivals.paymentId, paymentId), inArray(arrivals.reference, [...references]), eq(arrivals.isCredited, false)))
}

export async function markCredited(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .update(arrivals)
      .set({ isCredited: true })
      .where(inArray(arrivals.id, [...ids]))
}
