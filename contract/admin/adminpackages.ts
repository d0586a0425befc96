import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { instant, nothing } from '../ground/shapes.ts'
import { packageShape } from '../money/payments.ts'
import { PLAN_LIMITS } from '../money/planlimits.ts'

/** "Package name" */
const text = (label: string, max: number) => {
  const words = `${label} is required`
  return z.string({ error: words }).trim().min(1, words).max(max, `${label} must be at most ${max} characters`)
}

const atMost = (label: string, max: number) => [max, `${label} must be at most ${max}`] as const

/** US cents. */
const cents = (label: string) =>
  z
    .number()
    .int()
    .min(0, `${label} must be non-negative`)
    .max(...atMost(label, PLAN_LIMITS.priceMaxCents))
    .refine(
      (price) => price <= 0 || price >= PLAN_LIMITS.priceMinCents,
      `${label} must be 0, or at least ${PLAN_LIMITS.priceMinCents} cents`,
    )
const limit = (label: string, max: number) =>
  z
    .number()
    .int()
    .min(-1, 'Use -1 for unlimited')
    .max(...atMost(label, max))
const INTEGER_MAX = 2_147_483_647

/** The id of a price at the card provider; null if there is none. An empty text means none. */
const priceId = z
  .string()
  .trim()
  .max(255, 'A price ID has at most 255 characters')
  .nullish()
  .transform((id) => id || null)

/** The form of a package. -1 in a limit means none. */
export const packageForm = z.object({
  name: text('Package name', 100),
  tier: z.enum(['free', 'premium']),
  description: text('Description', 1000),
  monthlyPrice: cents('Monthly price'),
  yearlyPrice: cents('Yearly price'),
  messagesLimit: limit('Messages limit', INTEGER_MAX),
  /** 1 GB is 1,073,741,824 bytes. */
  fileStorageGB: limit('Storage', 1_000_000),
  videoCallMinutes: limit('Video minutes', INTEGER_MAX),
  advancedEncryption: z.boolean(),
  prioritySupport: z.boolean(),
  customBranding: z.boolean(),
  apiAccess: z.boolean(),
  stripePriceIdMonthly: priceId,
  stripePriceIdYearly: priceId,
  displayOrder: z
    .number()
    .int()
    .min(0, 'Display order must be at least 0')
    .max(...atMost('Display order', INTEGER_MAX)),
})
export type PackageForm = z.output<typeof packageForm>

const adminPackageShape = packageShape.extend({
  stripePriceIdMonthly: z.string().nullable(),
  stripePriceIdYearly: z.string().nullable(),
  /** True once somebody has paid for it, or has asked to pay: its tier stays then, and its limits only grow. */
  isBought: z.boolean(),
  /** Since when it is archived: not sold, and renewed for those who have it. Null if it is not. */
  archivedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type AdminPackage = z.infer<typeof adminPackageShape>

const id = z.uuid()
const call = { access: 'admin', assurance: 'recent', rates: ['administration'] } as const

export const adminPackagesApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/packages',
    access: 'admin',
    summary: 'Every package in its order, hidden ones too, then the newest that are archived.',
    input: nothing,
    output: z.array(adminPackageShape).max(2 * PLAN_LIMITS.packagesMax),
  }),
  create: endpoint({
    ...call,
    method: 'POST',
    path: '/api/admin/packages',
    summary: 'Adds a package, which is sold from now on. Its voice minutes are unlimited.',
    input: packageForm,
    output: adminPackageShape,
  }),
  update: endpoint({
    ...call,
    method: 'PUT',
    path: '/api/admin/packages/:id',
    summary:
      'Changes a package. Prices count for what is bought from now on, limits at once for everybody who has it. Of one that was bought the tier stays and limits only grow.',
    input: packageForm.extend({ id }),
    output: adminPackageShape,
  }),
  toggle: endpoint({
    ...call,
    method: 'PUT',
    path: '/api/admin/packages/:id/toggle',
    summary: 'Shows or hides a package. A hidden one is not sold, and renewed for those who have it.',
    input: z.object({ id, isActive: z.boolean() }),
    output: adminPackageShape,
  }),
  remove: endpoint({
    ...call,
    method: 'DELETE',
    path: '/api/admin/packages/:id',
    summary: 'Deletes a package. One that was bought is archived: not sold any more, and renewed for those who have it.',
    input: z.object({ id }),
    output: z.object({ isArchived: z.boolean() }),
  }),
}
