import {
  type CoinReview,
  type PaidPayment,
  REVIEW_TRANSACTIONS,
  type ReviewOutcome,
  type ReviewReason,
} from '../../../contract/money/coinreviews.ts'
import { COINS, type Currency } from '../../../contract/money/coins.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { writeReturn } from '../ledger/ledger.ts'
import { amountOf, centsFor } from './amounts.ts'
import { asWritten } from './namedPayment.ts'
import * as store from './store.ts'
import * as list from './store-reviews.ts'
import { credit } from './watchPayments.ts'

/** Lists the oldest first. */
export async function listReviews(db: Queryable, limit: number, offset = 0): Promise<CoinReview[]> {
  const rows = await list.listOpenReviews(db, limit, offset)
  const ids = rows.map(({ payment }) => payment.id)
  const [arrivals, reviews] = [await list.listArrivalsOf(db, ids), await list.listReviewsOf(db, ids)]
  return rows.map(({ review, payment, username, isDeleted }) => {
    const isOfIt = ({ paymentId }: { paymentId: string }) => paymentId === payment.id
    const own = arrivals.filter(isOfIt)
    const isOwn = review.asset === payment.currency
    return {
      ...{ id: review.id, reason: review.reason, ...shownOf(payment, username), noticedAt: review.createdAt.toISOString() },
      asset: review.asset,
      assetAmount: review.asset in COINS ? amountOf(review.asset as Currency, BigInt(review.units)) : review.units,
      assetCents: isOwn ? centsFor(payment.currency, BigInt(review.units), BigInt(payment.rate)) : null,
      transactions: [
        ...new Set(
          own
            .filter(({ id, asset }) => (review.about === payment.id ? asset === review.asset : id === review.about))
            .map(({ reference }) => reference),
        ),
      ].slice(0, REVIEW_TRANSACTIONS),
      outcomes: outcomesFor(review.reason, payment, own, reviews.filter(isOfIt), isDeleted),
    }
  })
}

export const countReviews = list.countOpenReviews

const shownOf = (payment: store.Payment, username: string) => ({
  ...{ payer: { id: payment.userId, username }, paymentId: payment.id, currency: payment.currency, status: payment.status },
  ...{ amount: amountOf(payment.currency, BigInt(payment.amount)), usdCents: payment.usdCents },
  ...{ paymentAddress: payment.paymentAddress, addressIndex: payment.addressIndex, walletAddress: payment.walletAddress },
  createdAt: payment.createdAt.toISOString(),
})

/** Considers all arrivals and reviews of the payment. */
function outcomesFor(
  reason: ReviewReason,
  payment: store.Payment,
  arrivals: readonly store.ArrivalRow[],
  reviews: readonly list.ReviewRow[],
  isDeleted: boolean,
): ReviewOutcome[] {
  if (reason === 'reorganised') return ['withdrawn', 'kept']
  const isCredited = arrivals.some((each) => each.isCredited)
  // Money sent back cannot count again.
  const isSentBack = reviews.some(({ outcome, asset }) => outcome === 'refunded' && asset === payment.currency)
  const canCredit = !isDeleted && !isCredited && !isSentBack && reason !== 'wrong_token' && standing(payment, arrivals).length > 0
  return [...(canCredit ? (['credited'] as const) : []), 'refunded', 'kept']
}

const standing = ({ currency }: store.Payment, arrivals: readonly store.ArrivalRow[]) =>
  arrivals.filter(({ isGone, asset }) => !isGone && asset === currency)

export interface Settlement {
  reviewId: string
  outcome: ReviewOutcome
  /** Set with `refunded` alone. */
  transactionHash?: string | undefined
  /** An administrator's id, or `operator` for the command line. */
  by: string
}

/**
 * Runs in the caller's transaction. Returns the payment before and after. Throws Refusal: `not_found`, `review_closed`,
 * `outcome_impossible`, `transaction_required`.
 */
