import type Stripe from 'stripe'
import { z } from 'zod'
import { asked, isMissing } from '../payments/card.ts'
import { billedBy, idOf } from '../payments/meaning.ts'
import { differs } from '../payments/news.ts'
import { dropPending, endNow } from '../payments/pending.ts'
import { isLive, runs, stateOf } from '../payments/sync.ts'
import { catchUp, takeCustomer } from '../payments/webhook.ts'
import { type CheckEnv, type Difference, isYoung, lastOf, type Mend, PAGE, type Piece, pageOf, type Walk } from './difference.ts'
import * as store from './store.ts'

type Card = store.CardRow['card']

/** One page of all subscriptions of the provider's account. */
export async function compareSubscriptions(env: CheckEnv, walk: Walk): Promise<Piece> {
  const client = await env.card.client()
  const { created: _created, ...all } = pageOf(walk)
  const page = await asked(client.subscriptions.list({ status: 'all', ...all }))
  const customers = page.data.map(({ customer }) => idOf(customer) ?? '')
  const rows = await store.findCards(env.db, env.card.providerId, customers)
  const differences: Difference[] = []
  for (const subscription of page.data) {
    walk.listed.add(subscription.id)
    if (isYoung(walk, subscription.created)) continue
    const row = rows.get(idOf(subscription.customer) ?? '')
    const found = row ? await compareKnown(env, row, subscription) : await compareUnknown(env, subscription)
    if (found) differences.push(found)
  }
  return { looked: page.data.length, differences, after: lastOf(page) }
}

const isOurs = ({ metadata, items }: Stripe.Subscription): boolean => billedBy(metadata, items.data[0]?.price.id) !== undefined

const OVER = ['canceled', 'incomplete', 'incomplete_expired']

async function compareKnown(
  env: CheckEnv,
  { card, isDeleted }: store.CardRow,
  subscription: Stripe.Subscription,
): Promise<Difference | undefined> {
  const { id, status } = subscription
  const named = `subscription ${id} of customer ${card.customerId} and account ${card.userId}`
  const isKnown = card.subscriptionId === id
  if (!isOurs(subscription) && !isKnown) {
    if (OVER.includes(status)) return undefined
    return { line: `${named} was not made by this server, takes money and gives no plan`, todo: `End it at the provider` }
  }
  if (!runs(subscription))
    return isKnown && isLive(card) ? stale(env, card, subscription, `${named} has ended (${status})`) : undefined
  if (isDeleted) return ofDeleted(env, subscription, named)
  if (!isKnown && isLive(card) && (await isRunning(env, card.subscriptionId))) return beside(named, card)
  return isStale(card, subscription)
    ? stale(env, card, subscription, `${named} is ${status} otherwise than written here`)
    : undefined
}

/** A restored copy may lack the package. */
function isStale(card: Card, subscription: Stripe.Subscription): boolean {
  const { packageId: _, ...state } = stateOf(subscription)
  return differs(card, state)
}

const stale = (env: CheckEnv, card: Card, subscription: Stripe.Subscription, line: string): Difference => ({
  line,
  todo: 'Look at both by hand',
  mend: {
    ...{ kind: 'event', did: 'what the provider says is written' },
    work: () => catchUp(env, card.userId),
    async isLeft() {
      const row = (await store.findCards(env.db, env.card.providerId, [card.customerId ?? ''])).get(card.customerId)
      return row !== undefined && (runs(subscription) ? isStale(row.card, subscription) : isLive(row.card))
    },
  },
})

const beside = (named: string, card: Card): Difference => ({
  line: `${named} runs beside ${card.subscriptionId} of the same account`,
  todo: 'End one of the two at the provider, and pay back what was taken twice',
})

const ofDeleted = (env: CheckEnv, subscription: Stripe.Subscription, named: string): Difference => ({
  line: `${named} still runs, and the account is deleted`,
  todo: 'End it at the provider, or with check-provider --mend',
  mend: {
    ...{ kind: 'end', did: 'it is ended, with what is unpaid' },
    async work() {
      const client = await env.card.client()
      await dropPending(client, subscription)
      await endNow(client, subscription)
    },
    isLeft: () => isRunning(env, subscription.id),
  },
})

