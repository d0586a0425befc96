import { and, asc, eq, isNull } from 'drizzle-orm'
import type { ReviewReason } from '../../contract/coins.ts'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema/account.ts'
import { cryptoPayments as payments, cryptoReviews as reviews } from '../db/schema/coins.ts'

export type ReviewRow = typeof reviews.$inferSelect

/** Notes what a person has to look at, once. */
export async function writeReview(tx: Queryable, review: typeof reviews.$inferInsert): Promise<void> {
  await tx.insert(reviews).values(review).onConflictDoNothing()
}

export async function lockReview(tx: Queryable, id: string): Promise<ReviewRow | undefined> {
  const [row] = await tx.select().from(reviews).where(eq(reviews.id, id)).for('update')
  return row
}

export async function closeReview(
  tx: Queryable,
  id: string,
  change: Pick<ReviewRow, 'outcome' | 'resolvedAt' | 'resolvedBy'>,
): Promise<void> {
  await tx.update(reviews).set(change).where(eq(reviews.id, id))
}

/** Closes the open reviews of a payment with that reason. */
export async function closeOf(tx: Queryable, paymentId: string, reason: ReviewReason, now: Date): Promise<void> {
  await tx
    .update(reviews)
    .set({ outcome: 'returned', resolvedAt: now })
    .where(and(eq(reviews.paymentId, paymentId), eq(reviews.reason, reason), isNull(reviews.outcome)))
}

/** What waits for a person, the oldest first, with the payment and the account. */
export const listOpenReviews = (db: Queryable, limit: number) =>
  db
    .select({ review: reviews, payment: payments, username: users.username })
    .from(reviews)
    .innerJoin(payments, eq(payments.id, reviews.paymentId))
    .innerJoin(users, eq(users.id, payments.userId))
    .where(isNull(reviews.outcome))
    .orderBy(asc(reviews.createdAt), asc(reviews.id))
    .limit(limit)
