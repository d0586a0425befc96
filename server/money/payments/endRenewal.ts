import type Stripe from 'stripe'
import { asked } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { dropPending, endNow, isCancelled } from './pending.ts'
import * as store from './store.ts'
import { askCurrent, type CardEnv, isLive, runs, settleCheckout, syncCard } from './sync.ts'

/** `renews`: also while a checkout is being paid. Throws Refusal `card_unavailable`. */
export async function closeCheckout(env: CardEnv, userId: string): Promise<{ renews: boolean }> {
  const known = await store.findCard(env.db, env.card.providerId, userId)
  if (!known) return { renews: false }
  const isOpen = known.checkoutId !== null
  const card = isOpen ? await inTurn(env, userId, (tx) => settleCheckout(env, tx, userId, { isClosing: true })) : known
  return { renews: card.checkoutId !== null || (isLive(card) && card.renews) }
}

/** Throws Refusal `card_unavailable`. */
export async function endRenewal(env: CardEnv, userId: string): Promise<void> {
  if (!(await closeCheckout(env, userId)).renews) return
  await inTurn(env, userId, async (tx) => {
    const card = await store.lockCard(tx, env.card.providerId, userId)
    if (card.customerId !== null) await endWithPeriod(await env.card.client(), card.customerId, card)
    await syncCard(env, tx, userId)
  })
}

/** Ends at once what is unpaid. */
export async function endWithPeriod(client: Stripe, customer: string, card: store.CardAccount): Promise<void> {
  const current = await askCurrent(client, customer, card)
  if (!current || !runs(current)) return
  if (current.status === 'past_due') return await endNow(client, current)
  if (isCancelled(current)) return
  await dropPending(client, current)
  await asked(client.subscriptions.update(current.id, { cancel_at_period_end: true }))
}
