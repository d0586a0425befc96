import type { OfferLimits } from './benefits.ts'
import type { Package } from './payments.ts'
import { PLANS, type Tier, UNLIMITED } from './plans.ts'

export const limitsOf = (tier: Tier): OfferLimits => ({
  messagesPerMonth: PLANS[tier].messagesPerMonth,
  ...{ storageGB: UNLIMITED, voiceMinutes: UNLIMITED, videoMinutes: UNLIMITED },
})

export const limitsOfPackage = (sold: Package): OfferLimits => ({
  ...{ messagesPerMonth: sold.messagesLimit, storageGB: sold.fileStorageGB },
  ...{ voiceMinutes: sold.voiceCallMinutes, videoMinutes: sold.videoCallMinutes },
})
