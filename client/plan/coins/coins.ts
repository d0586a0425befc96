import { COINS, type CoinPayment, type Currency, coinsApi, currencyShape } from '../../../contract/money/coins.ts'
import type { Consent } from '../../../contract/money/terms.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { keepCoin } from '../plans/askedIn.ts'
import { readTerms } from '../plans/plans.ts'
import { paymentsStore } from './store.ts'

/** What somebody buys. */
export interface Wish {
  packageId: string
  name: string
  billingPeriod: 'monthly' | 'yearly'
  /** US cents. */
  cents: number
}

export interface Prices {
  usd: Record<Currency, number>
  /** `approximate`: the fixed rates, at which nothing can be paid. `late`: the last that the sources agreed on. */
  kind: 'current' | 'late' | 'approximate'
}

/** Returns the prices; the fixed ones where the server knows none or does not answer. */
export async function loadPrices(env: Env): Promise<Prices> {
  try {
    const { prices, isStale } = await env.api(coinsApi.prices, {})
    return { usd: prices, kind: isStale ? 'late' : 'current' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { bitcoin, ethereum, usdc } = COINS
    return {
      usd: { bitcoin: bitcoin.fallbackUsd, ethereum: ethereum.fallbackUsd, usdc: usdc.fallbackUsd },
      kind: 'approximate',
    }
  }
}

/** What the price is about in that coin, such as "0.015625 BTC". The server says the exact amount. */
export function aboutAmount(currency: Currency, cents: number, { usd }: Prices): string {
  const { shownDecimals, symbol } = COINS[currency]
  return `${(cents / 100 / usd[currency]).toFixed(shownDecimals)} ${symbol}`
}

interface Asked {
  currency: Currency
  walletAddress: string
  endsCard: boolean
  consent?: Consent | undefined
}

/** Begins a payment, which stands in the list from then on. */
export async function askForPayment(
  env: Env,
  { packageId, billingPeriod }: Wish,
  { currency, walletAddress, endsCard, consent }: Asked,
): Promise<CoinPayment> {
  const typed = walletAddress.trim()
  const wanted = { packageId, billingPeriod, currency, ...(typed && { walletAddress: typed }), ...(endsCard && { endsCard }) }
  const asked = env.api(coinsApi.createPayment, { ...wanted, ...(consent && { consent }) })
  const payment = await asked.catch((error: unknown) => readTerms(env, error))
  keep(payment)
  keepCoin(payment.id)
  return payment
}

/** Reads what the chain shows of a payment. */
export async function checkPayment(env: Env, paymentId: string): Promise<CoinPayment> {
  const payment = await env.api(coinsApi.checkPayment, { paymentId })
  keep(payment)
  return payment
}

/** Names the transaction of a payment, for the server to look for. */
export async function submitTransaction(env: Env, { id, paymentAddress }: CoinPayment, typed: string): Promise<CoinPayment> {
  const transactionHash = typed.trim()
  const payment = await env.api(coinsApi.submitTransaction, { paymentId: id, transactionHash, paymentAddress })
  keep(payment)
  return payment
}

export async function loadPayments(env: Env): Promise<void> {
  paymentsStore.setState({ payments: await env.api(coinsApi.payments, {}) })
}

function keep(payment: CoinPayment): void {
  paymentsStore.setState(({ payments }) => {
    const isKnown = payments.some(({ id }) => id === payment.id)
    return { payments: isKnown ? payments.map((each) => (each.id === payment.id ? payment : each)) : [payment, ...payments] }
  })
}

/** True while money is expected. */
export const isOpen = ({ status }: CoinPayment): boolean => status === 'pending' || status === 'confirming'

/** True if something has come, and not enough. */
export const isShort = ({ status, receivedAmount }: CoinPayment): boolean => status === 'pending' && Number(receivedAmount) > 0

/** True if nothing more should be sent, whatever the server has seen so far. */
export const isOver = ({ expiresAt }: CoinPayment, now: Date): boolean => Date.parse(expiresAt) <= now.getTime()

/** What a payment waits for, or what became of it. */
export function statusWords(payment: CoinPayment, now: Date): string {
  const { status, currency, blockConfirmations, amount, receivedAmount } = payment
  const { confirmations, symbol } = COINS[currency]
  const has = isShort(payment) ? `${receivedAmount} of ${amount} ${symbol} has come. ` : ''
  if (status === 'pending' && isOver(payment, now)) return `${has}The time is over. Looking for what was sent in time...`
  if (has) return `${has}Send the rest to the same address`
  return {
    pending: 'Waiting for the payment',
    confirming: `${Math.min(blockConfirmations, confirmations)} of ${confirmations} confirmations`,
    confirmed: payment.refundTransaction ? 'Paid. What came beside it was sent back' : 'Paid',
    expired: 'Expired: nothing has come in time',
    needs_review: 'Money has come that a person looks at. It is not lost',
    refunded: 'Sent back',
  }[status]
}

export interface Offer {
  /** The currencies that the server takes, in its order. */
  currencies: Currency[]
  preferred: Currency
  walletAddress: string
  /** What can be bought, one for each package and period. */
  wishes: Wish[]
}

/** Reads what can be paid by coin here. */
export async function loadOffer(env: Env): Promise<Offer> {
  const { currencies, preferred, walletAddress, packages } = await env.api(coinsApi.currencies, {})
  const offered = currencyShape.options.filter((each) => currencies.includes(each))
  const wishes = packages.flatMap(({ id, name, monthlyPrice, yearlyPrice }): Wish[] => [
    ...(monthlyPrice ? [{ packageId: id, name, billingPeriod: 'monthly' as const, cents: monthlyPrice }] : []),
    ...(yearlyPrice ? [{ packageId: id, name, billingPeriod: 'yearly' as const, cents: yearlyPrice }] : []),
  ])
  const first = offered.includes(preferred) ? preferred : (offered[0] ?? preferred)
  return { currencies: offered, preferred: first, walletAddress: walletAddress ?? '', wishes }
}

/** "$1,000.00 for one month" */
export const priceWords = ({ cents, billingPeriod }: Wish): string =>
  `${dollars(cents / 100)} for one ${billingPeriod === 'yearly' ? 'year' : 'month'}`

/** "$1,000.00" */
export const dollars = (usd: number): string => usd.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
