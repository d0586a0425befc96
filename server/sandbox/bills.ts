import {
  type Customer,
  chargeCard,
  type Invoice,
  newId,
  type Price,
  SandboxError,
  type Session,
  type Subscription,
} from './objects.ts'
import type { Desk, Sandbox } from './sandbox.ts'

/** After so many failed renewals in a row the subscription ends. */
const FAILURES_MAX = 4
const RETRY_SECONDS = 3 * 24 * 60 * 60

/** One month or year later, as the provider counts: on the same day, or the last of a shorter month. */
function endOf(start: number, { recurring }: Price): number {
  const from = new Date(start * 1000)
  const months = recurring.interval === 'year' ? 12 : 1
  const to = new Date(from)
  to.setUTCDate(1)
  to.setUTCMonth(to.getUTCMonth() + months)
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(from.getUTCDate(), days))
  return Math.floor(to.getTime() / 1000)
}

interface Bill {
  subscription: Subscription
  reason: Invoice['billing_reason']
  cents: number
  period: { start: number; end: number }
}

function invoiceOf(desk: Desk, { subscription, reason, cents, period }: Bill): Invoice {
  return {
    ...{ id: newId('in'), object: 'invoice', status: 'open', customer: subscription.customer },
    ...{ amount_due: cents, amount_paid: 0, currency: 'usd', created: desk.now, billing_reason: reason },
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: { ...subscription.metadata } },
    },
    lines: { object: 'list', data: [{ object: 'line_item', amount: cents, period }] },
    payments: { object: 'list', data: [] },
  }
}

function markPaid(invoice: Invoice): void {
  invoice.status = 'paid'
  invoice.amount_paid = invoice.amount_due
  const payment = { type: 'payment_intent' as const, payment_intent: newId('pi') }
  invoice.payments.data = [{ object: 'invoice_payment', status: 'paid', payment }]
}

/** Pays an open checkout. Throws SandboxError if the card declines: the checkout stays open. */
export async function payCheckout(desk: Desk, sessionId: string, number: string): Promise<Session> {
  const session = await desk.find<Session>(sessionId, 'checkout.session')
  if (session.status !== 'open' || session.expires_at <= desk.now)
    throw new SandboxError(400, 'invalid_request_error', 'This checkout is over.')
  chargeCard(number, false)
  const customer = await desk.find<Customer>(session.customer, 'customer')
  await desk.keep({ ...customer, _card: number })
  const end = endOf(desk.now, session._price)
  const item = { id: newId('si'), object: 'subscription_item' as const, current_period_start: desk.now, current_period_end: end }
  const subscription: Subscription = {
    ...{ id: newId('sub'), object: 'subscription', status: 'active', customer: session.customer, metadata: session._metadata },
    ...{ created: desk.now, start_date: desk.now, cancel_at_period_end: false, cancel_at: null, canceled_at: null },
    items: { object: 'list', data: [{ ...item, price: session._price }] },
    _failures: 0,
  }
  const period = { start: desk.now, end }
  const invoice = invoiceOf(desk, { subscription, reason: 'subscription_create', cents: session.amount_total, period })
  markPaid(invoice)
  Object.assign(session, { status: 'complete', payment_status: 'paid', subscription: subscription.id })
  for (const thing of [subscription, invoice, session]) await desk.keep(thing)
  desk.tell('customer.subscription.created', subscription)
  desk.tell('invoice.paid', invoice)
  desk.tell('checkout.session.completed', session)
  return session
}

/** What a change to that price costs now: the new price for the rest of the period, less the rest of what was paid. */
export function prorated(desk: Desk, { items }: Subscription, price: Price): { cents: number; period: Bill['period'] } {
  const [{ current_period_start: start, current_period_end: end, price: before }] = items.data
  const rest = (end - desk.now) / (end - start)
  const isOtherInterval = price.recurring.interval !== before.recurring.interval
  const newCents = isOtherInterval ? price.unit_amount : Math.round(price.unit_amount * rest)
  return {
    cents: Math.max(0, newCents - Math.round(before.unit_amount * rest)),
    period: { start: desk.now, end: isOtherInterval ? endOf(desk.now, price) : end },
  }
}

/** Changes the price of a subscription and bills the difference. Throws SandboxError, and changes nothing, if the card declines. */
export async function changePrice(desk: Desk, subscription: Subscription, price: Price, isProrated: boolean): Promise<void> {
  const [item] = subscription.items.data
  if (isProrated) {
    const { cents, period } = prorated(desk, subscription, price)
    const { _card: number } = await desk.find<Customer>(subscription.customer, 'customer')
    chargeCard(number, true)
    const invoice = invoiceOf(desk, { subscription, reason: 'subscription_update', cents, period })
    markPaid(invoice)
    Object.assign(item, { current_period_start: period.start, current_period_end: period.end })
    await desk.keep(invoice)
    desk.tell('invoice.paid', invoice)
  }
  item.price = price
}

/** Ends the period of a subscription: bills the next one, or ends it where it was cancelled. */
export async function renew(desk: Desk, subscription: Subscription): Promise<void> {
  const [item] = subscription.items.data
  if (subscription.cancel_at_period_end) return await endSubscription(desk, subscription)
  const start = item.current_period_end
  Object.assign(item, { current_period_start: start, current_period_end: endOf(start, item.price) })
  const period = { start, end: item.current_period_end }
  const invoice = invoiceOf(desk, { subscription, reason: 'subscription_cycle', cents: item.price.unit_amount, period })
  await charge(desk, subscription, invoice)
}

/** Tries to collect an invoice by the customer’s card. */
export async function charge(desk: Desk, subscription: Subscription, invoice: Invoice): Promise<void> {
  const { _card: number } = await desk.find<Customer>(subscription.customer, 'customer')
  try {
    chargeCard(number, true)
    markPaid(invoice)
    Object.assign(subscription, { status: 'active', _failures: 0 })
    desk.tell('invoice.paid', invoice)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    Object.assign(subscription, { status: 'past_due', _failures: subscription._failures + 1 })
    desk.tell('invoice.payment_failed', invoice)
  }
  await desk.keep(invoice)
  if (subscription._failures >= FAILURES_MAX) return await endSubscription(desk, subscription)
  await desk.keep(subscription)
  desk.tell('customer.subscription.updated', subscription)
}

export async function endSubscription(desk: Desk, subscription: Subscription): Promise<void> {
  Object.assign(subscription, { status: 'canceled', canceled_at: desk.now })
  await desk.keep(subscription)
  for (const invoice of await openInvoices(desk, subscription)) await desk.keep({ ...invoice, status: 'void' })
  desk.tell('customer.subscription.deleted', subscription)
}

export const openInvoices = async (desk: Desk, { id, customer }: Subscription): Promise<Invoice[]> =>
  (await desk.list<Invoice>('invoice', customer)).filter(
    ({ status, parent }) => status === 'open' && parent.subscription_details.subscription === id,
  )

/** Renews what is due, and tries again to collect what could not be paid. */
async function renewDue(desk: Desk): Promise<void> {
  for (const subscription of await desk.list<Subscription>('subscription')) {
    if (subscription.status === 'canceled') continue
    const [invoice] = await openInvoices(desk, subscription)
    if (invoice && desk.now >= invoice.created + subscription._failures * RETRY_SECONDS) await charge(desk, subscription, invoice)
    else if (!invoice && subscription.items.data[0].current_period_end <= desk.now) await renew(desk, subscription)
  }
}

/** The same as a job. */
export const renewalsOf = (sandbox: Sandbox) => async (): Promise<boolean> => {
  await sandbox.run(renewDue)
  await sandbox.deliver()
  return false
}
