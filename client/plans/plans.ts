import { type BillingPeriod, type Package, paymentsApi } from '../../contract/payments.ts'
import { PLANS, type Tier } from '../../contract/plans.ts'
import type { Env } from '../env.ts'
import { plansStore } from './store.ts'

/** A plan as it is offered. */
export interface Offered {
  key: string
  tier: 'test' | 'premium'
  packageId: string | undefined
  name: string
  /** US cents. The yearly price is null for a plan that is sold by the month alone. */
  monthlyCents: number
  yearlyCents: number | null
  messagesPerMonth: number
}

const soldTier = paymentsApi.checkout.input.shape.planType

/** Lists what is for sale: the packages in their order, then the Test plan. */
export function offered(packages: readonly Package[]): Offered[] {
  const sold = packages.flatMap((each) => {
    const tier = soldTier.safeParse(each.tier).data
    if (!tier || each.messagesLimit === 0 || each.monthlyPrice <= 0) return []
    const { id, name, monthlyPrice: monthlyCents, yearlyPrice, messagesLimit: messagesPerMonth } = each
    const yearlyCents = yearlyPrice > 0 ? yearlyPrice : null
    return [{ key: id, tier, packageId: id, name, monthlyCents, yearlyCents, messagesPerMonth }]
  })
  const { name, monthlyCents, messagesPerMonth } = PLANS.test
  if (monthlyCents === null || sold.some(({ tier }) => PLANS[tier] === PLANS.test)) return sold
  const test = {
    key: 'test',
    tier: 'test' as const,
    packageId: undefined,
    name,
    monthlyCents,
    yearlyCents: null,
    messagesPerMonth,
  }
  return [...sold, test]
}

/** What a year costs less than twelve months, in US cents; null if it does not. */
export const savedCents = ({ monthlyCents, yearlyCents }: Offered): number | null =>
  yearlyCents !== null && monthlyCents * 12 > yearlyCents ? monthlyCents * 12 - yearlyCents : null

/** Reads plan, packages and usage. A failure is kept beside what was read before. */
export async function readPlans(env: Env): Promise<void> {
  try {
    const [subscription, packages, usage] = await Promise.all([
      env.api(paymentsApi.subscription, {}),
      env.api(paymentsApi.packages, {}),
      env.api(paymentsApi.usage, {}),
    ])
    plansStore.setState({ subscription, packages, usage, failure: null })
  } catch (error) {
    plansStore.setState({ failure: error instanceof Error ? error.message : String(error) })
  }
}

/** Reads the usage alone, which is read every minute. */
export async function readUsage(env: Env): Promise<void> {
  const usage = await env.api(paymentsApi.usage, {}).catch(() => undefined)
  if (usage) plansStore.setState({ usage })
}

interface Wanted {
  tier: 'free' | 'test' | 'premium'
  packageId?: string | undefined
  billingPeriod: BillingPeriod
}

/**
 * Asks for another plan. Returns the address of the provider’s page where a payment is needed; undefined where the change is done. Throws
 * ApiError.
 */
export async function changePlan(env: Env, { tier, packageId, billingPeriod }: Wanted): Promise<string | undefined> {
  const wanted = { tier, billingPeriod, ...(packageId !== undefined && { packageId }) }
  const { checkoutUrl } = await env.api(paymentsApi.upgrade, wanted)
  if (checkoutUrl === undefined) await readPlans(env)
  return checkoutUrl
}

/** What the change costs now, in US cents. Throws ApiError. */
export async function previewPlan(env: Env, wanted: Wanted & { tier: 'test' | 'premium' }): Promise<number> {
  const { tier, packageId, billingPeriod } = wanted
  const { dueNowCents } = await env.api(paymentsApi.preview, {
    ...{ tier, billingPeriod },
    ...(packageId !== undefined && { packageId }),
  })
  return dueNowCents
}

/** Undoes a cancellation. Throws ApiError. */
export async function keepPlan(env: Env): Promise<void> {
  await env.api(paymentsApi.keep, {})
  await readPlans(env)
}

/** Pays the plan back and ends it. Returns the US cents. Throws ApiError. */
export async function refundPlan(env: Env): Promise<number> {
  const { refundedCents } = await env.api(paymentsApi.refund, {})
  await readPlans(env)
  return refundedCents
}

/** Returns the address of the provider’s page for card and invoices. Throws ApiError. */
export const portalUrl = async (env: Env): Promise<string> => (await env.api(paymentsApi.portal, {})).url

/** Compares what is shown with what the server says, after a return from the provider: true once the account has a paid plan. */
export const isPaidPlan = (tier: Tier): boolean => PLANS[tier].rights.send
