import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { done, instant, nothing } from '../ground/shapes.ts'
import { PLAN_LIMITS } from './planlimits.ts'
import { tierShape } from './plans.ts'

/** What is sold beside the built-in plans. Prices are US cents, -1 in a limit means none. */
export const packageShape = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  tier: tierShape,
  monthlyPrice: z.number().int(),
  yearlyPrice: z.number().int(),
  messagesLimit: z.number().int(),
  fileStorageGB: z.number().int(),
  voiceCallMinutes: z.number().int(),
  videoCallMinutes: z.number().int(),
  advancedEncryption: z.boolean(),
  prioritySupport: z.boolean(),
  customBranding: z.boolean(),
  apiAccess: z.boolean(),
  isActive: z.boolean(),
  displayOrder: z.number().int(),
})
export type Package = z.infer<typeof packageShape>

export const billingPeriodShape = z.enum(['monthly', 'yearly'])
export type BillingPeriod = z.infer<typeof billingPeriodShape>

/** Whose counters these are: what a paid account sends, or what a free one receives. Null means no limit. */
export const usageShape = z.object({
  messagesUsed: z.number().int(),
  fileStorageUsedMB: z.number(),
  videoCallMinutesUsed: z.number().int(),
  messagesLimit: z.number().int().nullable(),
  fileStorageLimitMB: z.number().nullable(),
  videoCallMinutesLimit: z.number().int().nullable(),
})
export type Usage = z.infer<typeof usageShape>

/** How cards are paid here: by Stripe, by the sandbox without real money, or not at all. */
export const cardProviderShape = z.enum(['stripe', 'sandbox', 'off'])

export const subscriptionShape = z.object({
  tier: tierShape,
  packageId: z.uuid().nullable(),
  /** When the paid time ends; null for a free account, and for a plan that was given without an end. */
  endDate: instant.nullable(),
  /** Null where no card subscription runs. */
  card: z
    .object({
      tier: tierShape,
      packageId: z.uuid().nullable(),
      billingPeriod: billingPeriodShape,
      /** When it is paid next, or ends. */
      periodEnd: instant,
      /** False once it was cancelled: it ends with the period. */
      renews: z.boolean(),
      /** The last payment has failed; the plan goes on until `graceUntil`. */
      hasFailed: z.boolean(),
      graceUntil: instant.nullable(),
      /**
       * A payment that the person has to make or confirm at the provider’s page: of a larger plan (`change`), until when the plan stays as it
       * is, or of a renewal that has failed. Null if there is none.
       */
      waiting: z
        .object({
          kind: z.enum(['change', 'renewal']),
          url: z.string(),
          amountCents: z.number().int(),
          tier: tierShape,
          until: instant.nullable(),
        })
        .nullable(),
    })
    .nullable(),
  /** True if this account has paid by card before, so that the provider has invoices and receipts. */
  hasInvoices: z.boolean(),
  /** What the Master plan costs here, in US cents; null for a period that it is not sold for. */
  masterPrice: z.object({ monthlyCents: z.number().int().nullable(), yearlyCents: z.number().int().nullable() }),
  /** What the refund button pays back, in US cents; null if it does not. */
  refundableCents: z.number().int().nullable(),
  cardProvider: cardProviderShape,
})
export type Subscription = z.infer<typeof subscriptionShape>

const choice = {
  billingPeriod: billingPeriodShape.default('monthly'),
  /** The first active Premium package if absent. */
  packageId: z.uuid().optional(),
  /** Handed on to the provider, never kept. */
  paymentMethodId: z.string().max(200).optional(),
}

export const paymentsApi = {
  packages: endpoint({
    method: 'GET',
    path: '/api/packages',
    access: 'signed_in',
    summary: 'What is sold beside the built-in plans, in the order in which it is shown.',
    input: nothing,
    output: z.array(packageShape).max(PLAN_LIMITS.packagesMax),
  }),
  usage: endpoint({
    method: 'GET',
    path: '/api/subscription/usage',
    access: 'signed_in',
    summary: 'What the account has used this month (UTC): what it has sent, or on the free plan what it has received.',
    input: nothing,
    output: usageShape,
  }),
  subscription: endpoint({
    method: 'GET',
    path: '/api/subscription',
    access: 'signed_in',
    summary: 'The plan of the account, until when, and its card subscription.',
    input: nothing,
    output: subscriptionShape,
  }),
  checkout: endpoint({
    method: 'POST',
    path: '/api/create-checkout-session',
    access: 'signed_in',
    rates: ['payments'],
    summary:
      'Begins a payment by card at the provider’s page. The plan comes with the provider’s confirmation, never with the return.',
    input: z.object({ planType: z.enum(['test', 'premium']), ...choice }),
    output: z.object({ sessionId: z.string(), url: z.string() }),
  }),
  upgrade: endpoint({
    method: 'POST',
    path: '/api/subscription/upgrade',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Changes the plan: to a larger one at once, against payment; to a smaller one when the paid time ends.',
    input: z.object({
      tier: z.enum(['free', 'test', 'premium', 'master']),
      ...choice,
      /** True if the caller can show the provider’s form in a frame. */
      embedded: z.boolean().default(false),
    }),
    output: z.object({
      /** The provider’s page, where a payment is needed. */
      checkoutUrl: z.string().optional(),
      /** Instead of that page: opens the provider’s form in the page at `frameUrl`, which has another origin. */
      clientSecret: z.string().optional(),
      frameUrl: z.string().optional(),
      success: z.boolean().optional(),
    }),
  }),
  preview: endpoint({
    method: 'POST',
    path: '/api/subscription/preview',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'What a change of the card subscription costs now, in US cents.',
    input: z.object({ tier: z.enum(['test', 'premium', 'master']), ...choice }),
    output: z.object({ dueNowCents: z.number().int() }),
  }),
  keep: endpoint({
    method: 'POST',
    path: '/api/subscription/keep',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Undoes a cancellation: the card subscription goes on.',
    input: nothing,
    output: done,
  }),
  portal: endpoint({
    method: 'POST',
    path: '/api/subscription/portal',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'The address of the provider’s page for card, invoices and receipts.',
    input: nothing,
    output: z.object({ url: z.string() }),
  }),
  refund: endpoint({
    method: 'POST',
    path: '/api/subscription/refund',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Pays a card subscription back that began within 30 days, and ends it. Once for each account.',
    input: nothing,
    output: z.object({ refundedCents: z.number().int() }),
  }),
  webhook: endpoint({
    method: 'POST',
    path: '/api/webhooks/stripe',
    access: 'anyone',
    summary: 'What the card provider tells, signed. Each event counts once.',
    input: nothing,
    output: done,
    body: 'raw',
  }),
}
