import type { CoinAddress, CoinWallet } from '../../contract/money/coinaddresses.ts'
import { COIN_LIMITS } from '../../contract/money/coinlimits.ts'
import type { CoinReview, ReviewOutcome, ReviewReason } from '../../contract/money/coinreviews.ts'
import { COINS, type CoinStatus, type Currency, currencyShape } from '../../contract/money/coins.ts'
import { countWords } from './adminWords.ts'

/** What has happened to the money. */
export const REASONS: Record<ReviewReason, { title: string; text: string }> = {
  underpaid: { title: 'Too little', text: 'Less than was asked for has come in time. It has bought nothing.' },
  overpaid: { title: 'Too much', text: 'The plan is paid. This came beyond its price.' },
  late: {
    title: 'Too late',
    text: 'It came after the 30 minutes of the request, or a block took it hours later, when it was worth less.',
  },
  double: { title: 'Paid twice', text: 'The plan was paid before this came.' },
  reorganised: {
    title: 'Taken back by the chain',
    text: 'The plan was given, and the chain does not show the payment any more.',
  },
  account_gone: {
    title: 'Account gone',
    text: 'The account was deleted or blocked before the payment was certain. Nobody has the plan.',
  },
  wrong_token: { title: 'Another token', text: 'It is not the currency that was asked for.' },
}

/** The buttons. */
export const LABELS: Record<ReviewOutcome, string> = {
  credited: 'Give the plan',
  refunded: 'Note a refund',
  withdrawn: 'End the plan',
  kept: 'Dismiss',
}

/** "0.01562500 BTC" */
export const amountWords = ({ amount, currency }: { amount: string; currency: Currency }): string =>
  `${amount} ${COINS[currency].symbol}`

/** "0.01562500 BTC"; of another token how much of its smallest unit. */
export function assetWords({ asset, assetAmount }: CoinReview): string {
  const currency = currencyShape.safeParse(asset).data
  return currency ? amountWords({ amount: assetAmount, currency }) : `${assetAmount} units of the token ${asset}`
}

/** "Came to address 137", its number in the operator’s wallet. */
export const cameTo = ({ addressIndex }: { addressIndex: number | null }): string =>
  addressIndex === null ? 'Came to' : `Came to address ${addressIndex}`

/** "$1,000.00" */
export const dollarWords = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })

/** What is asked before an act, and what is said after it. */
export function questionOf(outcome: ReviewOutcome, review: CoinReview) {
  const [what, who] = [assetWords(review), `@${review.payer.username.toLowerCase()}`]
  return {
    credited: {
      title: `Give ${who} the plan?`,
      text: `The plan of ${dollarWords(review.usdCents)} begins now, for all that has come to this address. It stands in the ledger as paid.`,
      done: { title: 'Plan given', text: `${who} has the plan that was asked for.` },
    },
    refunded: {
      title: 'Note a refund',
      text: `Send ${what} back from your own wallet first. This notes the transaction; it moves no money.`,
      done: { title: 'Refund noted', text: `${who} is told that ${what} was sent back.` },
    },
    withdrawn: {
      title: `End the plan of ${who}?`,
      text: 'The payment counts as paid back, because the chain does not show it any more. If it shows up again, it waits here.',
      done: { title: 'Plan ended', text: `The payment of ${who} counts as paid back.` },
    },
    kept: {
      title: 'Dismiss this?',
      text: `It leaves the list, and nothing more is done: ${what} stays in your wallet. ${who} is told that it was looked at.`,
      done: { title: 'Dismissed', text: 'It stands in the audit trail.' },
    },
  }[outcome]
}

/** Units of the smallest unit as whole coins; of another coin as they are. */
export function wholeCoins(coin: string, units: string): string {
  const known = Object.entries(COINS).find(([name]) => name === coin)?.[1]
  return known ? decimal(units, known.decimals) : units
}

/** A whole number of the smallest unit, written with all of its places. */
export function decimal(units: string, places: number): string {
  const digits = units.padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

export const STATUSES: Record<CoinStatus, string> = {
  pending: 'Waiting for the payment',
  confirming: 'Being confirmed',
  confirmed: 'Paid',
  expired: 'Expired',
  needs_review: 'Waits for you',
  refunded: 'Sent back',
}

/** "0.01562500 BTC and another token" */
export function receivedWords({ currency, receivedUnits, hasOther }: CoinAddress): string {
  const amount = `${wholeCoins(currency, receivedUnits)} ${COINS[currency].symbol}`
  return hasOther ? `${amount} and something else` : amount
}

export const WALLET_NAMES: Record<CoinWallet['chain'], string> = { bitcoin: 'Bitcoin', ethereum: 'Ethereum and USDC' }

/** "12 unpaid since the last paid one, of 340 given out" */
export const walletWords = ({ given, sinceLastPaid, longestUnpaid }: CoinWallet): string =>
  [
    `${countWords(sinceLastPaid)} unpaid since the last paid one, of ${countWords(given)} given out`,
    ...(longestUnpaid > sinceLastPaid ? [`${countWords(longestUnpaid)} unpaid in a row before it`] : []),
  ].join(' · ')

/** What to do; undefined as long as every wallet shows all. */
export function gapWarning(wallet: CoinWallet): string | undefined {
  const unpaid = Math.max(wallet.sinceLastPaid, wallet.longestUnpaid)
  if (unpaid < COIN_LIMITS.gap) return undefined
  return `${WALLET_NAMES[wallet.chain]}: ${countWords(unpaid)} addresses in a row were never paid. Most wallets stop looking after ${COIN_LIMITS.gap} and then show less than you have. Raise the gap limit of your wallet above ${countWords(unpaid)}, best to 1,000 or more, and let it look again.`
}
