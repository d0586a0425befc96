import { COINS, type Currency } from '../../../contract/money/coins.ts'

// Coins in their smallest unit, dollars in cents, prices in 10^-8 dollars.

const RATE_DECIMALS = 8n

/** Returns 10^-8 dollars; undefined unless the price is positive. */
export function rateOf(usd: number): bigint | undefined {
  if (!Number.isFinite(usd) || usd <= 0 || usd >= 1e9) return undefined
  const rate = BigInt(Math.round(usd * 10 ** Number(RATE_DECIMALS)))
  return rate > 0n ? rate : undefined
}

export const usdOf = (rate: bigint): number => Number(rate) / 10 ** Number(RATE_DECIMALS)

/** Rounds up to the shown digits, and to dust. */
export function unitsFor(currency: Currency, cents: number, rate: bigint): bigint {
  const { decimals, shownDecimals } = COINS[currency]
  const step = 10n ** BigInt(decimals - shownDecimals)
  return sendable(currency, roundUp(roundUp(BigInt(cents) * 10n ** (BigInt(decimals) + RATE_DECIMALS), 100n * rate), step) * step)
}

export function sendable(currency: Currency, units: bigint): bigint {
  const dust = BigInt(COINS[currency].dustUnits)
  return units > dust ? units : dust
}

/** Exchanges take their fee out of it: half a percent, at most five dollars. */
export function enoughOf(due: bigint, cents: number): bigint {
  const [share, most] = [due / 200n, (due * 500n) / BigInt(Math.max(1, cents))]
  return due - (share < most ? share : most)
}

export const centsFor = (currency: Currency, units: bigint, rate: bigint): number =>
  Number((units * rate * 100n) / 10n ** (BigInt(COINS[currency].decimals) + RATE_DECIMALS))

const roundUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Writes whole coins, such as 0.0125. Digits beyond the shown ones appear only if not zero. */
export function amountOf(currency: Currency, units: bigint): string {
  const { decimals, shownDecimals } = COINS[currency]
  const digits = units.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals)
  const needed = fraction.replace(/0+$/, '').length
  return `${digits.slice(0, -decimals)}.${fraction.slice(0, Math.max(shownDecimals, needed))}`
}

/** Writes 1000.00. */
export const dollarsOf = (cents: number): string => `${Math.trunc(cents / 100)}.${(cents % 100).toString().padStart(2, '0')}`
