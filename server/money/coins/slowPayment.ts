import { Refusal } from '../../refuse.ts'
import type { Arrival } from './chain.ts'
import type { PriceBoard } from './prices.ts'
import type { Payment } from './store.ts'

/** The lowest fee would keep the price for days. */
const SLOW_MS = 6 * 60 * 60_000
const FALLEN_PERCENT = 5n

export const isSlow = ({ expiresAt }: Payment, { at }: Arrival): boolean =>
  at !== null && at.getTime() - expiresAt.getTime() > SLOW_MS

/** True without a price too. */
export async function hasFallen(prices: PriceBoard, { currency, rate }: Payment): Promise<boolean> {
  try {
    return (await prices.quoted(currency)) * 100n < BigInt(rate) * (100n - FALLEN_PERCENT)
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}
