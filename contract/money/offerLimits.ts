import type { OfferLimits } from './benefits.ts'
import type { Package } from './payments.ts'
import { compareTiers, PLANS, type Tier, UNLIMITED } from './plans.ts'

export const limitsOf = (tier: Tier): OfferLimits => ({
  messagesPerMonth: PLANS[tier].messagesPerMonth,
  ...{ storageGB: UNLIMITED, voiceMinutes: UNLIMITED, videoMinutes: UNLIMITED },
})

type Sold = Pick<Package, 'messagesLimit' | 'fileStorageGB' | 'voiceCallMinutes' | 'videoCallMinutes'>

export const limitsOfPackage = (sold: Sold): OfferLimits => ({
  ...{ messagesPerMonth: sold.messagesLimit, storageGB: sold.fileStorageGB },
  ...{ voiceMinutes: sold.voiceCallMinutes, videoMinutes: sold.videoCallMinutes },
})

export interface PlanSize {
  tier: Tier
  limits: OfferLimits
}

/** The first of these that differs decides. */
const BY_WEIGHT = ['messagesPerMonth', 'storageGB', 'videoMinutes', 'voiceMinutes'] as const

const allows = (limit: number): number => (limit < 0 ? Number.MAX_SAFE_INTEGER : limit)

/** Returns a negative number if the first allows less: by its tier, within a tier by its limits. */
export function compareSizes(one: PlanSize, other: PlanSize): number {
  const differing = BY_WEIGHT.find((name) => allows(one.limits[name]) !== allows(other.limits[name]))
  const byLimits = differing ? allows(one.limits[differing]) - allows(other.limits[differing]) : 0
  return compareTiers(one.tier, other.tier) || byLimits
}
