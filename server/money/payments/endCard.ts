import { inTurn } from './cardTurns.ts'
import { endPaid } from './endRenewal.ts'
import { dropPending, endNow, endsWithPeriod } from './pending.ts'
import * as store from './store.ts'
import { askCurrent, type CardEnv, isLive, isStuck, runs, settleCheckout, syncCard } from './sync.ts'

/**
 * Ends subscription and open checkout; pays nothing back. Returns true if a subscription has ended, or will `atEnd` of what is paid. Throws
 * Refusal if the card may still be billed.
 */
export async function endCard(env: CardEnv, userId: string, { atEnd = false } = {}): Promise<boolean> {
  for (const billed of await store.listBilledElsewhere(env.db, env.card.providerId, userId)) env.card.warn(billed, ELSEWHERE)
  const known = await store.findCard(env.db, env.card.providerId, userId)
  if (!known?.customerId || !isBillable(known)) return false
  const client = await env.card.client()
  return await inTurn(env, userId, async (tx) => {
    const card = await settleCheckout(env, tx, userId, { isClosing: true })
    const current = card.customerId === null ? undefined : await askCurrent(client, card.customerId, card)
    const isOpen = current !== undefined && (runs(current) || isStuck(current))
    const isEnding = isOpen && !(atEnd && current.status !== 'past_due' && endsWithPeriod(current))
    if (current && runs(current)) await dropPending(client, current)
    if (isEnding) await (atEnd && runs(current) ? endPaid(client, current) : endNow(client, current))
    await syncCard(env, tx, userId)
    return isEnding
  })
}

/** Lets an account go where cards are off too. Throws Refusal. */
export async function leaveCard(env: CardEnv, userId: string): Promise<void> {
  if (env.card.provider !== 'off') return void (await endCard(env, userId))
  const known = await store.findCard(env.db, env.card.providerId, userId)
  if (known?.customerId && isBillable(known)) env.card.warn({ customer: known.customerId }, ELSEWHERE)
}

const isBillable = (card: store.CardAccount): boolean => isLive(card) || isStuck(card) || card.checkoutId !== null

const ELSEWHERE = 'a customer may still be billed where this server does not take cards now: end the subscription there'
