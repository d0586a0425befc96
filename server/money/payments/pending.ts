import type Stripe from 'stripe'
import { Refusal } from '../../refuse.ts'
import { asked, isInvalid } from './card.ts'
import { idOf } from './meaning.ts'

/** The subscription stays until payment. A declined card takes the change back. Throws Refusal in the provider's words. */
export async function payDifference(client: Stripe, id: string, items: { id: string; price: string }[]): Promise<void> {
  const changed = await asked(
    client.subscriptions.update(id, {
      ...{ items, proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' },
    }),
  )
  const invoiceId = pendingInvoiceOf(changed)
  if (invoiceId === undefined) return
  const intent = intentOf((await askInvoice(client, invoiceId)).payments)
  if (intent?.status === 'requires_action' || intent?.status === 'processing') return
  await voidInvoice(client, invoiceId)
  const text = intent?.last_payment_error?.message
  throw new Refusal('card_refused', text === undefined ? undefined : { text })
}

function pendingInvoiceOf({ pending_update: pending, latest_invoice: invoice }: Stripe.Subscription): string | undefined {
  if (!pending || invoice === null) return undefined
  return idOf(invoice)
}

/** True if a change waits for payment. */
export const isPending = async (client: Stripe, subscriptionId: string): Promise<boolean> =>
  pendingInvoiceOf(await asked(client.subscriptions.retrieve(subscriptionId))) !== undefined

/** The portal cancels by a time. */
export const isCancelled = ({ cancel_at_period_end: isAtEnd, cancel_at: endsAt }: Stripe.Subscription): boolean =>
  isAtEnd || endsAt !== null

export const endsWithPeriod = ({ cancel_at_period_end: isAtEnd, cancel_at: endsAt, items }: Stripe.Subscription): boolean =>
  isAtEnd || (endsAt !== null && endsAt <= (items.data[0]?.current_period_end ?? endsAt))

/** Takes a cancellation back. */
export async function goOn(client: Stripe, subscription: Stripe.Subscription): Promise<Stripe.Subscription> {
  if (!isCancelled(subscription)) return subscription
  const change = subscription.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' as const }
  return await asked(client.subscriptions.update(subscription.id, change))
}

/** Ends it with all that could still be collected. */
export async function endNow(client: Stripe, { id, customer }: Stripe.Subscription): Promise<void> {
  const { data: open } = await asked(client.invoices.list({ customer: idOf(customer) ?? '', status: 'open', limit: 100 }))
  // If the rest fails, nothing can be collected.
  for (const invoice of open)
    if (invoice.id && idOf(invoice.parent?.subscription_details?.subscription) === id) await voidInvoice(client, invoice.id)
  await asked(client.subscriptions.cancel(id))
}

/** The invoice can be paid no more. */
export async function dropPending(client: Stripe, subscription: Stripe.Subscription): Promise<void> {
  const invoiceId = pendingInvoiceOf(subscription)
  if (invoiceId !== undefined) await voidInvoice(client, invoiceId)
}

/** What is paid in this moment, or settles already, stays. */
async function voidInvoice(client: Stripe, id: string): Promise<void> {
  try {
    await asked(client.invoices.voidInvoice(id))
  } catch (error) {
    if (!isInvalid(error)) throw error
    const { status, payments } = await askInvoice(client, id)
    if (status === 'open' && intentOf(payments)?.status !== 'processing') throw error
  }
}

const askInvoice = (client: Stripe, id: string): Promise<Stripe.Invoice> =>
  asked(client.invoices.retrieve(id, { expand: ['payments.data.payment.payment_intent'] }))

const intentOf = (payments: Stripe.Invoice['payments']): Stripe.PaymentIntent | undefined =>
  payments?.data.map(({ payment }) => payment.payment_intent).find((each) => typeof each === 'object')
