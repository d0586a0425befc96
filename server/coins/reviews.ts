import { COINS, type Currency, type ReviewReason } from '../../contract/coins.ts'
import type { Db } from '../db/connect.ts'
import { amountOf } from './amounts.ts'
import { credit } from './look.ts'
import * as store from './store.ts'
import { closeReview, listOpenReviews, lockReview } from './store-reviews.ts'

/** Money that waits for a person. Amounts as people write them; of another token than the three in its smallest unit. */
export interface OpenReview {
  id: string
  reason: ReviewReason
  username: string
  paymentId: string
  /** What was asked for. */
  currency: Currency
  amount: string
  /** What this is about: a currency, or the contract of another token. */
  asset: string
  assetAmount: string
  paymentAddress: string
  /** Where the person wants it back, if they have said so. */
  walletAddress: string | null
  transactionHash: string | null
  createdAt: Date
}

/** Lists what waits for a person, the oldest first. */
export async function openReviews(db: Db, limit = 100): Promise<OpenReview[]> {
  return (await listOpenReviews(db, limit)).map(({ review, payment, username }) => ({
    ...{ id: review.id, reason: review.reason, username, paymentId: payment.id, currency: payment.currency },
    amount: amountOf(payment.currency, BigInt(payment.amount)),
    asset: review.asset,
    assetAmount: review.asset in COINS ? amountOf(review.asset as Currency, BigInt(review.units)) : review.units,
    ...{ paymentAddress: payment.paymentAddress, walletAddress: payment.walletAddress },
    ...{ transactionHash: payment.transactionHash, createdAt: review.createdAt },
  }))
}

/** The review cannot be closed so; the message says why. */
export class ReviewError extends Error {}

/**
 * Closes a review. `credited`: the plan is given for what came. `refunded`: the money was sent back by the operator's own wallet.
 * `kept`: nothing more is done. Throws ReviewError.
 */
export async function resolveReview(
  db: Db,
  now: Date,
  { reviewId, outcome, by }: { reviewId: string; outcome: 'credited' | 'refunded' | 'kept'; by: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const review = await lockReview(tx, reviewId)
    if (!review) throw new ReviewError('There is no such review')
    if (review.outcome) throw new ReviewError(`This review was closed before: ${review.outcome}`)
    const payment = await store.lockPayment(tx, review.paymentId)
    const rows = await store.listArrivals(tx, review.paymentId)
    const isCredited = rows.some((row) => row.isCredited)
    if (payment && outcome === 'credited') {
      if (isCredited) throw new ReviewError('The plan of this payment was credited before')
      const own = rows.filter(({ isGone, asset }) => !isGone && asset === payment.currency)
      if (own.length === 0) throw new ReviewError('Nothing has come in the currency of this payment')
      const units = own.map((row) => ({ id: row.id, units: BigInt(row.units) }))
      await credit(tx, payment, units, rows, now)
      await store.updatePayment(tx, payment.id, { status: 'confirmed', decided: 'confirmed', confirmedAt: now })
    }
    // Of a payment that was credited, what came beside it does not change its state.
    const without = outcome === 'refunded' ? 'refunded' : 'expired'
    if (payment && outcome !== 'credited' && !isCredited)
      await store.updatePayment(tx, payment.id, { status: without, decided: without })
    if (payment && outcome !== 'credited' && isCredited)
      await store.updatePayment(tx, payment.id, { status: 'confirmed', decided: 'confirmed' })
    await closeReview(tx, reviewId, { outcome, resolvedAt: now, resolvedBy: by })
  })
}