export async function settleReview(
  tx: Queryable,
  now: Date,
  { reviewId, outcome, transactionHash, by }: Settlement,
): Promise<{ before: store.Payment; after: store.Payment; review: list.ReviewRow }> {
  const named = await list.findReview(tx, reviewId)
  // A look locks the payment first too.
  const payment = named && (await store.lockPayment(tx, named.paymentId))
  const review = payment && (await list.findReview(tx, reviewId))
  if (!review) throw new Refusal('not_found')
  if (review.outcome) throw new Refusal('review_closed', { details: { outcome: review.outcome } })
  const arrivals = await store.listArrivals(tx, payment.id)
  const reviews = await list.listReviewsOf(tx, [payment.id])
  const { isDeleted } = await store.lockPayer(tx, payment.userId)
  if (!outcomesFor(review.reason, payment, arrivals, reviews, isDeleted).includes(outcome))
    throw new Refusal('outcome_impossible')
  if ((outcome === 'refunded') !== (transactionHash !== undefined)) throw new Refusal('transaction_required')
  const refundTransaction = transactionHash === undefined ? null : asWritten(payment.currency, transactionHash)
  const closed = { outcome, refundTransaction, resolvedAt: now, resolvedBy: by }
  await list.closeReview(tx, reviewId, closed)
  if (refundTransaction) await store.updatePayment(tx, payment.id, { refundTransaction })
  if (outcome === 'credited') await creditAll(tx, payment, arrivals, now, closed)
  else if (outcome === 'withdrawn') await withdraw(tx, payment, now)
  else await decide(tx, payment, arrivals)
  return { before: payment, after: (await store.lockPayment(tx, payment.id)) ?? payment, review: { ...review, ...closed } }
}

/** Closes the payment's other reviews. */
async function creditAll(
  tx: Queryable,
  payment: store.Payment,
  arrivals: store.ArrivalRow[],
  now: Date,
  closed: Parameters<typeof list.closeReview>[2],
): Promise<void> {
  const own = standing(payment, arrivals).map(({ id, units }) => ({ id, units: BigInt(units) }))
  await credit(tx, payment, own, arrivals, now)
  await store.updatePayment(tx, payment.id, { status: 'confirmed', decided: 'confirmed', confirmedAt: now })
  for (const other of await list.listReviewsOf(tx, [payment.id]))
    if (other.outcome === null && other.asset === payment.currency) await list.closeReview(tx, other.id, closed)
}

/** The chain has taken the payment back. */
async function withdraw(tx: Queryable, payment: store.Payment, now: Date): Promise<void> {
  await payBack(tx, payment, now)
  await store.updatePayment(tx, payment.id, { status: 'expired', decided: 'expired' })
}

/** Decides if no review is left. */
async function decide(tx: Queryable, payment: store.Payment, arrivals: readonly store.ArrivalRow[]): Promise<void> {
  const reviews = await list.listReviewsOf(tx, [payment.id])
  const isOpen = payment.status === 'pending' || payment.status === 'confirming'
  // The chain goes on deciding.
  if (isOpen || reviews.some(({ outcome }) => outcome === null)) return
  const isBack = payment.decided === 'refunded' || payment.decided === 'expired'
  const isCredited = arrivals.some((each) => each.isCredited) && !isBack
  const without = reviews.some(({ outcome }) => outcome === 'refunded') ? 'refunded' : 'expired'
  const status = isCredited ? 'confirmed' : without
  await store.updatePayment(tx, payment.id, { status, decided: status })
}

/** Returns false if the payment was paid back before or never credited. */
const payBack = (tx: Queryable, { id }: store.Payment, now: Date, reference?: string): Promise<boolean> =>
  writeReturn(tx, now, 'refund', {
    ...{ key: `refund:coin:${id}`, refersTo: `coin:${id}` },
    ...(reference !== undefined && { reference }),
  })

/** Runs in the caller's transaction; the plan follows from the ledger. Throws Refusal: `not_found`, `nothing_to_refund`. */
export async function refundPayment(
  tx: Queryable,
  now: Date,
  { paymentId, transactionHash }: { paymentId: string; transactionHash: string },
): Promise<{ before: store.Payment; after: PaidPayment }> {
  const before = await store.lockPayment(tx, paymentId)
  if (!before) throw new Refusal('not_found')
  const refundTransaction = asWritten(before.currency, transactionHash)
  if (!(await payBack(tx, before, now, refundTransaction))) throw new Refusal('nothing_to_refund')
  await store.updatePayment(tx, paymentId, { status: 'refunded', decided: 'refunded', refundTransaction })
  const [after] = await findPayments(tx, before.paymentAddress, 1)
  if (!after) throw new Error('A payment has gone while it was locked')
  return { before, after }
}

/** Matches a whole address or transaction. */
export async function findPayments(db: Queryable, named: string, limit: number): Promise<PaidPayment[]> {
  return (await list.findNamed(db, named, limit)).map(({ payment, username, isRefundable }) => ({
    ...shownOf(payment, username),
    ...{ transactionHash: payment.transactionHash, refundTransaction: payment.refundTransaction, isRefundable },
  }))
}
