import type Stripe from 'stripe'
import { z } from 'zod'
import { type BillingPeriod, billingPeriodShape } from '../../../contract/money/payments.ts'
import { type Tier, tierShape } from '../../../contract/money/plans.ts'

// This server writes the metadata, each price's entry before the price: every invoice of its own is understood.

export interface Billed {
  tier: Tier
  /** null for a built-in plan. */
  packageId: string | null
  billingPeriod: BillingPeriod
}

const planShape = z.object({ tier: tierShape, packageId: z.uuid().optional(), billingPeriod: billingPeriodShape })
/** Entry of `scheduled.ts`. */
export const SET_BACK = 'setBack'
const BASE = [...Object.keys(planShape.shape), 'userId', SET_BACK]

export const metadataOf = ({ tier, packageId, billingPeriod }: Billed, userId: string): Record<string, string> => ({
  ...{ tier, billingPeriod, userId },
  ...(packageId !== null && { packageId }),
})

/** The provider takes no longer name. */
const NAME_MAX = 40

const entryOf = ({ tier, billingPeriod, packageId }: Billed): string => [tier, billingPeriod, packageId ?? ''].join(' ').trim()

/** Returns undefined for foreign metadata. */
export function billedBy(metadata: Stripe.Metadata, priceId: string | undefined): Billed | undefined {
  const entry = priceId === undefined ? undefined : metadata[priceId.slice(0, NAME_MAX)]
  const [tier, billingPeriod, packageId] = entry?.split(' ') ?? []
  const { data: plan } = planShape.safeParse(entry === undefined ? metadata : { tier, billingPeriod, packageId })
  return plan && { ...plan, packageId: plan.packageId ?? null }
}

/** Statuses of a subscription that runs. */
export const LIVE = ['active', 'past_due', 'trialing']

/** What a price is of. */
export interface Named {
  priceId: string
  plan: Billed
}

/** Names these prices. Other entries go: the provider keeps fifty. */
export function namingOf(metadata: Stripe.Metadata, prices: Named[]): Record<string, string> {
  const named = Object.fromEntries(prices.map(({ priceId, plan }) => [priceId.slice(0, NAME_MAX), entryOf(plan)]))
  const old = Object.keys(metadata).filter((name) => !BASE.includes(name) && !(name in named))
  return { ...Object.fromEntries(old.map((name) => [name, ''])), ...named }
}

/** The longest line is what is paid for; a change also gives back the rest of the old price. */
export const lineOf = ({ lines }: Pick<Stripe.Invoice, 'lines'>): Stripe.InvoiceLineItem | undefined =>
  lines.data.toSorted((one, other) => other.period.end - one.period.end || other.amount - one.amount)[0]

export const priceIn = (line: Stripe.InvoiceLineItem | undefined): string | undefined => idOf(line?.pricing?.price_details?.price)

export const idOf = (thing: string | { id: string } | null | undefined): string | undefined =>
  typeof thing === 'string' ? thing : thing?.id
