import type Stripe from 'stripe'
import type { Queryable } from '../db/connect.ts'
import type { Env } from '../env.ts'
import { creditPeriod, refreshStanding, writeInvoice, writeRefund } from '../ledger/ledger.ts'
import { asked } from './card.ts'
import { billedBy } from './meaning.ts'
import * as store from './store.ts'

/** What the verbs of a card need of the server. */
export type CardEnv = Pick<Env, 'db' | 'card' | 'clock'>

/** Statuses of a subscription that is, or was, paid for. The others never began. */
const BEGUN = ['active', 'past_due', 'unpaid', 'canceled', 'paused']
const LIVE = ['active', 'past_due']

/** True if the account has a subscription that the provider goes on with. */
export const isLive = ({ subscriptionId, status }: store.CardAccount): boolean =>
  subscriptionId !== null && LIVE.includes(status ?? '')

const turns = new Map<string, Promise<unknown>>()

/**
 * Cards at which this process works at the same time. Each holds one of the sixteen connections of the database while the provider
 * answers: where that takes its time, everybody else goes on.
 */
const AT_ONCE = 4
let running = 0
const queue: (() => void)[] = []

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    return await work()
  } finally {
    // The next one takes this place.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

/**
 * Runs work on an account’s card in a transaction of its own, one after another in this process, so that those who wait hold no connection
 * of the database.
 */
export async function inTurn<T>({ db }: Pick<CardEnv, 'db'>, userId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const before = turns.get(userId) ?? Promise.resolve()
  const next = () =>
    inLane(() =>
      db.transaction(async (tx) => {
        await store.awaitProvider(tx)
        return await work(tx)
      }),
    )
  const turn = before.then(next, next)
  turns.set(userId, turn)
  try {
    return await turn
  } finally {
    if (turns.get(userId) === turn) turns.delete(userId)
  }
}

/**
 * Asks the provider for the account’s subscription and invoices, and writes what they say: each paid invoice as a payment, and what the
 * subscription does next. Whatever was told, in whatever order and how often, the result is the same. Holds the lock of the account’s card
 * meanwhile, so that an older answer never replaces a newer one.
 */
export async function syncCard(env: Omit<CardEnv, 'db'>, tx: Queryable, userId: string): Promise<store.CardAccount> {
  const { customerId: customer, ...card } = await store.lockCard(tx, userId)
  if (customer === null) return { ...card, customerId: customer }
  const client = await env.card.client()
  const { data: subscriptions } = await asked(client.subscriptions.list({ customer, status: 'all', limit: 10 }))
  const { data: invoices } = await asked(client.invoices.list({ customer, limit: 100, expand: ['data.payments'] }))
  const now = env.clock()
  // The oldest first: the order of the ledger is the order in which it was paid.
  for (const invoice of invoices.toReversed()) await writeDown(tx, now, userId, invoice)
  const begun = subscriptions.filter(({ status }) => BEGUN.includes(status)).sort((one, other) => other.created - one.created)
  const current = begun.find(({ status }) => LIVE.includes(status)) ?? begun[0]
  if (current) await store.saveCard(tx, userId, { ...stateOf(current), waiting: waitingOf(current, invoices) })
  await refreshStanding(tx, userId, now)
  return await store.lockCard(tx, userId)
}

/**
 * Asks what has become of the account’s checkout, and writes down what it has paid, in case nothing told of that. One that can still be paid
 * stays, or is closed. Returns the account’s card, locked, which keeps the checkout as long as it may be paid, or its payment is under way.
 */
export async function settleCheckout(
  env: Omit<CardEnv, 'db'>,
  tx: Queryable,
  userId: string,
  { isClosing }: { isClosing: boolean },
): Promise<store.CardAccount> {
  const before = await store.lockCard(tx, userId)
  if (before.checkoutId === null) return before
  const client = await env.card.client()
  const { status, subscription } = await asked(client.checkout.sessions.retrieve(before.checkoutId))
  if (status === 'open' && !isClosing) return before
  if (status === 'open') await asked(client.checkout.sessions.expire(before.checkoutId))
  const card = status === 'complete' ? await syncCard(env, tx, userId) : before
  if (status === 'complete' && card.subscriptionId !== idOf(subscription)) return card
  await store.saveCard(tx, userId, { checkoutId: null })
  return { ...card, checkoutId: null }
}

function stateOf(subscription: Stripe.Subscription): Partial<store.CardAccount> {
  const { id, status, cancel_at_period_end: isCancelled, cancel_at: cancelAt, start_date: start, items } = subscription
  const [item] = items.data
  const isBilled = LIVE.includes(status)
  const since = status === 'past_due' ? item?.current_period_start : undefined
  return {
    ...{ subscriptionId: id, status, ...billedBy(subscription.metadata, item?.price.id) },
    ...{ startedAt: instant(start), periodEnd: item === undefined ? null : instant(item.current_period_end) },
    failedSince: since === undefined ? null : instant(since),
    renews: isBilled && !isCancelled && cancelAt === null,
    ...(isBilled && { checkoutId: null }),
  }
}

/** The open invoice of a running subscription that the person can pay at the provider’s page, the newest first. */
function waitingOf(
  { id, status, pending_update: pending }: Stripe.Subscription,
  invoices: Stripe.Invoice[],
): store.CardAccount['waiting'] {
  const open = invoices.find(
    ({ parent, ...each }) =>
      each.status === 'open' &&
      each.hosted_invoice_url &&
      idOf(parent?.subscription_details?.subscription) === id &&
      (each.billing_reason !== 'subscription_update' || pending),
  )
  const metadata = open?.parent?.subscription_details?.metadata
  if (!open?.hosted_invoice_url || !metadata || !LIVE.includes(status)) return null
  const isChange = open.billing_reason === 'subscription_update'
  return {
    ...{
      kind: isChange ? ('change' as const) : ('renewal' as const),
      url: open.hosted_invoice_url,
      amountCents: open.amount_due,
    },
    tier: billedBy(metadata, priceOf(lineOf(open))).tier,
    until: isChange && pending ? instant(pending.expires_at).toISOString() : null,
  }
}

/** The line of what is paid for: the one that lasts longest. Beside it a change has one that gives back the rest of the old price. */
const lineOf = ({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined =>
  lines.data.toSorted((one, other) => other.period.end - one.period.end || other.amount - one.amount)[0]

const priceOf = (line: Stripe.InvoiceLineItem | undefined): string | undefined => idOf(line?.pricing?.price_details?.price)

const idOf = (thing: string | { id: string } | null | undefined): string | undefined =>
  typeof thing === 'string' ? thing : thing?.id

async function writeDown(tx: Queryable, now: Date, userId: string, invoice: Stripe.Invoice): Promise<void> {
  const metadata = invoice.parent?.subscription_details?.metadata
  const last = lineOf(invoice)
  if (!metadata || !last || (invoice.status !== 'paid' && invoice.status !== 'open')) return
  const plan = { userId, source: 'card' as const, ...billedBy(metadata, priceOf(last)) }
  const period = { startsAt: instant(last.period.start), endsAt: instant(last.period.end) }
  const key = `card:${invoice.id}`
  if (invoice.status === 'open')
    await writeInvoice(tx, now, { ...plan, ...period, key: `${key}:due`, amountCents: invoice.amount_due })
  else await creditPeriod(tx, now, { ...plan, key, amountCents: invoice.amount_paid, period, ...referenceOf(invoice) })
}

function referenceOf(invoice: Stripe.Invoice): { reference?: string } {
  const reference = idOf(invoice.payments?.data.find(({ status }) => status === 'paid')?.payment.payment_intent)
  return reference === undefined ? {} : { reference }
}

/** Writes down what was paid back of a payment, as the provider has it. */
export async function syncRefunds(env: Omit<CardEnv, 'db'>, tx: Queryable, intent: string): Promise<void> {
  const payment = await store.findPayment(tx, intent)
  if (!payment) return
  const client = await env.card.client()
  const { data: refunds } = await asked(client.refunds.list({ payment_intent: intent, limit: 100 }))
  for (const { id, amount, status } of refunds) {
    if (status === 'failed' || status === 'canceled') continue
    await writeRefund(tx, env.clock(), { key: `card:${id}`, refersTo: payment.key, amountCents: amount, reference: id })
  }
}

const instant = (seconds: number): Date => new Date(seconds * 1000)
