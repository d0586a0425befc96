import type Stripe from 'stripe'
import { asked, isInvalid } from './card.ts'
import { billedBy, idOf, lineOf, type Named, namingOf, priceIn, SET_BACK } from './meaning.ts'
import { findPrice } from './priceIds.ts'

// The provider takes the newest price for what was paid: before a difference, the paid one is set back.

/** A renewal by another way would wait for days. */
export const BY_CARD = { payment_settings: { payment_method_types: ['card'] } } satisfies Stripe.SubscriptionUpdateParams

export function itemOf({ items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Error('A subscription has no item')
  return item
}

/** Returns undefined if it is still the subscription's. */
export async function paidPrice(
  client: Stripe,
  subscription: Stripe.Subscription,
): Promise<(Named & { amountCents: number; isActive: boolean }) | undefined> {
  const item = itemOf(subscription)
  const customer = idOf(subscription.customer) ?? ''
  const { data: invoices } = await asked(client.invoices.list({ customer, status: 'paid', limit: 100 }))
  const paid = invoices.find(
    (invoice) =>
      idOf(invoice.parent?.subscription_details?.subscription) === subscription.id &&
      lineOf(invoice)?.period.end === item.current_period_end,
  )
  const priceId = paid && priceIn(lineOf(paid))
  const plan = paid && billedBy(paid.parent?.subscription_details?.metadata ?? {}, priceId)
  if (priceId === undefined || priceId === item.price.id || !plan) return undefined
  const price = await findPrice(client, priceId)
  return typeof price?.unit_amount === 'number'
    ? { priceId, plan, amountCents: price.unit_amount, isActive: price.active }
    : undefined
}

export async function setBack(
  client: Stripe,
  subscription: Stripe.Subscription,
  { paid, scheduled, next }: { paid: Named; scheduled: Named; next: Named },
): Promise<void> {
  const metadata = {
    ...namingOf(subscription.metadata, [paid, scheduled, next]),
    [SET_BACK]: `${paid.priceId} ${scheduled.priceId}`,
  }
  const items = [{ id: itemOf(subscription).id, price: paid.priceId }]
  await asked(client.subscriptions.update(subscription.id, { metadata, items, proration_behavior: 'none', ...BY_CARD }))
}

/** Undoes `setBack` unless the difference was paid or waits. */
export async function putBack(client: Stripe, subscription: Stripe.Subscription): Promise<Stripe.Subscription> {
  const [paid, scheduled] = subscription.metadata[SET_BACK]?.split(' ') ?? []
  if (scheduled === undefined || subscription.pending_update) return subscription
  const item = itemOf(subscription)
  const settled = { metadata: { [SET_BACK]: '' } }
  try {
    const items =
      item.price.id === paid ? { items: [{ id: item.id, price: scheduled }], proration_behavior: 'none' as const } : {}
    return await asked(client.subscriptions.update(subscription.id, { ...items, ...settled }))
  } catch (error) {
    // Archived since.
    if (!isInvalid(error)) throw error
    return await asked(client.subscriptions.update(subscription.id, settled))
  }
}
