import { createHash, randomBytes } from 'node:crypto'

// What the card provider keeps, in its own words: https://docs.stripe.com/api. Of each object the fields that our calls read. What begins
// with _ is the sandbox's own and never leaves it.

export interface Customer {
  id: string
  object: 'customer'
  metadata: Record<string, string>
  /** The number of the test card. */
  _card: string
}

export interface Price {
  id: string
  object: 'price'
  active: boolean
  lookup_key: string | null
  unit_amount: number
  currency: string
  recurring: { interval: 'month' | 'year'; interval_count: number; usage_type: 'licensed' }
  _name: string
}

export interface Session {
  id: string
  object: 'checkout.session'
  mode: 'subscription'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  customer: string
  subscription: string | null
  amount_total: number
  currency: string
  /** The page of a hosted checkout, and where it returns to. */
  url: string | null
  success_url: string | null
  cancel_url: string | null
  /** Opens the form of an embedded checkout. */
  client_secret: string | null
  expires_at: number
  allowed_payment_method_types: string[] | null
  automatic_tax?: { enabled: boolean }
  _price: Price
  _metadata: Record<string, string>
}

export interface Subscription {
  id: string
  object: 'subscription'
  status: 'active' | 'past_due' | 'canceled'
  customer: string
  metadata: Record<string, string>
  currency: string
  created: number
  start_date: number
  cancel_at_period_end: boolean
  cancel_at: number | null
  canceled_at: number | null
  /** A change that waits for the payment of the latest invoice. */
  pending_update: { expires_at: number } | null
  latest_invoice: string
  payment_settings: { payment_method_types: 'card'[] | null }
  automatic_tax?: { enabled: boolean }
  items: {
    object: 'list'
    data: [{ id: string; object: 'subscription_item'; current_period_start: number; current_period_end: number; price: Price }]
  }
  /** Renewals that could not be paid, in a row. */
  _failures: number
  /** Serves the pages of its invoices. */
  _origin: string
  /** What the change that waits makes of it. */
  _next?: { price: Price; period: { start: number; end: number } }
}

export interface Invoice {
  id: string
  object: 'invoice'
  status: 'paid' | 'open' | 'void'
  customer: string
  amount_due: number
  amount_paid: number
  total: number
  total_excluding_tax: number
  currency: string
  created: number
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  hosted_invoice_url: string
  /** Null for what an operator writes by hand. */
  parent: {
    type: 'subscription_details'
    subscription_details: { subscription: string; metadata: Record<string, string> }
  } | null
  lines: {
    object: 'list'
    data: {
      object: 'line_item'
      amount: number
      period: { start: number; end: number }
      pricing: { type: 'price_details'; price_details: { price: string } }
    }[]
  }
  payments: {
    object: 'list'
    data: {
      object: 'invoice_payment'
      status: 'open' | 'paid'
      payment: { type: 'payment_intent'; payment_intent: string }
    }[]
  }
  /** The number of the card that has paid it. */
  _card?: string
  /** Why it is not paid yet. */
  _refusal?: { message: string; code: Code | undefined }
  _transfer?: { bank: string; settlesAt: number }
}

export interface Refund {
  id: string
  object: 'refund'
  amount: number
  payment_intent: string
  status: 'succeeded' | 'failed'
  _customer: string
}

/** A payment that its payer's bank took back. */
export interface Dispute {
  id: string
  object: 'dispute'
  amount: number
  currency: string
  payment_intent: string
  status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost'
  _customer: string
}

export type Thing = Customer | Price | Session | Subscription | Invoice | Refund | Dispute

export const newId = (prefix: string): string => `${prefix}_sandbox_${randomBytes(12).toString('hex')}`

/** A copy as the provider answers it. */
export const shown = (thing: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(thing, (key, value: unknown) => (key.startsWith('_') ? undefined : value)))

/** https://docs.stripe.com/error-codes. */
type Code =
  | 'authentication_required'
  | 'card_declined'
  | 'debit_not_authorized'
  | 'insufficient_funds'
  | 'invalid_number'
  | 'resource_missing'

/** What the provider refuses, with the HTTP status and its words. */
export class SandboxError extends Error {
  readonly status: number
  readonly type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error' | 'rate_limit_error'
  readonly code: Code | undefined
  readonly param: string | undefined
  constructor(status: number, type: SandboxError['type'], message: string, code?: Code, param?: string) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }
}

/** The test cards, by their numbers: https://docs.stripe.com/testing. */
const CARDS: Readonly<
  Record<string, { refusal?: [code: Code, text: string]; failsLater?: boolean; asks3ds?: 'first' | 'always' }>
> = {
  '4242424242424242': {},
  '4000056655665556': {},
  '5555555555554444': {},
  '4000002500003155': { asks3ds: 'first' },
  '4000002760003184': { asks3ds: 'always' },
  '4000000000000002': { refusal: ['card_declined', 'Your card was declined.'] },
  '4000000000009995': { refusal: ['insufficient_funds', 'Your card has insufficient funds.'] },
  '4000000000000341': { failsLater: true },
}

/** The same of a card for whoever pays by it, which does not tell its number. */
export const fingerprintOf = (number: string): string => createHash('sha256').update(number).digest('hex').slice(0, 16)

const BANKS: Readonly<Record<string, 'pays' | 'refuses'>> = { '000123456789': 'pays', '000111111116': 'refuses' }

export const isBank = (number: string): boolean => number in BANKS
export const bankPays = (number: string): boolean => BANKS[number] === 'pays'

/** What the provider says of a payment for which the bank wants to ask the person. */
export const NEEDS_3DS = 'authentication_required'

/** Charges a test card. Throws SandboxError if it declines. `isLater` is a payment without the person there. */
export function chargeCard(number: string, isLater: boolean): void {
  const card = CARDS[number]
  if (!card) throw new SandboxError(402, 'card_error', 'The sandbox takes test cards alone.', 'invalid_number')
  if (card.refusal) throw new SandboxError(402, 'card_error', card.refusal[1], card.refusal[0])
  if (card.asks3ds === 'always' && isLater)
    throw new SandboxError(402, 'card_error', 'Your bank asks you to confirm this payment.', NEEDS_3DS)
  if (card.failsLater && isLater) throw new SandboxError(402, 'card_error', 'Your card was declined.', 'card_declined')
}

export const asks3ds = (number: string): boolean => CARDS[number]?.asks3ds !== undefined
