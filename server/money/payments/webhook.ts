import type Stripe from 'stripe'
import { z } from 'zod'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { asked } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { endUnpaid, endWithPeriod } from './endRenewal.ts'
import { billedBy } from './meaning.ts'
import { isNews } from './news.ts'
import { dropPending, endNow } from './pending.ts'
import { askDisputes, askRefunds, writeDisputes, writeRefunds } from './returns.ts'
import * as store from './store.ts'
import { type CardEnv, isLive, settleCheckout, syncCard } from './sync.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The provider is asked again: late, repeated and unordered events change nothing. Throws Refusal `invalid_webhook` for a wrong
 * or old (five minutes) signature.
 */
export async function takeEvent(env: Env, body: Buffer, signature: string | undefined): Promise<Record<string, never>> {
  const client = await env.card.client()
  const event = verified(env, () => client.webhooks.constructEvent(body, signature ?? '', env.card.webhookSecret))
  const { customer, intent } = subjectOf(event)
  const userId =
    (customer && (await store.findByCustomer(env.db, env.card.providerId, customer))) ||
    (intent && (await store.findPayment(env.db, intent))?.userId) ||
    (customer && (await adopt(env, client, customer, event))) ||
    undefined
  if (userId === undefined || (await store.isKnownEvent(env.db, event.id))) return {}
  const eventsOfAccount = waiting.get(userId) ?? new Set()
  waiting.set(userId, eventsOfAccount.add(event))
  try {
    await inTurn(env, userId, async (tx) => {
      // An earlier turn took this one with it.
      if (await store.isKnownEvent(tx, event.id)) return
      const events = [...eventsOfAccount]
      await settleEvents(env, tx, userId, events)
      for (const { id } of events) await store.noteEvent(tx, id, env.clock())
      await env.fault?.('payments:written')
    })
  } finally {
    eventsOfAccount.delete(event)
    if (eventsOfAccount.size === 0) waiting.delete(userId)
  }
  return {}
}

/** A turn settles all events of its account that wait; if it fails, the next one does. */
const waiting = new Map<string, Set<Stripe.Event>>()

/** Asks the provider once for all of them, and not at all where they say nothing new. */
async function settleEvents(env: Env, tx: Queryable, userId: string, events: Stripe.Event[]): Promise<void> {
  const card = await store.lockCard(tx, env.card.providerId, userId)
  const news: Stripe.Event[] = []
  for (const event of events) if (await isNews(tx, card, event)) news.push(event)
  if (news.length === 0) return
  await writeNews(
    env,
    tx,
    userId,
    news.flatMap((event) => subjectOf(event).intent ?? []),
  )
}

/** Does what an event would have done. Throws Refusal. */
export const catchUp = (env: CardEnv, userId: string, intent?: string): Promise<void> =>
  inTurn(env, userId, (tx) => writeNews(env, tx, userId, intent ? [intent] : []))

async function writeNews(env: CardEnv, tx: Queryable, userId: string, intents: string[]): Promise<void> {
  const client = await env.card.client()
  const told = await Promise.all(
    [...new Set(intents)].map(async (intent) => {
      const [refunds, disputes] = await Promise.all([askRefunds(client, intent), askDisputes(client, intent)])
      return { intent, refunds, disputes }
    }),
  )
  for (const each of told) await endDisputed(env, tx, userId, each)
  await syncCard(env, tx, userId)
  for (const { intent, refunds, disputes } of told) {
    await writeRefunds(tx, env.clock(), intent, refunds)
    await writeDisputes(tx, env.clock(), intent, disputes)
  }
}

/** Ends the subscription whose payment the bank has taken back. */
async function endDisputed(
  env: CardEnv,
  tx: Queryable,
  userId: string,
  { intent, disputes }: { intent: string; disputes: Stripe.Dispute[] },
): Promise<void> {
  const card = await store.lockCard(tx, env.card.providerId, userId)
  const payment = await store.findPayment(tx, intent)
  if (!payment || card.startedAt === null || card.subscriptionId === null || !isLive(card)) return
  if (payment.createdAt < card.startedAt && payment.startsAt < card.startedAt) return
  const isKnown = await Promise.all(disputes.map(({ id, status }) => status === 'won' || store.isEntry(tx, `card:${id}`)))
  if (isKnown.every(Boolean)) return
  const client = await env.card.client()
  const subscription = await asked(client.subscriptions.retrieve(card.subscriptionId))
  await dropPending(client, subscription)
  await endNow(client, subscription)
}

/**
 * A database that was restored from a copy knows nothing of who has paid since. Returns the account that has the customer now;
 * undefined for foreign events, and where the account has another customer who is billed.
 */
