import type Stripe from 'stripe'
import { fingerprintOf, type Invoice, isBank, newId, type Subscription } from './objects.ts'

export interface Told {
  type: Stripe.Event['type']
  object: object
}

/** The same with all that Stripe tells beside it: https://docs.stripe.com/api/events/types. */
export const wholeOf = (told: Told[]): Told[] => told.flatMap((each) => [...besides(each), each])

function besides({ type, object }: Told): Told[] {
  // Each event tells the object as its operation left it.
  if (type === 'invoice.paid') return ofPayment(object as Invoice)
  if (type === 'customer.subscription.created') return ofStart(object as Subscription)
  return []
}

const paidBy = ({ payments }: Invoice): string => payments.data[0]?.payment.payment_intent ?? ''

export const chargeOf = (invoice: Invoice) => ({
  ...{ id: newId('ch'), object: 'charge' as const, customer: invoice.customer, payment_intent: paidBy(invoice) },
  ...{ amount: invoice.amount_paid, amount_refunded: 0, disputed: false },
  payment_method_details: paidWith(invoice),
})

const paidWith = ({ _card: number = '' }: Invoice) =>
  isBank(number) ? { type: 'us_bank_account' as const } : { type: 'card' as const, card: { fingerprint: fingerprintOf(number) } }

export const intentOf = (invoice: Invoice, status: 'requires_payment_method' | 'succeeded') => ({
  ...{ id: paidBy(invoice), object: 'payment_intent' as const, customer: invoice.customer, amount: invoice.amount_paid, status },
})

export const methodOf = ({ customer }: Subscription) => ({
  ...{ id: newId('pm'), object: 'payment_method' as const, type: 'card' as const, customer },
})

function ofPayment(invoice: Invoice): Told[] {
  const charge = chargeOf(invoice)
  const unpaid = { ...invoice, amount_paid: 0, status: 'open' }
  return [
    { type: 'payment_intent.created', object: intentOf(invoice, 'requires_payment_method') },
    { type: 'invoice.created', object: { ...unpaid, status: 'draft' } },
    { type: 'invoice.finalized', object: unpaid },
    { type: 'charge.succeeded', object: charge },
    { type: 'charge.updated', object: charge },
    { type: 'payment_intent.succeeded', object: intentOf(invoice, 'succeeded') },
    { type: 'invoice_payment.paid', object: { ...invoice.payments.data[0], invoice: invoice.id } },
    { type: 'invoice.updated', object: invoice },
    { type: 'invoice.payment_succeeded', object: invoice },
  ]
}

function ofStart(subscription: Subscription): Told[] {
  return [
    { type: 'payment_method.attached', object: methodOf(subscription) },
    { type: 'customer.updated', object: { id: subscription.customer, object: 'customer' } },
    { type: 'customer.subscription.updated', object: { ...subscription, status: 'incomplete' } },
  ]
}
