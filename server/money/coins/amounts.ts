import { COINS, type Currency } from '../../../contract/money/coins.ts'

// Money is counted in integers: coins in their smallest unit, dollars in cents, prices in 10^-8 dollars for a coin.

const RATE_DECIMALS = 8n

/** Reads a price in dollars, such as 64000.12, as 10^-8 dollars. undefined unless it is a positive number. */
export function rateOf(usd: number): bigint | undefined {
  if (!Number.isFinite(usd) || usd <= 0 || usd >= 1e9) return undefined
  const rate = BigInt(Math.round(usd * 10 ** Number(RATE_DECIMALS)))
  return rate > 0n ? rate : undefined
}

export const usdOf = (rate: bigint): number => Number(rate) / 10 ** Number(RATE_DECIMALS)

/** The units that so many cents cost, rounded up to the digits that are shown. */
export function unitsFor(currency: Currency, cents: number, rate: bigint): bigint {
  const { decimals, shownDecimals } = COINS[currency]
  const step = 10n ** BigInt(decimals - shownDecimals)
  return roundUp(roundUp(BigInt(cents) * 10n ** (BigInt(decimals) + RATE_DECIMALS), 100n * rate), step) * step
}

/** What so many units cost at that price, in whole cents. */
export const centsFor = (currency: Currency, units: bigint, rate: bigint): number =>
  Number((units * rate * 100n) / 10n ** (BigInt(COINS[currency].decimals) + RATE_DECIMALS))

const roundUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Writes units as whole coins, such as 0.0125, with the digits that are shown and more only where they are not zero. */
export function amountOf(currency: Currency, units: bigint): string {
  const { decimals, shownDecimals } = COINS[currency]
  const digits = units.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals)
  const needed = fraction.replace(/0+$/, '').length
  return `${digits.slice(0, -decimals)}.${fraction.slice(0, Math.max(shownDecimals, needed))}`
}

/** Writes cents as dollars, such as 1000.00. */
export const dollarsOf = (cents: number): string => `${Math.trunc(cents / 100)}.${(cents % 100).toString().padStart(2, '0')}`
