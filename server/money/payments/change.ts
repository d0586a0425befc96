import type Stripe from 'stripe'
import { compareSizes } from '../../../contract/money/offerLimits.ts'
import type { BillingPeriod } from '../../../contract/money/payments.ts'
import { PLANS } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { paidStanding } from '../ledger/ledger.ts'
import { asked, isInvalid, isMissing } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { beginCheckout, beginInFrame, keptPrice, requireLiveCard } from './checkout.ts'
import { noteConsent, requireTerms } from './consent.ts'
import { withKnownCustomer } from './customer.ts'
import { endPaid } from './endRenewal.ts'
import { type Billed, billedBy, idOf, type Named, namingOf } from './meaning.ts'
import { type Choice, findOffer, type Offer, type Purchase } from './offers.ts'
import { dropPending, goOn, isCancelled, isPending, payDifference } from './pending.ts'
import { requireSaleable } from './priceIds.ts'
import { BY_CARD, itemOf, paidPrice, putBack, setBack } from './scheduled.ts'
import * as store from './store.ts'
import { sourceOf } from './subscription.ts'
import { isLive, planOn, syncCard } from './sync.ts'

const onCard = (env: Env, userId: string, work: (tx: Queryable) => Promise<void>) =>
  inTurn(env, userId, async (tx) => {
    await work(tx)
    return await syncCard(env, tx, userId)
  })

interface Wanted extends Purchase {
  paymentMethodId?: string | undefined
}

interface Changed {
  checkoutUrl?: string
  clientSecret?: string
  frameUrl?: string
  success?: boolean
}

interface Place {
  origin: string
  frameUrl: string | undefined
}

/**
 * A larger plan costs the difference at once; a smaller one waits for the end. The plan follows from the provider, never from
 * this call. Throws Refusal.
 */
export async function changePlan(env: Env, user: SignedInUser, wanted: Wanted, place: Place): Promise<Changed> {
  try {
    return await changeCard(env, user, wanted, place)
  } catch (error) {
    // It has ended at the provider, which the row says only now.
    if (error instanceof Refusal && error.code === 'no_subscription') return await changeCard(env, user, wanted, place)
    throw error
  }
}

async function changeCard(env: Env, user: SignedInUser, wanted: Wanted, { origin, frameUrl }: Place): Promise<Changed> {
  if (!PLANS[wanted.tier].rights.send) return await cancelAtEnd(env, user)
  const offer = await findOffer(env, wanted)
  const card = await store.findCard(env.db, env.card.providerId, user.id)
  if (!card || !isLive(card)) {
    const paid = await paidStanding(env.db, user.id, env.clock())
    // The current plan is ignored.
    if (compareSizes(paid, offer) >= 0) return { success: true }
    if (frameUrl !== undefined) return { ...(await beginInFrame(env, user, wanted)), frameUrl }
    return { checkoutUrl: (await beginCheckout(env, user, wanted, origin)).url }
  }
  const known = planOn(card)
  if (!known || !isSame(known, offer)) {
    requireTerms(env, wanted.consent)
    await requireSaleable(env, offer)
  }
  const { waiting } = await onCard(env, user.id, (tx) => changeSubscription(env, tx, user.id, offer, wanted))
  return waiting?.kind === 'change' ? { checkoutUrl: waiting.url } : { success: true }
}

