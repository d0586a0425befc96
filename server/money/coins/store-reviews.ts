import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { ReviewReason } from '../../../contract/money/coinreviews.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { cryptoArrivals as arrivals, cryptoPayments as payments, cryptoReviews as reviews } from '../../ground/db/schema/coins.ts'
import { ledgerEntries as entries } from '../../ground/db/schema/ledger.ts'
import type { ArrivalRow } from './store.ts'

export type ReviewRow = typeof reviews.$inferSelect

/** Writes a review one time. */
export async function writeReview(tx: Queryable, review: typeof reviews.$inferInsert): Promise<void> {
  await tx.insert(reviews).values(review).onConflictDoNothing()
}

export async function findReview(tx: Queryable, id: string): Promise<ReviewRow | undefined> {
  const [row] = await tx.select().from(reviews).where(eq(reviews.id, id))
  return row
}

/** Includes closed reviews. */
export const listReviewsOf = (tx: Queryable, paymentIds: readonly string[]): Promise<ReviewRow[]> =>
  tx
    .select()
    .from(reviews)
    .where(inArray(reviews.paymentId, [...paymentIds]))

export async function closeReview(
  tx: Queryable,
  id: string,
  change: Pick<ReviewRow, 'outcome' | 'refundTransaction' | 'resolvedAt' | 'resolvedBy'>,
): Promise<void> {
  await tx.update(reviews).set(change).where(eq(reviews.id, id))
}

export async function closeOf(tx: Queryable, paymentId: string, reason: ReviewReason, now: Date): Promise<void> {
  await tx
    .update(reviews)
    .set({ outcome: 'returned', resolvedAt: now })
    .where(and(eq(reviews.paymentId, paymentId), eq(reviews.reason, reason), isNull(reviews.outcome)))
}

/** Lists the oldest first. */
export const listOpenReviews = (db: Queryable, limit: number, offset: number) =>
  db
    .select({
      review: reviews,
      payment: payments,
      username: users.username,
      isDeleted: sql<boolean>`${users.deletedAt} is not null`,
    })
    .from(reviews)
    .innerJoin(payments, eq(payments.id, reviews.paymentId))
    .innerJoin(users, eq(users.id, payments.userId))
    .where(isNull(reviews.outcome))
    .orderBy(asc(reviews.createdAt), asc(reviews.id))
    .limit(limit)
    .offset(offset)

export const countOpenReviews = (db: Queryable): Promise<number> => db.$count(reviews, isNull(reviews.outcome))

/** Keeps the order of arrival. */
export const listArrivalsOf = (db: Queryable, paymentIds: readonly string[]): Promise<ArrivalRow[]> =>
  db
    .select()
    .from(arrivals)
    .where(inArray(arrivals.paymentId, [...paymentIds]))
    .orderBy(asc(arrivals.firstSeenAt), asc(arrivals.reference), asc(arrivals.index))

export function findNamed(db: Queryable, named: string, limit: number) {
  const key = sql`'coin:' || ${payments.id}`
  const bought = sql`exists (select from ${entries} where ${entries.key} = ${key} and ${entries.kind} = 'payment')`
  const isBack = sql`exists (select from ${entries} where ${entries.refersTo} = ${key})`
  const isOfIt = and(inArray(arrivals.chain, ['bitcoin', 'ethereum']), eq(arrivals.reference, named.toLowerCase()))
  const paidBy = inArray(payments.id, db.select({ id: arrivals.paymentId }).from(arrivals).where(isOfIt))
  return db
    .select({ payment: payments, username: users.username, isRefundable: sql<boolean>`${bought} and not ${isBack}` })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
    .where(or(eq(sql`lower(${payments.paymentAddress})`, named.toLowerCase()), paidBy))
    .orderBy(asc(payments.createdAt), asc(payments.id))
    .limit(limit)
}
