import type { Env } from '../env.ts'
import { asked } from './card.ts'
import * as store from './store.ts'
import { inTurn, isLive, syncCard } from './sync.ts'

/**
 * Ends what would charge the card of this account again: its subscription, and a checkout that is open. Nothing is paid back. Throws
 * Refusal `card_unavailable` if the provider does not answer: then the account must not be deleted yet.
 */
export async function endCard(env: Env, userId: string): Promise<void> {
  const known = await store.findCard(env.db, userId)
  if (!known?.customerId) return
  const client = await env.card.client()
  await inTurn(userId, () =>
    env.db.transaction(async (tx) => {
      const { checkoutId } = await store.lockCard(tx, userId)
      if (checkoutId !== null) {
        const { status } = await asked(client.checkout.sessions.retrieve(checkoutId))
        if (status === 'open') await asked(client.checkout.sessions.expire(checkoutId))
      }
      const card = await syncCard(env, tx, userId)
      if (!isLive(card) || card.subscriptionId === null) return
      await asked(client.subscriptions.cancel(card.subscriptionId))
      await syncCard(env, tx, userId)
    }),
  )
}
