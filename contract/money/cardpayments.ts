import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { instant, userId } from '../ground/shapes.ts'
import { billingPeriodShape } from './payments.ts'
import { tierShape } from './plans.ts'

const cents = z.number().int().nonnegative()
/** What the provider calls it. */
const providerName = z.string().max(255)

const returnShape = z.object({
  kind: z.enum(['refund', 'refund_failed', 'dispute', 'dispute_won']),
  amountCents: cents,
  at: instant,
  reference: providerName.nullable(),
})

const cardPaymentShape = z.object({
  /** The list goes on before it. */
  place: z.number().int().positive(),
  /** `username` is null for a deleted account. */
  payer: z.object({ id: userId, username: z.string().nullable() }),
  tier: tierShape,
  packageName: z.string().nullable(),
  billingPeriod: billingPeriodShape.nullable(),
  amountCents: cents,
  paidAt: instant,
  startsAt: instant,
  endsAt: instant.nullable(),
  invoice: providerName,
  /** The provider’s payment. */
  reference: providerName.nullable(),
  /** The oldest first. */
  returns: z.array(returnShape).max(LIMITS.adminPage),
})
export type CardPayment = z.infer<typeof cardPaymentShape>

export const cardPaymentsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/card-payments',
    access: 'admin',
    rates: ['administration'],
    summary:
      'Payments by card, the newest first, with what was paid back or disputed. `named`: a whole username or account id, or what the provider calls the customer, invoice, payment, refund or dispute.',
    input: z.object({
      named: z.string().trim().min(1).max(255).optional(),
      before: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
    }),
    output: z.object({ payments: z.array(cardPaymentShape).max(LIMITS.adminPage), hasMore: z.boolean() }),
  }),
}
