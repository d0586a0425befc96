import type Stripe from 'stripe'
import { z } from 'zod'
import { type BillingPeriod, billingPeriodShape } from '../../../contract/money/payments.ts'
import { type Tier, tierShape } from '../../../contract/money/plans.ts'

// What a price at the provider is of stands in the metadata of the subscription, which this server alone writes: the plan that was bought
// first, and beside it one entry for each price to which it is changed, by the price's id. An entry is written before the price is changed,
// so an invoice of either price is understood, whether its payment succeeds, waits or fails.

/** A plan as it is billed. */
export interface Billed {
  tier: Tier
  /** Null for a built-in plan. */
  packageId: string | null
  billingPeriod: BillingPeriod
}

const planShape = z.object({ tier: tierShape, packageId: z.uuid().optional(), billingPeriod: billingPeriodShape })
const BASE = Object.keys(planShape.shape)

/** The metadata of a subscription to this plan. */
export const metadataOf = ({ tier, packageId, billingPeriod }: Billed): Record<string, string> => ({
  ...{ tier, billingPeriod },
  ...(packageId !== null && { packageId }),
})

/** The longest name of an entry that the provider takes. */
const NAME_MAX = 40

const entryOf = ({ tier, billingPeriod, packageId }: Billed): string => [tier, billingPeriod, packageId ?? ''].join(' ').trim()

/** Returns the plan that a price is of. Throws ZodError if the metadata is not ours. */
export function billedBy(metadata: Stripe.Metadata, priceId: string | undefined): Billed {
  const entry = priceId === undefined ? undefined : metadata[priceId.slice(0, NAME_MAX)]
  const [tier, billingPeriod, packageId] = entry?.split(' ') ?? []
  const plan = planShape.parse(entry === undefined ? metadata : { tier, billingPeriod, packageId })
  return { ...plan, packageId: plan.packageId ?? null }
}

/** The change of the metadata that names what both prices are of. Entries of other prices go: the provider keeps fifty. */
export function namingOf(
  metadata: Stripe.Metadata,
  current: { priceId: string; plan: Billed },
  next: { priceId: string; plan: Billed },
): Record<string, string> {
  const named = Object.fromEntries([current, next].map(({ priceId, plan }) => [priceId.slice(0, NAME_MAX), entryOf(plan)]))
  const old = Object.keys(metadata).filter((name) => !BASE.includes(name) && !(name in named))
  return { ...Object.fromEntries(old.map((name) => [name, ''])), ...named }
}