async function changeSubscription(
  env: Env,
  tx: Queryable,
  userId: string,
  offer: Offer,
  { paymentMethodId: method, consent }: Pick<Wanted, 'paymentMethodId' | 'consent'>,
): Promise<void> {
  const card = await requireLiveCard(env, tx, userId)
  const client = await env.card.client()
  const { subscription, hasDropped } = await settled(client, card.subscriptionId)
  const known = planOn(card)
  // A smaller plan for the end stays chosen.
  if (hasDropped && known && isSame(known, offer)) return
  const item = itemOf(subscription)
  const plan = billedBy(subscription.metadata, item.price.id) ?? known
  if (!plan) throw new Error('A subscription is of no plan')
  if (isSame(plan, offer)) return
  // The row may be older than what the provider has.
  requireTerms(env, consent)
  const current = { priceId: item.price.id, plan }
  const isPaid = await isPaidAlready(env, tx, card, offer)
  const next = { priceId: await keptPrice(client, offer), plan: offer }
  if (method !== undefined) await billBy(client, subscription.id, method)
  const paid = isPaid ? undefined : await paidBefore(client, subscription)
  const isDearer = offer.amountCents > (paid?.amountCents ?? item.price.unit_amount ?? offer.amountCents)
  // It would outlive a refund of what was paid.
  if (!isPaid && !isDearer && (await missingOf(env, client, subscription, { next: next.priceId, paid })).cents <= 0)
    throw new Refusal('change_at_end')
  // What fails after a payment takes no consent back.
  await env.db.transaction((own) => noteConsent(env, own, { ...offer, userId, purchase: `card:${subscription.id}` }))
  // The metadata names the new price first, so its invoice is always understood.
  if (paid) await setBack(client, subscription, { paid, scheduled: current, next })
  // No pending update takes settings.
  else
    await asked(
      client.subscriptions.update(subscription.id, { metadata: namingOf(subscription.metadata, [current, next]), ...BY_CARD }),
    )
  const items = [{ id: item.id, price: next.priceId }]
  if (isPaid) await asked(client.subscriptions.update(subscription.id, { items, proration_behavior: 'none' }))
  else await payOrPutBack(client, subscription.id, items)
  if (isCancelled(subscription) && !(await isPending(client, subscription.id))) await goOn(client, subscription)
}

async function settled(client: Stripe, id: string): Promise<{ subscription: Stripe.Subscription; hasDropped: boolean }> {
  const found = await asked(client.subscriptions.retrieve(id))
  await dropPending(client, found)
  const hasDropped = Boolean(found.pending_update)
  return { subscription: await putBack(client, hasDropped ? await asked(client.subscriptions.retrieve(id)) : found), hasDropped }
}

/** A checkout's own price is not sold again. */
async function paidBefore(
  client: Stripe,
  subscription: Stripe.Subscription,
): Promise<(Named & { amountCents: number }) | undefined> {
  const paid = await paidPrice(client, subscription)
  if (!paid || paid.isActive) return paid
  const { plan, amountCents } = paid
  return {
    plan,
    amountCents,
    priceId: await keptPrice(client, { ...plan, name: PLANS[plan.tier].name, amountCents, priceId: null }),
  }
}

async function payOrPutBack(...[client, id, items]: Parameters<typeof payDifference>): Promise<void> {
  try {
    await payDifference(client, id, items)
  } catch (error) {
    // The next event tries again.
    await putBack(client, await asked(client.subscriptions.retrieve(id))).catch(() => undefined)
    throw error
  }
}

/** Throws Refusal `card_refused` for another payer's method. */
async function billBy(client: Stripe, id: string, method: string): Promise<void> {
  try {
    await asked(client.subscriptions.update(id, { default_payment_method: method }))
  } catch (error) {
    if (isInvalid(error)) throw new Refusal('card_refused', { text: 'The card provider does not know this way to pay as yours' })
    throw error
  }
}

/**
 * True if due at the next period. Throws Refusal: `change_at_end`, or `payment_due` for an unpaid renewal, which the provider
 * would count as paid.
 */
async function isPaidAlready(env: Env, db: Queryable, card: store.CardAccount, offer: Offer): Promise<boolean> {
  if (card.status === 'past_due') throw new Refusal('payment_due')
  const paid = await paidStanding(db, card.userId, env.clock())
  const order = compareSizes(offer, paid)
  if (order <= 0 && card.billingPeriod === offer.billingPeriod) return true
  if (!isLarger(order, card.billingPeriod, offer)) throw new Refusal('change_at_end')
  return false
}

const isSame = (plan: Billed, offer: Offer): boolean =>
  plan.tier === offer.tier && plan.packageId === offer.packageId && plan.billingPeriod === offer.billingPeriod

function isLarger(order: number, billingPeriod: BillingPeriod | null, offer: Offer): boolean {
  const isLonger = billingPeriod === 'monthly' && offer.billingPeriod === 'yearly'
  return order > 0 ? billingPeriod === offer.billingPeriod || isLonger : order === 0 && isLonger
}

/** Returns US cents: the difference of a running subscription, else the price. Throws Refusal. */
export const previewChange = (env: Env, user: SignedInUser, choice: Choice): Promise<{ dueNowCents: number }> =>
  withKnownCustomer(env, user.id, () => askPreview(env, user, choice))

