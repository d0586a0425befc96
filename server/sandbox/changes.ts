import { type Bill, beginTransfer, endOf, invoiceOf, markPaid } from './invoices.ts'
import { type Customer, chargeCard, type Invoice, isBank, type Price, SandboxError, type Subscription } from './objects.ts'
import type { Desk } from './sandbox.ts'

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

/** The time in which a change that waits can be paid. */
const PENDING_SECONDS = 23 * 60 * 60

/** Changes the price of a subscription and bills the difference. A change whose payment does not succeed at once waits for it. */
export async function changePrice(desk: Desk, subscription: Subscription, price: Price, isProrated: boolean): Promise<void> {
  const [item] = subscription.items.data
  if (!isProrated) {
    item.price = price
    return
  }
  const { cents, period } = prorated(desk, subscription, price)
  const { _card: number } = await desk.find<Customer>(subscription.customer, 'customer')
  const invoice = invoiceOf(desk, { subscription, price, reason: 'subscription_update', cents, period })
  subscription._next = { price, period }
  try {
    if (takesBank(subscription, number)) {
      beginTransfer(desk, invoice, number)
      subscription.pending_update = { expires_at: desk.now + PENDING_SECONDS }
    } else {
      chargeCard(number, true)
      markPaid(invoice, number)
      applyNext(subscription)
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    invoice._refusal = { message: error.message, code: error.code }
    subscription.pending_update = { expires_at: desk.now + PENDING_SECONDS }
  }
  await desk.keep(invoice)
  if (invoice.status === 'paid') desk.tell('invoice.paid', invoice)
  else if (invoice._refusal) desk.tell('invoice.payment_action_required', invoice)
}

export const takesBank = ({ payment_settings: { payment_method_types: types } }: Subscription, number: string): boolean =>
  isBank(number) && types === null

/** Makes the change that was waiting. */
export function applyNext(subscription: Subscription): void {
  const [item] = subscription.items.data
  if (subscription._next) {
    const { price, period } = subscription._next
    Object.assign(item, { price, current_period_start: period.start, current_period_end: period.end })
  }
  forgetNext(subscription)
}

function forgetNext(subscription: Subscription): void {
  subscription.pending_update = null
  delete subscription._next
}

/** Voids an open invoice, and with it the change that waits for it. */
export async function voidInvoice(desk: Desk, invoice: Invoice): Promise<Invoice> {
  if (invoice.status !== 'open') throw new SandboxError(400, 'invalid_request_error', 'Only open invoices can be voided.')
  if (invoice._transfer)
    throw new SandboxError(400, 'invalid_request_error', 'An invoice whose payment is processing cannot be voided.')
  const voided = { ...invoice, status: 'void' as const }
  await desk.keep(voided)
  const subscription = invoice.parent && (await subscriptionOf(desk, invoice))
  if (subscription?.latest_invoice === invoice.id) {
    forgetNext(subscription)
    await desk.keep(subscription)
  }
  desk.tell('invoice.voided', voided)
  return voided
}

/** Pays an open invoice while the person is there. Throws SandboxError if the card declines. */
export async function payInvoice(desk: Desk, id: string, number: string): Promise<void> {
  const invoice = await desk.find<Invoice>(id, 'invoice')
  const subscription = await subscriptionOf(desk, invoice)
  if (invoice.status !== 'open' || invoice._transfer)
    throw new SandboxError(400, 'invalid_request_error', 'This invoice is not open.')
  chargeCard(number, false)
  markPaid(invoice, number)
  if (subscription.pending_update && subscription.latest_invoice === id) applyNext(subscription)
  else if (subscription.status !== 'canceled') Object.assign(subscription, { status: 'active', _failures: 0 })
  const customer = await desk.find<Customer>(subscription.customer, 'customer')
  for (const thing of [invoice, subscription, { ...customer, _card: number }]) await desk.keep(thing)
  desk.tell('invoice.paid', invoice)
  desk.tell('customer.subscription.updated', subscription)
}

const subscriptionOf = (desk: Desk, { parent }: Invoice): Promise<Subscription> =>
  desk.find<Subscription>(parent?.subscription_details.subscription ?? '', 'subscription')

/** Gives up a change that nobody has paid in its time. */
export async function dropNext(desk: Desk, subscription: Subscription): Promise<void> {
  const invoice = await desk.find<Invoice>(subscription.latest_invoice, 'invoice')
  if (invoice._transfer) return
  await voidInvoice(desk, invoice)
  forgetNext(subscription)
  desk.tell('customer.subscription.pending_update_expired', subscription)
}
