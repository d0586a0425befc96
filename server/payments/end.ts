import { asked } from './card.ts'
import { dropPending } from './pending.ts'
import * as store from './store.ts'
import { type CardEnv, inTurn, isLive, settleCheckout, syncCard } from './sync.ts'

/**
 * Ends what would charge the card of this account again: its subscription, and a checkout that is open. Nothing is paid back.
 * Returns true if a subscription has ended. Throws Refusal `card_unavailable` if the provider does not answer: then it may still be billed.
 */
export async function endCard(env: CardEnv, userId: string): Promise<boolean> {
  const known = await store.findCard(env.db, userId)
  if (!known?.customerId || (!isLive(known) && known.checkoutId === null)) return false
  const client = await env.card.client()
  return await inTurn(env, userId, async (tx) => {
    await settleCheckout(env, tx, userId, { isClosing: true })
    const card = await syncCard(env, tx, userId)
    if (!isLive(card) || card.subscriptionId === null) return false
    await dropPending(client, await asked(client.subscriptions.retrieve(card.subscriptionId)))
    await asked(client.subscriptions.cancel(card.subscriptionId))
    await syncCard(env, tx, userId)
    return true
  })
}