export async function isRunning(env: CheckEnv, id: string | null): Promise<boolean> {
  if (id === null) return false
  const client = await env.card.client()
  try {
    return runs(await asked(client.subscriptions.retrieve(id)))
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Its customer is of no account. */
async function compareUnknown(env: CheckEnv, subscription: Stripe.Subscription): Promise<Difference | undefined> {
  if (!runs(subscription) || !isOurs(subscription)) return undefined
  const customer = idOf(subscription.customer) ?? ''
  const named = `subscription ${subscription.id} of customer ${customer}`
  const userId = await payerOf(env, subscription.metadata, customer)
  if (userId === undefined)
    return {
      line: `${named} is of this server and names no account`,
      todo: 'Find out at the provider who pays, and end it there',
    }
  const found = await adoption(env, { userId, customer, named: `${named} and account ${userId}` })
  if ('mend' in found) return found
  return found.why === 'deleted' ? ofDeleted(env, subscription, `${named} and account ${userId}`) : found.difference
}

/** Subscriptions of before name nobody, their customers do. */
export async function payerOf(env: CheckEnv, metadata: Stripe.Metadata, customer: string): Promise<string | undefined> {
  const own = z.uuid().safeParse(metadata['userId']).data
  if (own !== undefined) return own
  const client = await env.card.client()
  const found = await asked(client.customers.retrieve(customer)).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return !found || found.deleted ? undefined : z.uuid().safeParse(found.metadata['userId']).data
}

type Adoption = (Difference & { mend: Mend }) | { why: 'deleted' | 'none' | 'blocked'; difference: Difference }

/** What is to be done about a customer of this server whom no account has. */
export async function adoption(
  env: CheckEnv,
  { userId, customer, named }: { userId: string; customer: string; named: string },
): Promise<Adoption> {
  const account = await store.findAccount(env.db, userId)
  const todo = 'End it at the provider, and pay back what is not owed'
  if (!account) return { why: 'none', difference: { line: `${named} is of no account here`, todo } }
  if (account.isDeleted) return { why: 'deleted', difference: { line: `${named} is of a deleted account`, todo } }
  if (!account.isActive) return { why: 'blocked', difference: { line: `${named} is of a blocked account`, todo } }
  return {
    line: `${named} is not written here`,
    todo: 'The account has another customer who is billed: end one of the two at the provider, and pay back what was taken twice',
    mend: {
      ...{ kind: 'event', did: 'the account has it again' },
      work: async () => (await takeCustomer(env, userId, customer)) && (await catchUp(env, userId)),
      isLeft: async () => !(await store.findCards(env.db, env.card.providerId, [customer])).has(customer),
    },
  }
}

/** Cards that are billed here and not at the provider. */
export async function compareCards(env: CheckEnv, walk: Walk): Promise<Piece> {
  const cards = await store.listLive(env.db, env.card.providerId, walk.after, PAGE)
  const differences: Difference[] = []
  for (const card of cards) {
    const { userId, subscriptionId: id } = card
    if (id === null || walk.listed.has(id) || (await isRunning(env, id))) continue
    differences.push({
      line: `subscription ${id} of customer ${card.customerId} and account ${userId} runs here, and not at the provider`,
      todo: 'Look at both by hand',
      mend: {
        ...{ kind: 'event', did: 'what the provider says is written' },
        work: () => catchUp(env, userId),
        async isLeft() {
          const row = (await store.findCards(env.db, env.card.providerId, [card.customerId ?? ''])).get(card.customerId)
          return row !== undefined && isLive(row.card) && row.card.subscriptionId === id
        },
      },
    })
  }
  return { looked: cards.length, differences, after: cards.length === PAGE ? cards.at(-1)?.userId : undefined }
}
