import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { done, instant, nothing } from '../ground/shapes.ts'
import { PLAN_LIMITS } from './planlimits.ts'
import { tierShape } from './plans.ts'
import { consentShape, termsShape } from './terms.ts'

/** US cents; -1 means no limit. */
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

/** Sent by a paid account, or received by a free one; null means no limit. Limited storage counts what is kept. */
export const usageShape = z.object({
  messagesUsed: z.number().int(),
  fileStorageUsedMB: z.number(),
  videoCallMinutesUsed: z.number().int(),
  messagesLimit: z.number().int().nullable(),
  fileStorageLimitMB: z.number().nullable(),
  videoCallMinutesLimit: z.number().int().nullable(),
})
export type Usage = z.infer<typeof usageShape>

/** `sandbox` moves no real money. */
export const cardProviderShape = z.enum(['stripe', 'sandbox', 'off'])

export const subscriptionShape = z.object({
  tier: tierShape,
  packageId: z.uuid().nullable(),
  /** null for a free account or a plan without an end. */
  endDate: instant.nullable(),
  source: z.enum(['card', 'coin', 'operator', 'family']).optional(),
  /** null without a card subscription. */
  card: z
    .object({
      tier: tierShape,
      packageId: z.uuid().nullable(),
      billingPeriod: billingPeriodShape,
      /** The next payment, or the end. */
      periodEnd: instant,
      /** False after a cancellation. */
      renews: z.boolean(),
      /** The last payment failed; the plan goes on until `graceUntil`. */
      hasFailed: z.boolean(),
      graceUntil: instant.nullable(),
      /** The person pays or confirms at the provider's page: a larger plan (`change`), not given before, or a failed renewal. */
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
  /** The provider has invoices and receipts. */
  hasInvoices: z.boolean(),
  /** US cents; null for a period without a sale. */
  masterPrice: z.object({ monthlyCents: z.number().int().nullable(), yearlyCents: z.number().int().nullable() }),
  /** US cents; null without a refund. */
  refundableCents: z.number().int().nullable(),
  /** The 30-day guarantee is offered here. */
  hasGuarantee: z.boolean().optional(),
  cardProvider: cardProviderShape,
  /** No real money moves. */
  hasTestCards: z.boolean().optional(),
  terms: termsShape.optional(),
})
export type Subscription = z.infer<typeof subscriptionShape>

const choice = {
  billingPeriod: billingPeriodShape.default('monthly'),
  /** The first active Premium package if absent. */
  packageId: z.uuid().optional(),
  /** Handed on, never kept. */
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
    summary:
      'What the account has used this month (UTC): what it has sent, or on the free plan what it has received. Where storage is limited: the files that it keeps.',
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
    input: z.object({ planType: z.enum(['test', 'premium']), ...choice, consent: consentShape.optional() }),
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
      consent: consentShape.optional(),
      /** The caller can show the provider's form in a frame. */
      embedded: z.boolean().default(false),
    }),
    output: z.object({
      checkoutUrl: z.string().optional(),
      /** Opens the form at `frameUrl`, of another origin. */
      clientSecret: z.string().optional(),
      frameUrl: z.string().optional(),
      success: z.boolean().optional(),
    }),
  }),
  settle: endpoint({
    method: 'POST',
    path: '/api/subscription/settle',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Asks the card provider about the own checkout, if one is open: a payment counts then without its event.',
    input: nothing,
    output: done,
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
    summary:
      'Pays back what was bought by card within 30 days, and ends the subscription. Once for an account, and once for a card.',
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
    bodyLimitBytes: PLAN_LIMITS.webhookBytes,
  }),
}
