import { RECEIPT_LIMITS } from '../contract/money/receipts.ts'
import type { Request, Scene } from './scene.ts'

const by =
  (input: (scene: Scene) => Record<string, unknown> = () => ({})): Request =>
  async (scene) => ({ who: scene.alice, input: input(scene) })

const BUSINESS = {
  name: 'x'.repeat(RECEIPT_LIMITS.nameMax),
  address: 'x'.repeat(RECEIPT_LIMITS.addressMax),
  taxId: 'x'.repeat(RECEIPT_LIMITS.taxIdMax),
}

/** What of each call for plans and cards costs the server most, as in `DEAREST`. What asks the provider waits for it, not for us. */
export const PAYMENTS: Record<string, Record<string, Request>> = {
  'GET /api/offers': { 'all that strangers are shown': by() },
  'GET /api/packages': { 'all of them': by() },
  'GET /api/subscription/usage': { 'of as many chats as may be': by() },
  'GET /api/subscription': { 'of an account without a card': by() },
  'POST /api/create-checkout-session': { 'of a plan that counts already': by(() => ({ planType: 'test' })) },
  'POST /api/subscription/upgrade': { 'to the plan that counts already': by(() => ({ tier: 'test' })) },
  'POST /api/subscription/settle': { 'without a checkout': by() },
  'POST /api/subscription/preview': { 'without a subscription': by(() => ({ tier: 'premium' })) },
  'POST /api/subscription/keep': { 'without a subscription': by() },
  'POST /api/subscription/portal': { 'without a subscription': by() },
  'POST /api/subscription/refund': { 'of nothing': by() },
  'GET /api/receipts': { 'those of nobody': by() },
  'GET /api/receipts/:number': { 'one that is nobody’s': by(() => ({ number: 'x'.repeat(RECEIPT_LIMITS.numberMax) })) },
  'GET /api/business-details': { none: by() },
  'PUT /api/business-details': { 'the longest': by(() => BUSINESS) },
  'DELETE /api/business-details': { 'nothing in it': by() },
  'POST /api/webhooks/stripe': { 'a body that nobody has signed': by() },
}