async function adopt(env: Env, client: Stripe, customer: string, event: Stripe.Event): Promise<string | undefined> {
  if (!isOurs(event)) return undefined
  const { data: subscriptions } = await asked(client.subscriptions.list({ customer, status: 'all', limit: 10 }))
  const found = await asked(client.customers.retrieve(customer))
  // Subscriptions of before name nobody, their customers do.
  const named = [...subscriptions, ...(found.deleted ? [] : [found])]
  const [userId] = named.flatMap(({ metadata }) => z.uuid().safeParse(metadata['userId']).data ?? [])
  const isAdopted = userId !== undefined && (await store.canSignIn(env.db, userId)) && (await takeCustomer(env, userId, customer))
  if (isAdopted) return userId
  env.card.warn(
    { customer, event: event.id },
    'a subscription at the card provider is of this server, and of no account that it could go to',
  )
  return undefined
}

/** Returns false where the account has another customer who is billed. */
export const takeCustomer = (env: CardEnv, userId: string, customer: string): Promise<boolean> =>
  inTurn(env, userId, async (tx) => {
    const card = await store.lockCard(tx, env.card.providerId, userId)
    if (card.customerId !== customer && (isLive(card) || card.checkoutId !== null)) return false
    await store.saveCard(tx, env.card.providerId, userId, { customerId: customer, lostCustomerId: card.customerId })
    return true
  })

/** True for a subscription of this server's, or an invoice of one. */
function isOurs({ data: { object } }: Stripe.Event): boolean {
  const metadata =
    object.object === 'invoice'
      ? object.parent?.subscription_details?.metadata
      : object.object === 'subscription'
        ? object.metadata
        : undefined
  return billedBy(metadata ?? {}, undefined) !== undefined
}

function verified(env: Env, check: () => Stripe.Event): Stripe.Event {
  const event = signedBy(env, check)
  // A signed body is still any JSON.
  const object: unknown = Object(Object(event).data).object
  if (typeof object !== 'object' || object === null || typeof Object(event).id !== 'string')
    throw new Refusal('invalid_webhook', { text: 'This event is about nothing' })
  return event
}

function signedBy({ card: { notes } }: Env, check: () => Stripe.Event): Stripe.Event {
  try {
    const event = check()
    notes.noteEvent('taken')
    return event
  } catch {
    notes.noteEvent('refused')
    throw new Refusal('invalid_webhook')
  }
}

function subjectOf({ data: { object } }: Stripe.Event): { customer: string | undefined; intent: string | undefined } {
  const customer = 'customer' in object ? idOf(object.customer) : undefined
  const intent = 'payment_intent' in object ? idOf(object.payment_intent) : undefined
  return { customer, intent }
}

const idOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : undefined
}

const FIRST = '00000000-0000-0000-0000-000000000000'
const AT_ONCE = 20

/**
 * A job in case an event was lost. Lets cards of people who cannot sign in end with their period. Throws the first failure at the
 * end.
 */
export function askForOverdue(): (env: Env) => Promise<boolean> {
  let after = FIRST
  let failures: unknown[] = []
  return async (env) => {
    if (env.card.provider === 'off') return false
    const now = env.clock()
    await store.deleteEvents(env.db, new Date(now.getTime() - PLAN_LIMITS.cardEventDays * DAY_MS))
    const overdue = await store.findOverdue(env.db, env.card.providerId, now, after, AT_ONCE)
    for (const userId of overdue) {
      after = userId
      try {
        await askFor(env, userId)
      } catch (error) {
        // The next run continues after this account.
        if (error instanceof Refusal) throw error
        failures.push(error)
      }
    }
    if (overdue.length === AT_ONCE) return true
    const [failure] = failures
    after = FIRST
    failures = []
    if (failure !== undefined) throw failure
    return false
  }
}

const isOverGrace = ({ status, failedSince }: store.CardAccount, now: Date): boolean =>
  status === 'past_due' && failedSince !== null && now.getTime() - failedSince.getTime() >= PLAN_LIMITS.graceDays * DAY_MS

const askFor = (env: Env, userId: string): Promise<unknown> =>
  inTurn(env, userId, async (tx) => {
    const card = await settleCheckout(env, tx, userId, { isClosing: false })
    if (card.subscriptionId === null || card.customerId === null) return
    const client = await env.card.client()
    // A blocked person can undo this later.
    if (!(await store.canSignIn(tx, userId))) await endWithPeriod(client, card.customerId, card)
    // Another purchase must be possible.
    else if (isOverGrace(card, env.clock())) await endUnpaid(client, card.customerId, card)
    await syncCard(env, tx, userId)
  })
