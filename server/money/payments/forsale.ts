import { limitsOf, limitsOfPackage } from '../../../contract/money/offerLimits.ts'
import type { PublicOffer } from '../../../contract/money/offers.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { PLANS, type Tier } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { findOffer, listPackages } from './offers.ts'

export const FRESH_SECONDS = 10

const SOLD = paymentsApi.preview.input.shape.tier
const BUILT_IN = ['test', 'master'] as const

/** However many strangers ask, the database is asked once in `FRESH_SECONDS`. */
export function publicOffers(env: Env): () => Promise<{ offers: PublicOffer[] }> {
  let read: { atMs: number; offers: Promise<PublicOffer[]> } | undefined
  return async () => {
    const nowMs = env.clock().getTime()
    if (!read || Math.abs(nowMs - read.atMs) >= FRESH_SECONDS * 1000) read = { atMs: nowMs, offers: listForSale(env) }
    const mine = read
    try {
      return { offers: await mine.offers }
    } catch (error) {
      if (read === mine) read = undefined
      throw error
    }
  }
}

/** Nothing is for sale where neither card nor coin is taken. */
async function listForSale(env: Env): Promise<PublicOffer[]> {
  if (env.card.provider === 'off' && env.coins.currencies.length === 0) return []
  const packages = (await listPackages(env.db)).flatMap((each) => {
    const { name } = each
    const limits = limitsOfPackage(each)
    const tier = SOLD.safeParse(each.tier).data
    const prices = { monthlyCents: each.monthlyPrice || null, yearlyCents: each.yearlyPrice || null }
    return tier === undefined || limits.messagesPerMonth === 0 ? [] : [{ name, tier, ...limits, ...prices }]
  })
  const builtIn = await Promise.all(BUILT_IN.map((tier) => builtInOffer(env, tier)))
  return [...packages, ...builtIn]
    .filter((each) => (each.monthlyCents ?? each.yearlyCents) !== null)
    .sort((one, other) => monthOf(one) - monthOf(other))
    .slice(0, PLAN_LIMITS.offersMax)
}

/** No name and no price twice: where a package of the tier exists, it takes the place of the built-in plan. */
async function builtInOffer(env: Env, tier: Tier): Promise<PublicOffer> {
  const centsFor = async (billingPeriod: 'monthly' | 'yearly') => {
    try {
      const { packageId, amountCents } = await findOffer(env, { tier, billingPeriod })
      return packageId === null ? amountCents : null
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
  const [monthlyCents, yearlyCents] = await Promise.all([centsFor('monthly'), centsFor('yearly')])
  return { name: PLANS[tier].name, tier, ...limitsOf(tier), monthlyCents, yearlyCents }
}

const monthOf = ({ monthlyCents, yearlyCents }: PublicOffer): number => monthlyCents ?? (yearlyCents ?? 0) / 12
