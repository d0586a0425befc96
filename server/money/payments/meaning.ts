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
const BASE = [...Object.keys(planShape.shape), 'userId']

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

/** Names both prices. Other entries go: the provider keeps fifty. */
export function namingOf(
  metadata: Stripe.Metadata,
  current: { priceId: string; plan: Billed },
  next: { priceId: string; plan: Billed },
): Record<string, string> {
  const named = Object.fromEntries([current, next].map(({ priceId, plan }) => [priceId.slice(0, NAME_MAX), entryOf(plan)]))
  const old = Object.keys(metadata).filter((name) => !BASE.includes(name) && !(name in named))
  return { ...Object.fromEntries(old.map((name) => [name, ''])), ...named }
}
