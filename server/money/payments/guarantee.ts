import { createHmac } from 'node:crypto'
import type Stripe from 'stripe'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { asked } from './card.ts'
import * as store from './store-guarantees.ts'

/** Returns undefined for what was not paid by card. */
async function fingerprintOf(client: Stripe, intent: string): Promise<string | undefined> {
  const { latest_charge: charge } = await asked(client.paymentIntents.retrieve(intent, { expand: ['latest_charge'] }))
  return (typeof charge === 'object' && charge?.payment_method_details?.card?.fingerprint) || undefined
}

/** Marks the cards that paid, for this subscription alone. Throws Refusal `guarantee_used_by_card`. */
export async function markCards(
  { guaranteeKey, clock }: Pick<Env, 'guaranteeKey' | 'clock'>,
  tx: Queryable,
  { client, subscriptionId, intents }: { client: Stripe; subscriptionId: string; intents: string[] },
): Promise<void> {
  const hashed = (text: string) => createHmac('sha256', guaranteeKey).update(text).digest()
  const found = new Set<string>()
  for (const intent of intents) {
    const fingerprint = await fingerprintOf(client, intent)
    if (fingerprint !== undefined) found.add(fingerprint)
  }
  const subscription = hashed(`subscription ${subscriptionId}`)
  // One order, so that two refunds by the same cards never wait for each other.
  const cards = [...found].sort().map((fingerprint) => hashed(`card ${fingerprint}`))
  const usedAt = clock()
  await store.keepCards(
    tx,
    cards.map((card) => ({ card, subscription, usedAt })),
  )
  if ((await store.countUsedFor(tx, cards, subscription)) > 0) throw new Refusal('guarantee_used_by_card')
}
