import { z } from 'zod'

export const TERMS_LIMITS = { versionMax: 40, urlMax: 500 } as const

export const termsShape = z.object({
  url: z.url().max(TERMS_LIMITS.urlMax),
  version: z.string().min(1).max(TERMS_LIMITS.versionMax),
  /** True: the buyer asks for the plan before the right of withdrawal is over. */
  asksWithdrawal: z.boolean(),
})
export type Terms = z.infer<typeof termsShape>

export const consentShape = z.object({
  termsVersion: z.string().max(TERMS_LIMITS.versionMax),
  withdrawal: z.boolean().default(false),
})
export type Consent = z.output<typeof consentShape>
