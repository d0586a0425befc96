import Stripe from 'stripe'
import { expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { adminApi } from '../../../contract/admin/admin.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { readRevenue } from '../../admin/revenue.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { openCard } from './openCard.ts'
import { startProvider } from './provider.ts'

vi.setConfig({ testTimeout: 60_000 })
const SECRETS = { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }
const TEST_MODE = { provider: 'stripe' as const, ...SECRETS }
const LIVE_MODE = { ...TEST_MODE, secretKey: 'sk_live_1' }
const SANDBOX = { provider: 'sandbox' as const }
const OFF = { provider: 'off' as const }

/** A world of its own: where cards are taken is of the whole database. */
async function place() {
  const world = await startWorld()
  const { db, clock } = world.env
  const cards = cardsOf(world)
  return {
    ...{ world, ...cards },
    starts: (settings: typeof TEST_MODE | typeof SANDBOX | typeof OFF, account?: string) =>
      startProvider(db, clock(), settings, account),
    recurring: async () => (await readRevenue(world.env)).monthlyRecurringRevenue,
    /** The provider forgets the person, as after a deletion at its dashboard. */
    loses: ({ id }: Person) =>
      world.sql(
        "delete from sandbox_objects o using card_accounts c where c.user_id = $1 and (o.id = c.customer_id or o.customer = c.customer_id) and o.kind <> 'key'",
        [id],
      ),
    customerOf: async ({ id }: Person) =>
      (await world.sql('select customer_id, lost_customer_id from card_accounts where user_id = $1', [id]))[0],
  }
}

test('sandbox and test money gives plans and is income only where the server takes cards there, and comes back with that provider', async () => {
  const { starts, free, buys, tierOf, recurring, holds, stateOf } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  const seen = async () => [await tierOf(alice), await recurring()]
  expect(await seen()).toEqual(['premium', 1000])
  for (const settings of [TEST_MODE, LIVE_MODE, OFF]) {
    await starts(settings)
    expect(await seen()).toEqual(['free', 0])
    await holds()
    await starts(SANDBOX)
    expect(await seen()).toEqual(['premium', 1000])
    expect((await stateOf(alice)).card).toMatchObject({ renews: true })
    await holds()
  }
})

test('real money counts whatever the server runs with', async () => {
  const { starts, free, buys, tierOf, recurring, holds, world } = await place()
  const alice = await free()
  await starts(LIVE_MODE, 'acct_1')
  world.env.card.providerId = await starts(LIVE_MODE, 'acct_1')
  await buys(alice, 'premium')
  for (const settings of [OFF, TEST_MODE, SANDBOX, LIVE_MODE]) {
    await starts(settings)
    expect([await tierOf(alice), await recurring()]).toEqual(['premium', 1000])
    await holds()
  }
})

test('each provider, mode and account is kept once, and one that is not told is the one that was known last', async () => {
  const { starts, world } = await place()
  const rows = () => world.sql('select id, provider, is_live, account, counts from card_providers order by id')
  const test1 = await starts(TEST_MODE, 'acct_1')
  expect(await starts(TEST_MODE, 'acct_2')).not.toBe(test1)
  expect(await starts(TEST_MODE, 'acct_1')).toBe(test1)
  expect(await starts(TEST_MODE)).toBe(test1)
  expect(await starts(OFF)).toBe(test1)
  const live = await starts(LIVE_MODE)
  expect(await starts(LIVE_MODE, 'acct_1')).toBe(live)
  expect(await rows()).toEqual([
    { id: 1, provider: 'sandbox', is_live: false, account: '', counts: false },
    { id: test1, provider: 'stripe', is_live: false, account: 'acct_1', counts: false },
    { id: 3, provider: 'stripe', is_live: false, account: 'acct_2', counts: false },
    { id: 4, provider: 'off', is_live: false, account: '', counts: false },
    { id: live, provider: 'stripe', is_live: true, account: 'acct_1', counts: true },
  ])
})

test('payments of before count until a server starts with a provider, and then as those of that one', async () => {
  const { starts, free, buys, tierOf, world } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  await world.sql('delete from card_providers where id <> 1')
  await world.sql("update card_providers set provider = 'unknown', start = 0")
  await starts(OFF)
  expect(await tierOf(alice)).toBe('premium')
  expect(await starts(TEST_MODE)).toBe(1)
  expect(await tierOf(alice)).toBe('premium')
  await starts(SANDBOX)
  expect(await tierOf(alice)).toBe('free')
})

test('a customer that the provider knows no more is forgotten and made anew, and what was paid stays', async () => {
  const { free, buys, loses, tierOf, stateOf, customerOf, holds, world } = await place()
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  for (const who of [alice, bob, carol]) await buys(who, 'test')
  const lost = await customerOf(alice)
  for (const who of [alice, bob, carol]) await loses(who)
  expect(await alice.does(paymentsApi.preview, { tier: 'premium', billingPeriod: 'monthly' })).toEqual({ dueNowCents: 100_000 })
  expect(await stateOf(alice)).toMatchObject({ tier: 'test', card: null })
  expect(await customerOf(alice)).toEqual({ customer_id: null, lost_customer_id: lost?.['customer_id'] })
  await buys(alice, 'premium')
  expect(await tierOf(alice)).toBe('premium')
  expect((await customerOf(alice))?.['customer_id']).not.toBe(lost?.['customer_id'])
  expect(await bob.tries(paymentsApi.portal, {})).toBeRefused(409, 'no_subscription')
  expect(await carol.does(paymentsApi.upgrade, { tier: 'premium' })).toMatchObject({ checkoutUrl: expect.any(String) })
  await holds()
})

test('a lost customer refuses no downgrade and no refund with a mistake of the server, and the job asks on', async () => {
  const { free, buys, loses, stateOf, passes, world } = await place()
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  for (const who of [alice, bob, carol]) {
    await buys(who, 'test')
    await loses(who)
  }
  expect(await alice.does(paymentsApi.upgrade, { tier: 'free' })).toEqual({ success: true })
  expect(await bob.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  await passes(32)
  await carol.returns()
  expect(await stateOf(carol)).toMatchObject({ tier: 'free', card: null })
})

test('an account whose customer is lost can be deleted, and given a plan', async () => {
  const { free, buys, loses, tierOf, world } = await place()
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  for (const who of [alice, bob]) {
    await buys(who, 'premium')
    await loses(who)
  }
  await world.sql('update users set is_admin = true where id = $1', [carol.id])
  await carol.does(stepUpApi.confirm, { password: carol.authSecret, kdf: 1 })
  await carol.does(adminApi.setTier, { id: bob.id, tier: 'enterprise' })
  expect(await tierOf(bob)).toBe('enterprise')
  expect(await alice.tries(accountApi.remove, { password: alice.authSecret, kdf: 1 })).toMatchObject({ status: 200 })
})

test('each error of the provider is noted by type, code, parameter and request, without a message, and a refused key is no mistake of ours', async () => {
  const { world, free } = await place()
  const notes: object[] = []
  const { db, clock } = world.env
  const card = await openCard(SANDBOX, db, clock, { note: (failure) => notes.push(failure) })
  const client = await card.client()
  await expect(client.customers.retrieve('cus_1')).rejects.toThrow('No such customer')
  await expect(client.invoices.list({ customer: 'cus_1' })).rejects.toThrow('No such customer')
  await client.subscriptions.list({ limit: 1 })
  const failure = { type: 'invalid_request_error', code: 'resource_missing', requestId: expect.stringMatching(/^req_/) }
  expect(notes).toEqual([
    { ...failure, param: 'id' },
    { ...failure, param: 'customer' },
  ])
  const alice = await free()
  const { customers } = await world.env.card.client()
  for (const error of [Stripe.errors.StripeAuthenticationError, Stripe.errors.StripePermissionError]) {
    vi.spyOn(customers, 'create').mockRejectedValueOnce(new error({ message: 'no', type: 'invalid_request_error' }))
    expect(await alice.tries(paymentsApi.checkout, { planType: 'test' })).toBeRefused(503, 'card_unavailable')
  }
})
