import type Stripe from 'stripe'
import { tierShape } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { creditPeriod, refreshStanding, writeInvoice } from '../ledger/ledger.ts'
import { asked, isInvalid, isMissing } from './card.ts'
import { type Billed, billedBy, idOf, LIVE, lineOf, priceIn } from './meaning.ts'
import { goOn, isCancelled } from './pending.ts'
import { putBack } from './scheduled.ts'
import * as store from './store.ts'

export type CardEnv = Pick<Env, 'db' | 'card' | 'clock'>

/** Other statuses never began. */
export const BEGUN = ['active', 'past_due', 'trialing', 'unpaid', 'canceled', 'paused']
const STUCK = ['unpaid', 'paused']

export const isLive = ({ subscriptionId, status }: store.CardAccount): boolean =>
  subscriptionId !== null && LIVE.includes(status ?? '')

/** It neither runs nor has ended. */
export const isStuck = ({ status }: Pick<store.CardAccount, 'status'>): boolean => STUCK.includes(status ?? '')

/** Writes what the provider says. The card's lock keeps older answers from replacing newer ones. */
export async function syncCard(env: Omit<CardEnv, 'db'>, tx: Queryable, userId: string): Promise<store.CardAccount> {
  const card = await store.lockCard(tx, env.card.providerId, userId)
  const { customerId: customer } = card
  if (customer === null) return card
  const client = await env.card.client()
  const own = await listOwn(client, customer, card)
  await endForeign(env, tx, client, own, userId)
  const asOf = newestOf(own)
  const { data: invoices } = await asked(client.invoices.list({ customer, limit: 100, expand: ['data.payments'] }))
  // An upgrade was confirmed at the provider's page.
  const current = asOf && runs(asOf) ? await followUp(client, asOf, isPaidChange(card, invoices)) : asOf
  const now = env.clock()
  // A restored copy may lack a package.
  const known = await store.listPackageIds(tx)
  const kept = <T extends { packageId?: string | null }>(plan: T): T =>
    plan.packageId && !known.includes(plan.packageId) ? { ...plan, packageId: null } : plan
  // The ledger's order is the order of payment.
  for (const invoice of invoices.toReversed()) {
    const found = planOf(card, invoice)
    const plan = found && kept(found)
    if (plan) await writeDown(tx, now, { userId, providerId: card.providerId, ...plan }, invoice)
    else if (isBilling(invoice)) env.card.warn({ invoice: invoice.id ?? '' }, FOREIGN)
  }
  if (current)
    await store.saveCard(tx, env.card.providerId, userId, {
      ...kept(stateOf(current)),
      waiting: waitingOf(card, current, invoices),
    })
  // A version of before kept one.
  else if (own.some((one) => one.id === card.subscriptionId && isForeign(one)))
    await store.saveCard(tx, env.card.providerId, userId, { ...NONE, waiting: null, checkoutId: null })
  await refreshStanding(tx, userId, now)
  return await store.lockCard(tx, env.card.providerId, userId)
}

async function followUp(client: Stripe, subscription: Stripe.Subscription, isPaid: boolean): Promise<Stripe.Subscription> {
  const settled = await putBack(client, subscription)
  return isPaid ? await goOn(client, settled) : settled
}

const FOREIGN = 'an invoice at the card provider is of nothing that this server sells'

/** Returns the running subscription of this server's, else the newest that began. */
export async function askCurrent(
  client: Stripe,
  customer: string,
  { subscriptionId }: Pick<store.CardAccount, 'subscriptionId'>,
): Promise<Stripe.Subscription | undefined> {
  return newestOf(await listOwn(client, customer, { subscriptionId }))
}

const ENDED = ['canceled', 'incomplete_expired']

/** As `askCurrent`. `isMixed`: the customer takes no US dollars now. */
export async function askOwn(
  env: Pick<CardEnv, 'card'>,
  tx: Queryable,
  customer: string,
  card: store.CardAccount,
): Promise<{ current: Stripe.Subscription | undefined; isMixed: boolean }> {
  const client = await env.card.client()
  const own = await listOwn(client, customer, card)
  await endForeign(env, tx, client, own, card.userId)
  return { current: newestOf(own), isMixed: own.some((one) => isForeign(one) && !ENDED.includes(one.status)) }
}

/** Lists what this server sold, in any currency. */
async function listOwn(client: Stripe, customer: string, { subscriptionId }: Pick<store.CardAccount, 'subscriptionId'>) {
  const { data: subscriptions } = await asked(client.subscriptions.list({ customer, status: 'all', limit: 10 }))
  return subscriptions.filter(
    ({ id, metadata, items }) => id === subscriptionId || billedBy(metadata, items.data[0]?.price.id) !== undefined,
  )
}

function newestOf(own: Stripe.Subscription[]): Stripe.Subscription | undefined {
  const begun = own
    .filter((one) => BEGUN.includes(one.status) && !isForeign(one))
    .sort((one, other) => other.created - one.created)
  return begun.find(runs) ?? begun[0]
}

const NONE = { subscriptionId: null, status: null, renews: false }

const isForeign = ({ currency }: Pick<Stripe.Subscription, 'currency'>): boolean => (currency || 'usd') !== 'usd'

/** It gives no plan: its period is not billed again. */
async function endForeign(
  { card }: Pick<CardEnv, 'card'>,
  tx: Queryable,
  client: Stripe,
  own: Stripe.Subscription[],
  userId: string,
): Promise<void> {
  for (const subscription of own.filter((one) => isForeign(one) && runs(one) && !isCancelled(one))) {
    const { id, currency } = subscription
    card.warn({ subscription: id, currency }, FOREIGN_CURRENCY)
    await asked(client.subscriptions.update(id, { cancel_at_period_end: true }))
    await store.saveCard(tx, card.providerId, userId, { checkoutId: null })
  }
}

