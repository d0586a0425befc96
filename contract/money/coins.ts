import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { nothing } from '../ground/shapes.ts'
import { billingPeriodShape } from './payments.ts'
import { consentShape } from './terms.ts'

export const currencyShape = z.enum(['bitcoin', 'ethereum', 'usdc'])
export type Currency = z.infer<typeof currencyShape>

export interface Coin {
  name: string
  symbol: string
  /** Digits of the smallest unit and of shown amounts. */
  decimals: number
  shownDecimals: number
  /** Blocks, the payment's own included. */
  confirmations: number
  /** Wallets send no less. */
  dustUnits: number
  /** US dollars, shown without a known price and never asked for. */
  fallbackUsd: number
}

export const COINS: Readonly<Record<Currency, Coin>> = {
  bitcoin: {
    name: 'Bitcoin',
    symbol: 'BTC',
    decimals: 8,
    shownDecimals: 8,
    confirmations: 3,
    dustUnits: 546,
    fallbackUsd: 45_000,
  },
  ethereum: {
    name: 'Ethereum',
    symbol: 'ETH',
    decimals: 18,
    shownDecimals: 6,
    confirmations: 12,
    dustUnits: 0,
    fallbackUsd: 2_500,
  },
  usdc: { name: 'USD Coin', symbol: 'USDC', decimals: 6, shownDecimals: 2, confirmations: 12, dustUnits: 0, fallbackUsd: 1 },
}

export const COIN_REQUEST_SECONDS = 30 * 60

/** Asked while a dialog is open. */
export const COIN_POLLS = { pricesMs: 120_000, paymentMs: 10_000, submittedMs: 30_000, submittedForMs: 30 * 60_000 } as const

/** Whole coins. */
export const amountShape = z.string().regex(/^\d{1,60}(\.\d{1,18})?$/)
const paymentId = z.uuid()
export const coinPlanShape = z.enum(['test', 'master'])
const packageId = z.union([z.uuid(), coinPlanShape])
const address = z.string().max(100)
/** Late or surplus money goes back here. */
export const walletAddress = z.string().regex(/^[0-9A-Za-z]{20,100}$/, 'An address has 20 to 100 letters and digits')

/**
 * `pending`: too little has come. `confirming`: too few blocks. `expired`: nothing came in time. `needs_review`: a person looks
 * at the money.
 */
export const coinStatusShape = z.enum(['pending', 'confirming', 'confirmed', 'expired', 'needs_review', 'refunded'])
export type CoinStatus = z.infer<typeof coinStatusShape>

/** US cents; null for a period without a sale. */
const coinPackageShape = z.object({
  id: packageId,
  name: z.string().max(100),
  monthlyPrice: z.number().int().nullable(),
  yearlyPrice: z.number().int().nullable(),
})

export const coinPaymentShape = z.object({
  id: paymentId,
  packageId,
  billingPeriod: billingPeriodShape,
  currency: currencyShape,
  amount: amountShape,
  receivedAmount: amountShape,
  /** What is missing. */
  dueAmount: amountShape,
  /** US dollars, such as 1000.00. */
  usdAmount: z.string().regex(/^\d{1,12}\.\d{2}$/),
  paymentAddress: address,
  /** BIP-21 or EIP-681. */
  paymentUri: z.string().max(300),
  status: coinStatusShape,
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  confirmedAt: z.iso.datetime().nullable(),
  transactionHash: z.string().max(100).nullable(),
  refundTransaction: z.string().max(100).nullable(),
  blockConfirmations: z.number().int().nonnegative(),
})
export type CoinPayment = z.infer<typeof coinPaymentShape>

const price = z.number().positive()

export const coinsApi = {
  currencies: endpoint({
    method: 'GET',
    path: '/api/crypto/currencies',
    access: 'signed_in',
    summary: 'What can be paid by coin, in which currencies, and what the account chose last.',
    input: nothing,
    output: z.object({
      currencies: z.array(currencyShape).max(3),
      preferred: currencyShape,
      walletAddress: walletAddress.nullable(),
      packages: z.array(coinPackageShape).max(50),
    }),
  }),
  prices: endpoint({
    method: 'GET',
    path: '/api/crypto/prices',
    access: 'signed_in',
    summary: 'US dollars for a coin. `isStale`: the sources do not answer or differ, and these are the last that they agreed on.',
    input: nothing,
    output: z.object({
      prices: z.object({ bitcoin: price, ethereum: price, usdc: price }),
      timestamp: z.iso.datetime(),
      isStale: z.boolean(),
    }),
  }),
  createPayment: endpoint({
    method: 'POST',
    path: '/api/crypto/create-payment',
    access: 'signed_in',
    rates: ['coinPayments'],
    summary:
      'Asks for a payment of a package. The amount and the address are the server’s, and hold for 30 minutes. `endsCard`: a card that renews is charged no more once this is confirmed.',
    input: z.object({
      packageId,
      endsCard: z.boolean().optional(),
      currency: currencyShape,
      billingPeriod: billingPeriodShape,
      walletAddress: walletAddress.optional(),
      consent: consentShape.optional(),
    }),
    output: coinPaymentShape,
  }),
  payments: endpoint({
    method: 'GET',
    path: '/api/crypto/payments',
    access: 'signed_in',
    summary: 'The newest payment requests of the account, the newest first.',
    input: nothing,
    output: z.array(coinPaymentShape).max(20),
  }),
  checkPayment: endpoint({
    method: 'GET',
    path: '/api/crypto/check-payment/:paymentId',
    access: 'signed_in',
    rates: ['coinChecks'],
    summary: 'A payment request of the account, as the chain shows it.',
    input: z.object({ paymentId }),
    output: coinPaymentShape,
  }),
  submitTransaction: endpoint({
    method: 'POST',
    path: '/api/crypto/submit-transaction/:paymentId',
    access: 'signed_in',
    rates: ['coinChecks'],
    summary: 'Names the transaction of a payment request. It counts only if the chain shows that it pays that address.',
    input: z.object({
      paymentId,
      transactionHash: z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, 'A transaction has 64 characters of 0-9 and a-f'),
      paymentAddress: address,
    }),
    output: coinPaymentShape,
  }),
}
