import { COINS } from '../../../contract/money/coins.ts'
import type { Printed, Receipt } from '../../../contract/money/receipts.ts'
import { shownDay } from '../plans/planLines.ts'

/** "$1,000.00" */
export const centsWords = (cents: number): string => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })

/** True if the money goes back to the payer. */
export const isReturn = ({ kind }: Pick<Printed, 'kind'>): boolean => kind === 'refund' || kind === 'dispute'

/** An invoice needs a seller. */
export function titleOf({ printed }: Receipt): string {
  if (isReturn(printed)) return 'Credit note'
  return printed.seller ? 'Invoice' : 'Receipt'
}

const WHAT: Record<Printed['kind'], string> = {
  payment: 'Paid',
  refund: 'Paid back',
  refund_failed: 'Refund failed',
  dispute: 'Taken back by the bank',
  dispute_won: 'Returned by the bank',
}

export const whatWords = ({ kind }: Printed): string => WHAT[kind]

/** "−$1,000.00" for what goes back. */
export const signedWords = (printed: Printed, cents: number): string => `${isReturn(printed) ? '−' : ''}${centsWords(cents)}`

/** "Premium, monthly" */
export const planWords = ({ plan, billingPeriod }: Printed): string => (billingPeriod ? `${plan}, ${billingPeriod}` : plan)

export const periodWords = ({ startsAt, endsAt }: Printed): string =>
  endsAt ? `${shownDay(startsAt)} to ${shownDay(endsAt)}` : `from ${shownDay(startsAt)}`

/** What a receipt says of itself, in whole sentences. */
export function notesOf({ isTest, printed: { kind, refersTo, seller } }: Receipt): string[] {
  const first = refersTo ?? 'an earlier payment'
  return [
    ...(isTest ? ['Test money: nothing was really paid.'] : []),
    ...(kind === 'refund' ? [`This takes back ${first}, in whole or in part.`] : []),
    ...(kind === 'dispute' ? [`The bank of the payer took the money of ${first} back.`] : []),
    ...(kind === 'refund_failed' ? [`A refund of ${first} did not arrive: the payment stands again.`] : []),
    ...(kind === 'dispute_won' ? [`The bank of the payer has returned the money of ${first}.`] : []),
    ...(seller ? [] : ['The operator of this server has named no seller. This page shows what was paid, and is no tax invoice.']),
  ]
}

/** "0.00012345 BTC", whole, from its smallest unit. */
export function coinWords({ currency, units }: { currency: keyof typeof COINS; units: string }): string {
  const { decimals, symbol } = COINS[currency]
  const digits = units.padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)} ${symbol}`
}

/** "$65,000.00 for 1 BTC", from 10^-8 dollars. */
export const rateWords = ({ currency, rate }: { currency: keyof typeof COINS; rate: string }): string =>
  `${centsWords(Math.round(Number(rate) / 1_000_000))} for 1 ${COINS[currency].symbol}`
