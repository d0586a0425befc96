import type Stripe from 'stripe'
import { PLAN_LIMITS } from '../../contract/planlimits.ts'
import type { Env } from '../env.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'
import { inTurn, syncCard, syncRefunds } from './sync.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Takes an event of the provider. It says only that something has happened to a customer: what, is asked of the provider again. So an event
 * that is late, repeated or out of order changes nothing. Throws Refusal `invalid_webhook` for a signature that is not of these bytes, or older
 * than five minutes.
 */
export async function takeEvent(env: Env, body: Buffer, signature: string | undefined): Promise<Record<string, never>> {
  const client = await env.card.client()
  const event = verified(() => client.webhooks.constructEvent(body, signature ?? '', env.card.webhookSecret))
  const { customer, intent } = subjectOf(event)
  const userId =
    (customer && (await store.findByCustomer(env.db, customer))) ||
    (intent && (await store.findPayment(env.db, intent))?.userId) ||
    undefined
  if (userId === undefined || (await store.isKnownEvent(env.db, event.id))) return {}
  await inTurn(userId, async () => {
    if (await store.isKnownEvent(env.db, event.id)) return
    await env.db.transaction(async (tx) => {
      await syncCard(env, tx, userId)
      if (intent) await syncRefunds(env, tx, intent)
      await store.noteEvent(tx, event.id, env.clock())
      await env.fault?.('payments:written')
    })
  })
  return {}
}

function verified(check: () => Stripe.Event): Stripe.Event {
  try {
    return check()
  } catch {
    throw new Refusal('invalid_webhook')
  }
}

/** Whom and which payment the event is about. */
function subjectOf({ data: { object } }: Stripe.Event): { customer: string | undefined; intent: string | undefined } {
  const customer = 'customer' in object ? idOf(object.customer) : undefined
  const intent = 'payment_intent' in object ? idOf(object.payment_intent) : undefined
  return { customer, intent }
}

const idOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : undefined
}

/**
 * Asks the provider for subscriptions whose period has ended, in case its event was lost, and forgets old events. A job. Asks for all of
 * them once a run.
 */
export function askForOverdue(): (env: Env) => Promise<boolean> {
  let after = '00000000-0000-0000-0000-000000000000'
  return async (env) => {
    if (env.card.provider === 'off') return false
    const now = env.clock()
    await store.deleteEvents(env.db, new Date(now.getTime() - PLAN_LIMITS.cardEventDays * DAY_MS))
    const overdue = await store.findOverdue(env.db, now, after, 20)
    for (const userId of overdue) await inTurn(userId, () => env.db.transaction((tx) => syncCard(env, tx, userId)))
    after = overdue.length === 20 ? (overdue.at(-1) ?? after) : '00000000-0000-0000-0000-000000000000'
    return overdue.length === 20
  }
}
