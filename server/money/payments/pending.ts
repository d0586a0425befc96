import type Stripe from 'stripe'
import { Refusal } from '../../refuse.ts'
import { asked } from './card.ts'

/**
 * Changes the price against payment. Until it is paid the subscription stays as it was: the change waits for the person where the bank
 * asks for a confirmation. Throws Refusal with the words of the provider, and takes the change back, where the card was declined.
 */
export async function payDifference(client: Stripe, id: string, items: { id: string; price: string }[]): Promise<void> {
  const changed = await asked(
    client.subscriptions.update(id, {
      ...{ items, proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' },
    }),
  )
  const invoiceId = pendingInvoiceOf(changed)
  if (invoiceId === undefined) return
  const { payments } = await asked(client.invoices.retrieve(invoiceId, { expand: ['payments.data.payment.payment_intent'] }))
  const intents = payments?.data.map(({ payment }) => payment.payment_intent) ?? []
  const intent = intents.find((each) => typeof each === 'object')
  if (intent?.status === 'requires_action') return
  await asked(client.invoices.voidInvoice(invoiceId))
  const text = intent?.last_payment_error?.message
  throw new Refusal('card_refused', text === undefined ? undefined : { text })
}

/** The invoice on whose payment a change waits; undefined if none does. */
function pendingInvoiceOf({ pending_update: pending, latest_invoice: invoice }: Stripe.Subscription): string | undefined {
  if (!pending || invoice === null) return undefined
  return typeof invoice === 'string' ? invoice : invoice.id
}

/** True if a change of the subscription waits for its payment. */
export const isPending = async (client: Stripe, subscriptionId: string): Promise<boolean> =>
  pendingInvoiceOf(await asked(client.subscriptions.retrieve(subscriptionId))) !== undefined

/** Takes back a change that waits for its payment, by which its invoice can be paid no more. */
export async function dropPending(client: Stripe, subscription: Stripe.Subscription): Promise<void> {
  const invoiceId = pendingInvoiceOf(subscription)
  if (invoiceId !== undefined) await asked(client.invoices.voidInvoice(invoiceId))
}
