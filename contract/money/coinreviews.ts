import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, instant, userId } from '../ground/shapes.ts'
import { amountShape, coinStatusShape, currencyShape } from './coins.ts'

export const REVIEW_TRANSACTIONS = 10

export const reviewReasonShape = z.enum(['underpaid', 'overpaid', 'late', 'double', 'reorganised', 'wrong_token', 'account_gone'])
export type ReviewReason = z.infer<typeof reviewReasonShape>

/**
 * `credited`: the plan is given. `refunded`: the operator's own wallet has sent the money back. `withdrawn`: the plan ends,
 * because the chain took the money out again.
 */
export const reviewOutcomeShape = z.enum(['credited', 'refunded', 'withdrawn', 'kept'])
export type ReviewOutcome = z.infer<typeof reviewOutcomeShape>

/** Ethereum's begin with 0x. */
export const transactionHash = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, 'A transaction has 64 characters of 0-9 and a-f')

const reference = z.string().max(120)
const payer = z.object({ id: userId, username: z.string() })

const paidFor = {
  payer,
  paymentId: z.uuid(),
  currency: currencyShape,
  amount: amountShape,
  /** US cents. */
  usdCents: z.number().int().nonnegative(),
  paymentAddress: z.string().max(100),
  /** In the operator's wallet; null for old requests. */
  addressIndex: z.number().int().nonnegative().nullable(),
  /** null without an address for refunds. */
  walletAddress: z.string().max(100).nullable(),
  status: coinStatusShape,
  createdAt: instant,
}

export const coinReviewShape = z.object({
  id: z.uuid(),
  reason: reviewReasonShape,
  ...paidFor,
  noticedAt: instant,
  /** A currency, or another token's contract. */
  asset: z.string().max(100),
  /** Whole coins; another token's smallest unit. */
  assetAmount: z.string().max(100),
  /** At the price of the request; null for another asset. */
  assetCents: z.number().int().nonnegative().nullable(),
  /** The first ones. */
  transactions: z.array(reference).max(REVIEW_TRANSACTIONS),
  outcomes: z.array(reviewOutcomeShape).max(4),
})
export type CoinReview = z.infer<typeof coinReviewShape>

export const paidPaymentShape = z.object({
  ...paidFor,
  transactionHash: reference.nullable(),
  /** The refund, if an administrator has noted one. */
  refundTransaction: reference.nullable(),
  /** Bought a plan and was not paid back. */
  isRefundable: z.boolean(),
})
export type PaidPayment = z.infer<typeof paidPaymentShape>

export const coinReviewsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/coin-reviews',
    access: 'admin',
    summary: 'Money in coins that waits for a person, the oldest first, and how much of it there is.',
    input: z.object({ page: z.coerce.number().int().min(1).max(100_000).default(1) }),
    output: z.object({ reviews: z.array(coinReviewShape).max(LIMITS.adminPage), total: z.number().int().nonnegative() }),
  }),
  settle: endpoint({
    method: 'POST',
    path: '/api/admin/coin-reviews/:reviewId',
    access: 'admin',
    assurance: 'recent',
    rates: ['administration'],
    summary: 'Closes a review, once. `refunded` names the transaction by which the money was sent back.',
    input: z.object({
      reviewId: z.uuid(),
      outcome: reviewOutcomeShape,
      transactionHash: transactionHash.optional(),
    }),
    output: done,
  }),
  find: endpoint({
    method: 'GET',
    path: '/api/admin/coin-payments',
    access: 'admin',
    rates: ['administration'],
    summary: 'The payment in coins with that address or that transaction, whole. Nothing else of what somebody pays is searched.',
    input: z.object({ named: z.string().trim().min(20).max(100) }),
    output: z.array(paidPaymentShape).max(LIMITS.adminPage),
  }),
  refund: endpoint({
    method: 'POST',
    path: '/api/admin/coin-payments/:id/refund',
    access: 'admin',
    assurance: 'recent',
    rates: ['administration'],
    summary: 'Notes that a payment was sent back in whole by that transaction, once. The plan that it paid for ends.',
    input: z.object({ id: z.uuid(), transactionHash }),
    output: paidPaymentShape,
  }),
}