async function askPreview(env: Env, user: SignedInUser, choice: Choice): Promise<{ dueNowCents: number }> {
  const client = await env.card.client()
  const offer = await findOffer(env, choice)
  await requireSaleable(env, offer)
  const card = await store.findCard(env.db, env.card.providerId, user.id)
  if (!card || !isLive(card) || card.subscriptionId === null || card.customerId === null)
    return { dueNowCents: offer.amountCents }
  if (await isPaidAlready(env, env.db, card, offer)) return { dueNowCents: 0 }
  const subscription = await asked(client.subscriptions.retrieve(card.subscriptionId))
  const [next, paid] = [await keptPrice(client, offer), await paidBefore(client, subscription)]
  const { cents, dueCents } = await missingOf(env, client, subscription, { next, paid })
  if (cents <= 0) throw new Refusal('change_at_end')
  return { dueNowCents: Math.max(0, dueCents) }
}

/** Returns US cents that the rest of the period costs more, and what is due beside the customer's credit. */
async function missingOf(
  env: Env,
  client: Stripe,
  subscription: Stripe.Subscription,
  { next, paid }: { next: string; paid: Named | undefined },
): Promise<{ cents: number; dueCents: number }> {
  const { id, current_period_start: start } = itemOf(subscription)
  const at = Math.max(start, Math.floor(env.clock().getTime() / 1000))
  const previewOf = (price: string) =>
    asked(
      client.invoices.createPreview({
        ...{ customer: idOf(subscription.customer) ?? '', subscription: subscription.id },
        subscription_details: { items: [{ id, price }], proration_behavior: 'always_invoice', proration_date: at },
      }),
    )
  const { total, amount_due: due } = await previewOf(next)
  const beforeCents = paid ? (await previewOf(paid.priceId)).total : 0
  return { cents: total - beforeCents, dueCents: due - beforeCents }
}

/** What there is instead of a subscription to end. */
const NOTHING_TO_END = {
  family: 'This plan comes from a family circle. Leave the circle to give it up',
  operator: 'This plan was given to you without an end. Whoever runs the server can end it',
  coin: 'There is nothing to downgrade: this plan ends by itself, and nothing more is charged',
}

/** `keepPlan` undoes this. Throws Refusal `no_subscription` for a plan without one. */
async function cancelAtEnd(env: Env, user: SignedInUser): Promise<{ success: boolean }> {
  const card = await store.findCard(env.db, env.card.providerId, user.id)
  if (card && isLive(card)) {
    await onCard(env, user.id, (tx) => switchRenewal(env, tx, user.id, true))
    return { success: true }
  }
  const paid = await paidStanding(env.db, user.id, env.clock())
  const source = await sourceOf(env, user, paid)
  // A card that is billed no more has ended already.
  if (source === undefined || source === 'card') return { success: true }
  const isEnding = source !== 'family' && paid.endDate !== null
  throw new Refusal('no_subscription', { text: NOTHING_TO_END[isEnding ? 'coin' : source] })
}

/** Undoes a cancellation. Throws Refusal. */
export async function keepPlan(env: Env, user: SignedInUser): Promise<Record<string, never>> {
  await onCard(env, user.id, (tx) => switchRenewal(env, tx, user.id, false))
  return {}
}

async function switchRenewal(env: Env, tx: Queryable, userId: string, isEnding: boolean): Promise<void> {
  const { subscriptionId } = await requireLiveCard(env, tx, userId)
  const client = await env.card.client()
  const subscription = await asked(client.subscriptions.retrieve(subscriptionId))
  if (!isEnding) return void (await goOn(client, subscription))
  await dropPending(client, subscription)
  await endPaid(client, subscription)
}

/** Throws Refusal `no_subscription` for whoever never paid by card. */
export const openPortal = (env: Env, user: SignedInUser, origin: string): Promise<{ url: string }> =>
  withKnownCustomer(env, user.id, () => askPortal(env, user, origin))

async function askPortal(env: Env, user: SignedInUser, origin: string): Promise<{ url: string }> {
  const card = await store.findCard(env.db, env.card.providerId, user.id)
  if (!card?.customerId) throw new Refusal('no_subscription')
  const client = await env.card.client()
  try {
    const session = client.billingPortal.sessions.create({ customer: card.customerId, return_url: `${origin}/subscribe` })
    return { url: (await asked(session)).url }
  } catch (error) {
    if (!isInvalid(error) || isMissing(error)) throw error
    env.card.warn({ customer: card.customerId }, NO_PORTAL)
    throw new Refusal('portal_unset')
  }
}

const NO_PORTAL =
  'the card provider opens no customer portal: save its settings once, at Stripe in Settings, Billing, Customer portal'
