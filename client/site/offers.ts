import { benefitsOf } from '../../contract/money/benefits.ts'
import type { PublicOffer } from '../../contract/money/offers.ts'

/** What is said where nothing is sold, or as long as that is not known. */
export const READING_IS_FREE = 'Receiving and reading is free.'
export const FREE_LINE = 'Add people. Receive what members with a plan send you, and take their calls.'

/** What this server sells; empty without an answer. */
export async function askOffers(): Promise<PublicOffer[]> {
  const answer = await fetch('/api/offers', { credentials: 'omit', headers: { Accept: 'application/json' } })
  const body: { offers?: unknown } = answer.ok ? await answer.json() : {}
  return Array.isArray(body.offers) ? body.offers.filter(isOffer) : []
}

/** The price of the month, or of the year where there is no other. */
const priceOf = ({ monthlyCents, yearlyCents }: PublicOffer): { cents: number; period: string } =>
  monthlyCents === null ? { cents: yearlyCents ?? 0, period: 'year' } : { cents: monthlyCents, period: 'month' }

/** The line below the buttons: "Reading is free. Writing from $1 a month."; undefined where nothing is sold. */
export function priceLine([cheapest]: readonly PublicOffer[]): string | undefined {
  if (!cheapest) return undefined
  const { cents, period } = priceOf(cheapest)
  return `Reading is free. Writing from ${dollars(cents)} a ${period}.`
}

/** One column of the prices. */
export const columnOf = (offer: PublicOffer): { name: string; price: string; period: string; text: string } => {
  const { cents, period } = priceOf(offer)
  return { name: offer.name, price: dollars(cents), period: `/${period}`, text: `${benefitsOf(offer)}.${MORE[offer.tier] ?? ''}` }
}

const MORE: Partial<Record<PublicOffer['tier'], string>> = {
  master: ' For you and a family circle of five.',
}

const dollars = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: cents % 100 === 0 ? 0 : 2 })

const isCents = (value: unknown): boolean => value === null || (Number.isSafeInteger(value) && Number(value) > 0)

function isOffer(value: unknown): value is PublicOffer {
  if (typeof value !== 'object' || value === null) return false
  const { name, tier, monthlyCents, yearlyCents, ...limits }: Partial<Record<keyof PublicOffer, unknown>> = value
  const { messagesPerMonth, storageGB, voiceMinutes, videoMinutes } = limits
  const isNamed = typeof name === 'string' && typeof tier === 'string'
  const isLimited = [messagesPerMonth, storageGB, voiceMinutes, videoMinutes].every(Number.isSafeInteger)
  return isNamed && isLimited && isCents(monthlyCents) && isCents(yearlyCents) && (monthlyCents ?? yearlyCents) !== null
}
