import { type Invoice, newId, type Price, type Subscription } from './objects.ts'
import type { Desk } from './sandbox.ts'

/** One month or year later, as the provider counts: on the same day, or the last of a shorter month. */
export function endOf(start: number, { recurring }: Price): number {
  const from = new Date(start * 1000)
  const months = recurring.interval === 'year' ? 12 : 1
  const to = new Date(from)
  to.setUTCDate(1)
  to.setUTCMonth(to.getUTCMonth() + months)
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(from.getUTCDate(), days))
  return Math.floor(to.getTime() / 1000)
}

/** The sandbox's prices contain it. */
const TAX_PERCENT = 20

export interface Bill {
  subscription: Subscription
  price: Price
  reason: Invoice['billing_reason']
  cents: number
  period: { start: number; end: number }
}

export function invoiceOf(desk: Desk, { subscription, price, reason, cents, period }: Bill): Invoice {
  const id = newId('in')
  const pricing = { type: 'price_details' as const, price_details: { price: price.id } }
  subscription.latest_invoice = id
  const isTaxed = subscription.automatic_tax?.enabled === true
  return {
    ...{ id, object: 'invoice', status: 'open', customer: subscription.customer },
    ...{ amount_due: cents, amount_paid: 0, currency: 'usd', created: desk.now, billing_reason: reason },
    ...{ total: cents, total_excluding_tax: isTaxed ? Math.round((cents * 100) / (100 + TAX_PERCENT)) : cents },
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: { ...subscription.metadata } },
    },
    lines: { object: 'list', data: [{ object: 'line_item', amount: cents, period, pricing }] },
    hosted_invoice_url: new URL(`/sandbox/invoice/${id}`, subscription._origin).href,
    payments: { object: 'list', data: [paymentOf('open')] },
  }
}

const paymentOf = (status: 'open' | 'paid') => ({
  ...{ object: 'invoice_payment' as const, status },
  payment: { type: 'payment_intent' as const, payment_intent: newId('pi') },
})

const SETTLES_SECONDS = 4 * 24 * 60 * 60

export function beginTransfer(desk: Desk, invoice: Invoice, bank: string): void {
  invoice._transfer = { bank, settlesAt: desk.now + SETTLES_SECONDS }
  delete invoice._refusal
}

export function markPaid(invoice: Invoice, number: string): void {
  invoice._card = number
  invoice.status = 'paid'
  invoice.amount_paid = invoice.amount_due
  invoice.payments.data = [paymentOf('paid')]
  delete invoice._refusal
  delete invoice._transfer
}
