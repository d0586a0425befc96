import type Stripe from 'stripe'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { creditPeriod, refreshStanding, writeInvoice, writeRefund } from '../ledger/ledger.ts'
import { asked, isInvalid } from './card.ts'
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

/**
 * Asks the provider for the account’s subscription and invoices, and writes what they say: each paid invoice as a payment, and what the
 * subscription does next. Whatever was told, in whatever order and how often, the result is the same. Holds the lock of the account’s card
 * meanwhile, so that an older answer never replaces a newer one.
 */
export async function syncCard(env: Omit<CardEnv, 'db'>, tx: Queryable, userId: string): Promise<store.CardAccount> {
  const { customerId: customer, ...card } = await store.lockCard(tx, userId)
  if (customer === null) return { ...card, customerId: customer }
  const client = await env.card.client()
  const current = await askCurrent(client, customer)
  const { data: invoices } = await asked(client.invoices.list({ customer, limit: 100, expand: ['data.payments'] }))
  const now = env.clock()
  // The oldest first: the order of the ledger is the order in which it was paid.
  for (const invoice of invoices.toReversed()) await writeDown(tx, now, userId, invoice)
  if (current) await store.saveCard(tx, userId, { ...stateOf(current), waiting: waitingOf(current, invoices) })
  await refreshStanding(tx, userId, now)
  return await store.lockCard(tx, userId)
}

/** Asks for the subscription that counts: the one that runs, or else the newest that ever began. undefined if none did. */
export async function askCurrent(client: Stripe, customer: string): Promise<Stripe.Subscription | undefined> {
  const { data: subscriptions } = await asked(client.subscriptions.list({ customer, status: 'all', limit: 10 }))
  const begun = subscriptions.filter(({ status }) => BEGUN.includes(status)).sort((one, other) => other.created - one.created)
  return begun.find(runs) ?? begun[0]
}

/** True if the provider goes on with the subscription. */
export const runs = ({ status }: Stripe.Subscription): boolean => LIVE.includes(status)

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
  const found = await asked(client.checkout.sessions.retrieve(before.checkoutId))
  if (found.status === 'open' && !isClosing) return before
  const { status, subscription } = found.status === 'open' ? await closeCheckout(client, before.checkoutId) : found
  const card = status === 'complete' ? await syncCard(env, tx, userId) : before
  if (status === 'complete' && card.subscriptionId !== idOf(subscription)) return card
  await store.saveCard(tx, userId, { checkoutId: null })
  return { ...card, checkoutId: null }
}

async function closeCheckout(client: Stripe, id: string): Promise<Stripe.Checkout.Session> {
  try {
    return await asked(client.checkout.sessions.expire(id))
  } catch (error) {
    if (!isInvalid(error)) throw error
    // It was paid in this very moment.
    return await asked(client.checkout.sessions.retrieve(id))
  }
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

/** Asks what was paid back of a payment. */
export async function askRefunds(client: Stripe, intent: string): Promise<Stripe.Refund[]> {
  const { data: refunds } = await asked(client.refunds.list({ payment_intent: intent, limit: 100 }))
  return refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')
}

/** Writes down what the provider has paid back of a payment. */
export async function writeRefunds(tx: Queryable, now: Date, intent: string, refunds: Stripe.Refund[]): Promise<void> {
  const payment = await store.findPayment(tx, intent)
  if (!payment) return
  for (const { id, amount } of refunds)
    await writeRefund(tx, now, { key: `card:${id}`, refersTo: payment.key, amountCents: amount, reference: id })
}

const instant = (seconds: number): Date => new Date(seconds * 1000)