const FOREIGN_CURRENCY =
  'a subscription of this server at the card provider is in another currency than US dollars: it gives no plan and is not renewed. Refund it there'

export const runs = ({ status }: Stripe.Subscription): boolean => LIVE.includes(status)

/** Returns the locked card, which keeps a checkout that may still be paid or is being paid. */
export async function settleCheckout(
  env: Omit<CardEnv, 'db'>,
  tx: Queryable,
  userId: string,
  { isClosing }: { isClosing: boolean },
): Promise<store.CardAccount> {
  const before = await store.lockCard(tx, env.card.providerId, userId)
  if (before.checkoutId === null) return before
  const client = await env.card.client()
  const found = await findCheckout(client, before.checkoutId)
  if (found.status === 'open' && !isClosing) return before
  const { status, subscription } = found.status === 'open' ? await closeCheckout(client, before.checkoutId) : found
  const card = status === 'complete' ? await syncCard(env, tx, userId) : before
  if (status === 'complete' && card.subscriptionId !== idOf(subscription)) return card
  await store.saveCard(tx, env.card.providerId, userId, { checkoutId: null })
  return { ...card, checkoutId: null }
}

async function findCheckout(client: Stripe, id: string): Promise<Pick<Stripe.Checkout.Session, 'status' | 'subscription'>> {
  try {
    return await asked(client.checkout.sessions.retrieve(id))
  } catch (error) {
    if (isMissing(error)) return { status: 'expired', subscription: null }
    throw error
  }
}

async function closeCheckout(client: Stripe, id: string): Promise<Stripe.Checkout.Session> {
  try {
    return await asked(client.checkout.sessions.expire(id))
  } catch (error) {
    if (!isInvalid(error)) throw error
    // Paid in this moment.
    return await asked(client.checkout.sessions.retrieve(id))
  }
}

const isPaidChange = ({ waiting }: store.CardAccount, invoices: Stripe.Invoice[]): boolean =>
  waiting?.kind === 'change' && invoices.some(({ hosted_invoice_url: url, status }) => url === waiting.url && status === 'paid')

export function stateOf(subscription: Stripe.Subscription): Partial<store.CardAccount> {
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

/** Returns the newest invoice that the person can pay at the provider's page. */
function waitingOf(
  card: store.CardAccount,
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
  const plan = open && planOf(card, open)
  if (!open?.hosted_invoice_url || !plan || !LIVE.includes(status)) return null
  const isChange = open.billing_reason === 'subscription_update'
  return {
    ...{
      kind: isChange ? ('change' as const) : ('renewal' as const),
      url: open.hosted_invoice_url,
      amountCents: open.amount_due,
    },
    tier: plan.tier,
    until: isChange && pending ? instant(pending.expires_at).toISOString() : null,
  }
}

const isBilling = ({ status }: Stripe.Invoice): boolean => status === 'paid' || status === 'open'

export function planOn({ tier, packageId, billingPeriod }: store.CardAccount): Billed | undefined {
  const { data: known } = tierShape.safeParse(tier)
  return known && billingPeriod !== null ? { tier: known, packageId, billingPeriod } : undefined
}

/** Returns undefined for what this server did not bill. */
export function planOf(card: store.CardAccount, { parent, ...invoice }: Stripe.Invoice): Billed | undefined {
  // Its amount is not in US cents.
  if (invoice.currency !== 'usd') return undefined
  const { metadata, subscription } = parent?.subscription_details ?? {}
  const named = billedBy(metadata ?? {}, priceIn(lineOf(invoice)))
  const isEmptied = Object.keys(metadata ?? {}).length === 0
  const isKnown = card.subscriptionId !== null && idOf(subscription) === card.subscriptionId
  return named ?? (isKnown && isEmptied ? planOn(card) : undefined)
}

async function writeDown(
  tx: Queryable,
  now: Date,
  who: Billed & { userId: string; providerId: number },
  invoice: Stripe.Invoice,
): Promise<void> {
  const last = lineOf(invoice)
  if (!last || !isBilling(invoice)) return
  const plan = { ...who, source: 'card' as const }
  const period = { startsAt: instant(last.period.start), endsAt: instant(last.period.end) }
  const key = `card:${invoice.id}`
  if (invoice.status === 'open')
    await writeInvoice(tx, now, { ...plan, ...period, key: `${key}:due`, amountCents: invoice.amount_due })
  else await creditPeriod(tx, now, { ...plan, key, ...paidOf(invoice), period, ...referenceOf(invoice) })
}

/** A customer's credit may pay a part of both. */
function paidOf({ amount_paid: amountCents, total, total_excluding_tax: net }: Stripe.Invoice): {
  amountCents: number
  taxCents?: number
} {
  const taxCents =
    net === null || net === undefined || total <= 0 ? 0 : Math.min(total - net, Math.round(((total - net) * amountCents) / total))
  return taxCents > 0 && taxCents <= amountCents ? { amountCents, taxCents } : { amountCents }
}

function referenceOf(invoice: Stripe.Invoice): { reference?: string } {
  const reference = idOf(invoice.payments?.data.find(({ status }) => status === 'paid')?.payment.payment_intent)
  return reference === undefined ? {} : { reference }
}

const instant = (seconds: number): Date => new Date(seconds * 1000)
