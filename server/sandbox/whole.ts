import { type Invoice, newId, type Subscription } from './objects.ts'

export interface Told {
  type: string
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

function ofPayment(invoice: Invoice): Told[] {
  const { customer, payments, amount_paid: amount } = invoice
  const payment_intent = payments.data[0]?.payment.payment_intent ?? ''
  const intent = { id: payment_intent, object: 'payment_intent', customer, amount }
  const charge = { id: newId('ch'), object: 'charge', customer, payment_intent, amount, amount_refunded: 0, disputed: false }
  const unpaid = { ...invoice, amount_paid: 0, status: 'open' }
  return [
    { type: 'payment_intent.created', object: { ...intent, status: 'requires_payment_method' } },
    { type: 'invoice.created', object: { ...unpaid, status: 'draft' } },
    { type: 'invoice.finalized', object: unpaid },
    { type: 'charge.succeeded', object: charge },
    { type: 'charge.updated', object: charge },
    { type: 'payment_intent.succeeded', object: { ...intent, status: 'succeeded' } },
    { type: 'invoice_payment.paid', object: { ...payments.data[0], id: newId('inpay'), invoice: invoice.id } },
    { type: 'invoice.updated', object: invoice },
    { type: 'invoice.payment_succeeded', object: invoice },
  ]
}

function ofStart(subscription: Subscription): Told[] {
  const { customer } = subscription
  return [
    { type: 'payment_method.attached', object: { id: newId('pm'), object: 'payment_method', type: 'card', customer } },
    { type: 'customer.updated', object: { id: customer, object: 'customer' } },
    { type: 'customer.subscription.updated', object: { ...subscription, status: 'incomplete' } },
  ]
}
