import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { compareSizes } from '../../../contract/money/offerLimits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { paidStanding } from '../ledger/ledger.ts'
import { asked } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { noteConsent, requireTerms } from './consent.ts'
import { findCustomers, newCustomer } from './customer.ts'
import { metadataOf } from './meaning.ts'
import { findOffer, type Offer, type Purchase } from './offers.ts'
import { endNow } from './pending.ts'
import { requireSaleable } from './priceIds.ts'
import * as store from './store.ts'
import { askOwn, isLive, isStuck, runs, settleCheckout, syncCard } from './sync.ts'

const OPEN_MINUTES = 60

type Way = Pick<Stripe.Checkout.SessionCreateParams, 'ui_mode' | 'success_url' | 'cancel_url' | 'redirect_on_completion'>

/** The provider's page returns to `origin`. Throws Refusal. */
export async function beginCheckout(
  env: Env,
  user: SignedInUser,
  choice: Purchase,
  origin: string,
): Promise<{ sessionId: string; url: string }> {
  const returns = { success_url: `${origin}/subscribe?paid=yes`, cancel_url: `${origin}/subscribe?paid=no` }
  const { id, url } = await openSession(env, user, choice, { ui_mode: 'hosted_page', ...returns })
  if (url === null) throw new Error('A hosted checkout has no address')
  return { sessionId: id, url }
}

/** Returns the secret that opens the form in a frame. Throws Refusal. */
export async function beginInFrame(env: Env, user: SignedInUser, choice: Purchase): Promise<{ clientSecret: string }> {
  const way = { ui_mode: 'embedded_page', redirect_on_completion: 'never' } as const
  const { client_secret: clientSecret } = await openSession(env, user, choice, way)
  if (clientSecret === null) throw new Error('An embedded checkout has no client secret')
  return { clientSecret }
}

/** Closes an earlier checkout first, against double payment. Throws Refusal. */
async function openSession(env: Env, user: SignedInUser, choice: Purchase, way: Way): Promise<Stripe.Checkout.Session> {
  const client = await env.card.client()
  const offer = await findOffer(env, choice)
  requireTerms(env, choice.consent)
  await requireSaleable(env, offer)
  const opened = await inTurn(env, user.id, async (tx) => {
    const card = await settleCheckout(env, tx, user.id, { isClosing: true })
    // A refusal inside the transaction would undo what it has found.
    if (isLive(card) || card.checkoutId !== null) return undefined
    const customers = card.customerId === null ? await findCustomers(client, card) : [card.customerId]
    const mixed = await findMixed(env, tx, card, customers)
    if (mixed === 'runs') return undefined
    const paid = await paidStanding(tx, user.id, env.clock())
    if (compareSizes(paid, offer) >= 0) return undefined
    if (isStuck(card) && card.subscriptionId !== null)
      await endNow(client, await asked(client.subscriptions.retrieve(card.subscriptionId)))
    const lost = { lostCustomerId: mixed[0] ?? card.lostCustomerId }
    const customer = customers.find((one) => !mixed.includes(one)) ?? (await newCustomer(client, { ...card, ...lost }))
    const session = await asked(client.checkout.sessions.create({ ...way, ...sessionOf(env, offer, customer, user.id) }))
    await store.saveCard(tx, env.card.providerId, user.id, { ...lost, customerId: customer, checkoutId: session.id })
    await noteConsent(env, tx, { ...offer, userId: user.id, purchase: `card:${session.id}` })
    return session
  })
  if (!opened) throw new Refusal('already_subscribed')
  return opened
}

/** Returns customers that take no US dollars; `runs`: one’s subscription of after a restored copy is written now. */
async function findMixed(env: Env, tx: Queryable, card: store.CardAccount, customers: string[]): Promise<string[] | 'runs'> {
  const mixed: string[] = []
  for (const customerId of customers) {
    const { current, isMixed } = await askOwn(env, tx, customerId, card)
    if (isMixed) mixed.push(customerId)
    if (!current || !runs(current)) continue
    await store.saveCard(tx, env.card.providerId, card.userId, { customerId })
    await syncCard(env, tx, card.userId)
    return 'runs'
  }
  return mixed
}

/** A payment counts then without its event. Throws Refusal. */
export async function settlePayment(env: Env, { id }: SignedInUser): Promise<Record<string, never>> {
  const known = env.card.provider === 'off' ? undefined : await store.findCard(env.db, env.card.providerId, id)
  if (known?.checkoutId) await inTurn(env, id, (tx) => settleCheckout(env, tx, id, { isClosing: false }))
  return {}
}

function sessionOf(env: Env, offer: Offer, customer: string, userId: string): Stripe.Checkout.SessionCreateParams {
  const price: Stripe.Checkout.SessionCreateParams.LineItem =
    offer.priceId === null
      ? { price_data: { ...amountOf(offer), product_data: { name: offer.name } }, quantity: 1 }
      : { price: offer.priceId, quantity: 1 }
  return {
    ...{ mode: 'subscription', customer, client_reference_id: userId, line_items: [price] },
    metadata: { userId },
    subscription_data: { metadata: metadataOf(offer, userId) },
    currency: 'usd',
    // Other ways settle days later.
    allowed_payment_method_types: ['card'],
    expires_at: Math.floor(env.clock().getTime() / 1000) + OPEN_MINUTES * 60,
    ...(env.config.hasCardTax && { automatic_tax: { enabled: true }, customer_update: { address: 'auto' } }),
  }
}

const amountOf = ({ amountCents, billingPeriod }: Pick<Offer, 'amountCents' | 'billingPeriod'>) => ({
  ...{ currency: 'usd', unit_amount: amountCents },
  recurring: { interval: billingPeriod === 'yearly' ? ('year' as const) : ('month' as const) },
})

export async function keptPrice(client: Stripe, offer: Omit<Offer, 'limits'>): Promise<string> {
  if (offer.priceId !== null) return offer.priceId
  const wanted = { ...amountOf(offer), product_data: { name: offer.name } }
  const hash = createHash('sha256').update(JSON.stringify(wanted)).digest('base64url')
  const lookup = `conclave-${offer.packageId ?? offer.tier}-${hash}`
  const { data: known } = await asked(client.prices.list({ lookup_keys: [lookup], active: true, limit: 1 }))
  const made = known[0] ?? (await asked(client.prices.create({ ...wanted, lookup_key: lookup, transfer_lookup_key: true })))
  return made.id
}

/** Locks the card. Throws Refusal `no_subscription`. */
export async function requireLiveCard(
  { card: { providerId } }: Pick<Env, 'card'>,
  tx: Queryable,
  userId: string,
): Promise<store.CardAccount & { subscriptionId: string; customerId: string }> {
  const card = await store.lockCard(tx, providerId, userId)
  const { subscriptionId, customerId } = card
  if (!isLive(card) || subscriptionId === null || customerId === null) throw new Refusal('no_subscription')
  return { ...card, subscriptionId, customerId }
}
