import { applyNext, dropNext, takesBank, voidInvoice } from './changes.ts'
import { beginTransfer, endOf, invoiceOf, markPaid } from './invoices.ts'
import {
  bankPays,
  type Customer,
  chargeCard,
  type Invoice,
  isBank,
  newId,
  SandboxError,
  type Session,
  type Subscription,
} from './objects.ts'
import type { Desk, Sandbox } from './sandbox.ts'

/** After so many failed renewals in a row the subscription ends. */
const FAILURES_MAX = 8
/** Two weeks of attempts, as Stripe recommends them. */
const RETRY_SECONDS = 2 * 24 * 60 * 60

/**
 * Pays an open checkout. `origin` is where the pages of its invoices are. Throws SandboxError if the card declines: the checkout stays
 * open.
 */
export async function payCheckout(desk: Desk, sessionId: string, number: string, origin: string): Promise<Session> {
  const session = await desk.find<Session>(sessionId, 'checkout.session')
  if (session.status !== 'open' || session.expires_at <= desk.now)
    throw new SandboxError(400, 'invalid_request_error', 'This checkout is over.')
  const isSlow = isBank(number) && session.allowed_payment_method_types?.includes('us_bank_account') !== false
  if (!isSlow) chargeCard(number, false)
  const customer = await desk.find<Customer>(session.customer, 'customer')
  await desk.keep({ ...customer, _card: number })
  const end = endOf(desk.now, session._price)
  const item = { id: newId('si'), object: 'subscription_item' as const, current_period_start: desk.now, current_period_end: end }
  const subscription: Subscription = {
    ...{ id: newId('sub'), object: 'subscription', status: 'active', customer: session.customer, metadata: session._metadata },
    currency: session._price.currency,
    ...{ created: desk.now, start_date: desk.now, cancel_at_period_end: false, cancel_at: null, canceled_at: null },
    ...{ pending_update: null, latest_invoice: '', payment_settings: { payment_method_types: null } },
    items: { object: 'list', data: [{ ...item, price: session._price }] },
    ...{ _failures: 0, _origin: origin, ...(session.automatic_tax && { automatic_tax: session.automatic_tax }) },
  }
  const period = { start: desk.now, end }
  const invoice = invoiceOf(desk, {
    subscription,
    price: session._price,
    reason: 'subscription_create',
    cents: session.amount_total,
    period,
  })
  if (isSlow) beginTransfer(desk, invoice, number)
  else markPaid(invoice, number)
  Object.assign(session, {
    ...{ status: 'complete', payment_status: isSlow ? 'unpaid' : 'paid', subscription: subscription.id },
  })
  for (const thing of [subscription, invoice, session]) await desk.keep(thing)
  desk.tell('customer.subscription.created', subscription)
  if (!isSlow) desk.tell('invoice.paid', invoice)
  desk.tell('checkout.session.completed', session)
  return session
}

/** Ends the period of a subscription: bills the next one, or ends it where it was cancelled. */
export async function renew(desk: Desk, subscription: Subscription): Promise<void> {
  const [item] = subscription.items.data
  if (subscription.cancel_at_period_end || subscription.cancel_at !== null) return await endSubscription(desk, subscription)
  const start = item.current_period_end
  Object.assign(item, { current_period_start: start, current_period_end: endOf(start, item.price) })
  const period = { start, end: item.current_period_end }
  const invoice = invoiceOf(desk, {
    subscription,
    price: item.price,
    reason: 'subscription_cycle',
    cents: item.price.unit_amount,
    period,
  })
  await charge(desk, subscription, invoice)
}

/** Tries to collect an invoice by the customer’s card. */
export async function charge(desk: Desk, subscription: Subscription, invoice: Invoice): Promise<void> {
  const { _card: number } = await desk.find<Customer>(subscription.customer, 'customer')
  if (takesBank(subscription, number)) {
    beginTransfer(desk, invoice, number)
    for (const thing of [invoice, subscription]) await desk.keep(thing)
    return desk.tell('customer.subscription.updated', subscription)
  }
  await collect(desk, subscription, invoice, number, () => chargeCard(number, true))
}

async function collect(
  desk: Desk,
  subscription: Subscription,
  invoice: Invoice,
  number: string,
  take: () => void,
): Promise<void> {
  try {
    take()
    markPaid(invoice, number)
    if (subscription.pending_update && subscription.latest_invoice === invoice.id) applyNext(subscription)
    if (subscription.status !== 'canceled') Object.assign(subscription, { status: 'active', _failures: 0 })
    desk.tell('invoice.paid', invoice)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    invoice._refusal = { message: error.message, code: error.code }
    const isOver = subscription.status === 'canceled'
    if (!isOver) Object.assign(subscription, { status: 'past_due', _failures: subscription._failures + 1 })
    desk.tell('invoice.payment_failed', invoice)
  }
  await desk.keep(invoice)
  if (subscription.status === 'canceled') return
  if (subscription._failures >= FAILURES_MAX) return await endSubscription(desk, subscription)
  await desk.keep(subscription)
  desk.tell('customer.subscription.updated', subscription)
}

export async function endSubscription(desk: Desk, subscription: Subscription): Promise<void> {
  Object.assign(subscription, { status: 'canceled', canceled_at: desk.now })
  await desk.keep(subscription)
  desk.tell('customer.subscription.deleted', subscription)
}

const openInvoices = async (desk: Desk, { id, customer }: Subscription): Promise<Invoice[]> =>
  (await desk.list<Invoice>('invoice', customer)).filter(
    ({ status, parent }) => status === 'open' && parent?.subscription_details.subscription === id,
  )

/** The renewal that could not be collected yet. */
export const openRenewal = async (desk: Desk, subscription: Subscription): Promise<Invoice | undefined> =>
  (await openInvoices(desk, subscription)).find(({ billing_reason }) => billing_reason === 'subscription_cycle')

async function settleTransfers(desk: Desk, subscription: Subscription): Promise<void> {
  for (const invoice of await openInvoices(desk, subscription)) {
    const { _transfer: transfer, ...settled } = invoice
    if (!transfer || transfer.settlesAt > desk.now) continue
    if (bankPays(transfer.bank)) await collect(desk, subscription, settled, transfer.bank, () => undefined)
    else if (subscription.pending_update && subscription.latest_invoice === invoice.id) await voidInvoice(desk, settled)
    else
      await collect(desk, subscription, settled, transfer.bank, () => {
        throw new SandboxError(402, 'card_error', 'The bank has refused the payment.', 'debit_not_authorized')
      })
  }
}

/** Renews what is due, and tries again to collect what could not be paid. */
async function renewDue(desk: Desk): Promise<void> {
  for (const listed of await desk.list<Subscription>('subscription')) {
    await settleTransfers(desk, listed)
    const subscription = await desk.find<Subscription>(listed.id, 'subscription')
    if (subscription.status === 'canceled') continue
    const { pending_update: pending } = subscription
    if (pending && pending.expires_at <= desk.now) await dropNext(desk, subscription)
    const invoice = await openRenewal(desk, subscription)
    if (invoice?._transfer) continue
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
