import { limitsOf, limitsOfPackage, type PlanSize } from '../../../contract/money/offerLimits.ts'
import { type BillingPeriod, type Package, packageShape } from '../../../contract/money/payments.ts'
import { PLANS, type Tier, tierShape } from '../../../contract/money/plans.ts'
import type { Consent } from '../../../contract/money/terms.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import type { Config } from '../../settings/config.ts'
import type { MasterPrice } from '../../settings/mastersettings.ts'
import * as store from './store.ts'

export interface Offer extends PlanSize {
  /** null for a built-in plan. */
  packageId: string | null
  billingPeriod: BillingPeriod
  name: string
  amountCents: number
  /** null if sold by the amount. */
  priceId: string | null
}

/** Never a price. */
export interface Choice {
  tier: Tier
  packageId?: string | undefined
  billingPeriod: BillingPeriod
}

export interface Purchase extends Choice {
  consent?: Consent | undefined
}

export async function listPackages(db: Queryable): Promise<Package[]> {
  const rows = await store.listPackages(db)
  return rows.map((row) => packageShape.parse(row))
}

/** Defaults to the tier's first active package. Throws Refusal `plan_not_sold`, also for a package that allows nothing. */
export async function findOffer(env: Pick<Env, 'db' | 'config'>, { tier, packageId, billingPeriod }: Choice): Promise<Offer> {
  const { db, config } = env
  const packages = (await store.listPackages(db)).filter((each) => each.tier === tier)
  const found = packages.find(({ id }) => packageId === undefined || id === packageId)
  const isYearly = billingPeriod === 'yearly'
  if (found) {
    const amountCents = isYearly ? found.yearlyPrice : found.monthlyPrice
    if (amountCents <= 0 || found.messagesLimit === 0) throw new Refusal('plan_not_sold')
    const priceId = isYearly ? found.stripePriceIdYearly : found.stripePriceIdMonthly
    return {
      ...{ tier: tierShape.parse(found.tier), limits: limitsOfPackage(found), packageId: found.id },
      ...{ billingPeriod, name: found.name, amountCents, priceId },
    }
  }
  const prices = pricesAlone(config)[tier]
  const amountCents = isYearly ? prices?.yearlyCents : prices?.monthlyCents
  if (!amountCents || packageId !== undefined || (await store.hasPackages(db, tier))) throw new Refusal('plan_not_sold')
  return {
    ...{ tier, limits: limitsOf(tier), packageId: null, billingPeriod },
    name: PLANS[tier].name,
    amountCents,
    priceId: null,
  }
}

function pricesAlone({ masterPrice }: Config): Partial<Record<Tier, MasterPrice>> {
  const { monthlyCents } = PLANS.test
  return { test: { monthlyCents, yearlyCents: monthlyCents && monthlyCents * 12 }, master: masterPrice }
}
