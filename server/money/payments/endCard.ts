import { inTurn } from './cardTurns.ts'
import { dropPending, endNow } from './pending.ts'
import * as store from './store.ts'
import { askCurrent, type CardEnv, isLive, runs, settleCheckout, syncCard } from './sync.ts'

/**
 * Ends subscription and open checkout; pays nothing back. Returns true if a subscription has ended. Throws Refusal
 * `card_unavailable`: the card may still be billed.
 */
export async function endCard(env: CardEnv, userId: string): Promise<boolean> {
  const known = await store.findCard(env.db, userId)
  if (!known?.customerId || (!isLive(known) && known.checkoutId === null)) return false
  const client = await env.card.client()
  return await inTurn(env, userId, async (tx) => {
    const card = await settleCheckout(env, tx, userId, { isClosing: true })
    const current = card.customerId === null ? undefined : await askCurrent(client, card.customerId, card)
    const isRunning = current !== undefined && runs(current)
    if (isRunning) {
      await dropPending(client, current)
      await endNow(client, current)
    }
    await syncCard(env, tx, userId)
    return isRunning
  })
}
