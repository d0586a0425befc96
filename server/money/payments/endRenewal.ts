import type Stripe from 'stripe'
import { asked } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { dropPending, endNow, endsWithPeriod } from './pending.ts'
import * as store from './store.ts'
import { askCurrent, type CardEnv, isLive, runs, settleCheckout, syncCard } from './sync.ts'

type Plan = Pick<store.CardAccount, 'tier' | 'packageId'>

const renewalIn = (card: store.CardAccount) => ({ renews: card.checkoutId !== null || (isLive(card) && card.renews) })

/** Returns what is known, without the provider. */
export async function renewalOf({ db, card }: CardEnv, userId: string): Promise<{ renews: boolean }> {
  const known = card.provider === 'off' ? undefined : await store.findCard(db, card.providerId, userId)
  return { renews: known !== undefined && isLive(known) && known.renews }
}

/** `renews`: also while a checkout is being paid. Throws Refusal `card_unavailable`. */
export async function closeCheckout(env: CardEnv, userId: string): Promise<{ renews: boolean }> {
  const known = env.card.provider === 'off' ? undefined : await store.findCard(env.db, env.card.providerId, userId)
  if (!known?.checkoutId) return renewalOf(env, userId)
  return renewalIn(await inTurn(env, userId, (tx) => settleCheckout(env, tx, userId, { isClosing: true })))
}

/** Ends a card of any plan, or of this one. Throws Refusal `card_unavailable`. */
export async function endRenewal(env: CardEnv, userId: string, plan?: Plan): Promise<void> {
  if (!(await closeCheckout(env, userId)).renews) return
  await inTurn(env, userId, async (tx) => {
    const card = await store.lockCard(tx, env.card.providerId, userId)
    const isMeant = !plan || (card.tier === plan.tier && card.packageId === plan.packageId)
    if (isMeant && card.customerId !== null) await endWithPeriod(await env.card.client(), card.customerId, card)
    await syncCard(env, tx, userId)
  })
}

/** Ends at once what is unpaid. */
export async function endWithPeriod(client: Stripe, customer: string, card: store.CardAccount): Promise<void> {
  const current = await askCurrent(client, customer, card)
  if (!current || !runs(current)) return
  if (current.status !== 'past_due' && endsWithPeriod(current)) return
  await dropPending(client, current)
  await endPaid(client, current)
}

export async function endPaid(client: Stripe, subscription: Stripe.Subscription): Promise<void> {
  if (subscription.status === 'past_due') await endNow(client, subscription)
  else if (!endsWithPeriod(subscription))
    await asked(client.subscriptions.update(subscription.id, { cancel_at_period_end: true }))
}

export async function endUnpaid(client: Stripe, customer: string, card: store.CardAccount): Promise<void> {
  const current = await askCurrent(client, customer, card)
  if (current?.status === 'past_due') await endNow(client, current)
}
