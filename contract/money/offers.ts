import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { nothing } from '../ground/shapes.ts'
import { PLAN_LIMITS } from './planlimits.ts'
import { tierShape } from './plans.ts'

/** US cents, null for a period without a sale: one of the two is a price. Limits as in `OfferLimits`. */
const offerShape = z.object({
  name: z.string().max(100),
  tier: tierShape,
  monthlyCents: z.number().int().positive().nullable(),
  yearlyCents: z.number().int().positive().nullable(),
  messagesPerMonth: z.number().int(),
  storageGB: z.number().int(),
  voiceMinutes: z.number().int(),
  videoMinutes: z.number().int(),
})
export type PublicOffer = z.infer<typeof offerShape>

export const offersApi = {
  offers: endpoint({
    method: 'GET',
    path: '/api/offers',
    access: 'anyone',
    summary: 'What can be bought here, the cheapest first. Empty where nothing is sold.',
    input: nothing,
    output: z.object({ offers: z.array(offerShape).max(PLAN_LIMITS.offersMax) }),
  }),
}
