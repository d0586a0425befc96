import type Stripe from 'stripe'
import { Refusal } from '../../refuse.ts'
import { refreshStanding } from '../ledger/ledger.ts'
import { asked, isInvalid, isMissing } from './card.ts'
import { askAccount } from './provider.ts'
import * as store from './store.ts'
import { listProviders } from './store-providers.ts'
import type { CardEnv } from './sync.ts'

/** The provider learns only an id. A key that was used for a lost customer would answer that one. */
export async function newCustomer(client: Stripe, { userId, lostCustomerId }: store.CardAccount): Promise<string> {
  const idempotencyKey = ['customer', userId, lostCustomerId].filter(Boolean).join('-')
  return (await asked(client.customers.create({ metadata: { userId } }, { idempotencyKey }))).id
}

const SEARCH_MAX = 3

/** Returns customers of this account, also of after a restored copy. */
export async function findCustomers(client: Stripe, { userId, lostCustomerId }: store.CardAccount): Promise<string[]> {
  const search = client.customers.search({ query: `metadata['userId']:'${userId}'`, limit: SEARCH_MAX })
  const found = await asked(search).catch((error: unknown) => {
    // Stripe offers no search in some countries.
    if (isInvalid(error)) return { data: [] }
    throw error
  })
  return found.data.map(({ id }) => id).filter((id) => id !== lostCustomerId)
}

/** If the provider knows the account's customer no more, forgets it and works again. */
export async function withKnownCustomer<T>(env: CardEnv, userId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isMissing(error) || !(await forgetCustomer(env, userId))) throw error
    return await work()
  }
}

/** Returns false if the provider knows it. */
async function forgetCustomer(env: CardEnv, userId: string): Promise<boolean> {
  const client = await env.card.client()
  return await env.db.transaction(async (tx) => {
    await store.awaitProvider(tx)
    const { customerId: customer } = await store.lockCard(tx, env.card.providerId, userId)
    if (customer === null || (await isKnown(client, customer))) return false
    // Another account's key knows none of them.
    const provider = (await listProviders(tx)).find(({ id }) => id === env.card.providerId)
    if (provider?.account && (await askAccount(client)) !== provider.account) throw new Refusal('card_unavailable')
    await store.saveCard(tx, env.card.providerId, userId, { ...NOTHING, lostCustomerId: customer })
    await refreshStanding(tx, userId, env.clock())
    env.card.warn({ customer }, 'the card provider knows a customer no more, who is forgotten; nothing is billed there')
    return true
  })
}

async function isKnown(client: Stripe, customer: string): Promise<boolean> {
  try {
    return !(await asked(client.customers.retrieve(customer))).deleted
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

const NOTHING = {
  ...{ customerId: null, checkoutId: null, subscriptionId: null, status: null, tier: null, packageId: null },
  ...{ billingPeriod: null, startedAt: null, periodEnd: null, failedSince: null, waiting: null, renews: false },
}
