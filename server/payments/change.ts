import type Stripe from 'stripe'
import type { BillingPeriod } from '../../contract/payments.ts'
import { compareTiers, PLANS, type Tier } from '../../contract/plans.ts'
import type { Queryable } from '../db/connect.ts'
import type { Env, SignedInUser } from '../env.ts'
import { paidStanding } from '../ledger/ledger.ts'
import { Refusal } from '../refuse.ts'
import { asked } from './card.ts'
import { beginCheckout, metadataOf, priceOf, requireLiveCard } from './checkout.ts'
import { type Choice, findOffer, type Offer } from './offers.ts'
import * as store from './store.ts'
import { inTurn, isLive, syncCard } from './sync.ts'

/** Runs work on the account’s card in a transaction of its own, which ends with what the provider then says. */
const onCard = (env: Env, userId: string, work: (tx: Queryable) => Promise<void>) =>
  inTurn(userId, () =>
    env.db.transaction(async (tx) => {
      await work(tx)
      await syncCard(env, tx, userId)
    }),
  )

interface Wanted extends Choice {
  paymentMethodId?: string | undefined
}

/**
 * Changes the plan. A larger one costs the difference at once, or begins with a checkout; a smaller one waits for the end of the paid
 * time. The plan itself follows from what the provider says, never from this call. Throws Refusal.
 */
export async function changePlan(
  env: Env,
  user: SignedInUser,
  wanted: Wanted,
  origin: string,
): Promise<{ checkoutUrl?: string; success?: boolean }> {
  if (!PLANS[wanted.tier].rights.send) return await cancelAtEnd(env, user)
  const offer = await findOffer(env.db, wanted)
  const card = await store.findCard(env.db, user.id)
  if (!card || !isLive(card)) {
    const paid = await paidStanding(env.db, user.id, env.clock())
    // The current plan is ignored.
    if (compareTiers(paid.tier, offer.tier) >= 0) return { success: true }
    return { checkoutUrl: (await beginCheckout(env, user, wanted, origin)).url }
  }
  await onCard(env, user.id, (tx) => changeSubscription(env, tx, user.id, offer, wanted.paymentMethodId))
  return { success: true }
}

async function changeSubscription(env: Env, tx: Queryable, userId: string, offer: Offer, method?: string): Promise<void> {
  const card = await requireLiveCard(tx, userId)
  if (isSame(card, offer)) return
  const paid = await paidStanding(tx, userId, env.clock())
  // Back to what is paid already, or down to a smaller plan: nothing is due before the next period.
  const isPaid = compareTiers(paid.tier, offer.tier) >= 0 && card.billingPeriod === offer.billingPeriod
  if (!isPaid && !isLarger(paid.tier, card.billingPeriod, offer)) throw new Refusal('change_at_end')
  const client = await env.card.client()
  const item = await itemOf(client, card.subscriptionId)
  await asked(
    client.subscriptions.update(card.subscriptionId, {
      items: [{ id: item, price: await priceOf(client, offer) }],
      metadata: metadataOf(offer),
      cancel_at_period_end: false,
      proration_behavior: isPaid ? 'none' : 'always_invoice',
      // Without the payment the subscription stays as it was.
      ...(!isPaid && { payment_behavior: 'error_if_incomplete' }),
      ...(method !== undefined && { default_payment_method: method }),
    }),
  )
}

const isSame = (card: store.CardAccount, offer: Offer): boolean =>
  card.tier === offer.tier && card.packageId === offer.packageId && card.billingPeriod === offer.billingPeriod

function isLarger(tier: Tier, billingPeriod: BillingPeriod | null, offer: Offer): boolean {
  const isLonger = billingPeriod === 'monthly' && offer.billingPeriod === 'yearly'
  const order = compareTiers(offer.tier, tier)
  return order > 0 ? billingPeriod === offer.billingPeriod || isLonger : order === 0 && isLonger
}

async function itemOf(client: Stripe, subscriptionId: string): Promise<string> {
  const { items } = await asked(client.subscriptions.retrieve(subscriptionId))
  const [item] = items.data
  if (!item) throw new Error('A subscription has no item')
  return item.id
}

/** What a change costs now, in US cents: of a running subscription the difference, else the price. Throws Refusal. */
export async function previewChange(env: Env, user: SignedInUser, choice: Choice): Promise<{ dueNowCents: number }> {
  const client = await env.card.client()
  const offer = await findOffer(env.db, choice)
  const card = await store.findCard(env.db, user.id)
  if (!card || !isLive(card) || card.subscriptionId === null || card.customerId === null)
    return { dueNowCents: offer.amountCents }
  const paid = await paidStanding(env.db, user.id, env.clock())
  if (compareTiers(paid.tier, offer.tier) >= 0 && card.billingPeriod === offer.billingPeriod) return { dueNowCents: 0 }
  if (!isLarger(paid.tier, card.billingPeriod, offer)) throw new Refusal('change_at_end')
  const { amount_due: dueNowCents } = await asked(
    client.invoices.createPreview({
      ...{ customer: card.customerId, subscription: card.subscriptionId },
      subscription_details: {
        items: [{ id: await itemOf(client, card.subscriptionId), price: await priceOf(client, offer) }],
        proration_behavior: 'always_invoice',
      },
    }),
  )
  return { dueNowCents }
}

/** Ends the card subscription with its paid period; undone by `keepPlan`. A plan without one ends by itself. Throws Refusal. */
async function cancelAtEnd(env: Env, user: SignedInUser): Promise<{ success: boolean }> {
  const card = await store.findCard(env.db, user.id)
  if (card && isLive(card)) {
    await onCard(env, user.id, (tx) => switchRenewal(env, tx, user.id, true))
    return { success: true }
  }
  const { tier, endDate } = await paidStanding(env.db, user.id, env.clock())
  if (PLANS[tier].rights.send && endDate === null)
    throw new Refusal('no_subscription', {
      text: 'This plan was given to you without an end. Whoever runs the server can end it',
    })
  return { success: true }
}

/** Undoes a cancellation. Throws Refusal. */
export async function keepPlan(env: Env, user: SignedInUser): Promise<Record<string, never>> {
  await onCard(env, user.id, (tx) => switchRenewal(env, tx, user.id, false))
  return {}
}

async function switchRenewal(env: Env, tx: Queryable, userId: string, isCancelled: boolean): Promise<void> {
  const { subscriptionId } = await requireLiveCard(tx, userId)
  const client = await env.card.client()
  await asked(client.subscriptions.update(subscriptionId, { cancel_at_period_end: isCancelled }))
}

/** The provider’s page for card, invoices and receipts. Throws Refusal. */
export async function openPortal(env: Env, user: SignedInUser, origin: string): Promise<{ url: string }> {
  const card = await store.findCard(env.db, user.id)
  if (!card?.customerId) throw new Refusal('no_subscription')
  const client = await env.card.client()
  const session = client.billingPortal.sessions.create({ customer: card.customerId, return_url: `${origin}/subscribe` })
  return { url: (await asked(session)).url }
}
