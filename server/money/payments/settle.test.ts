import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { sandbox, free, tierOf, stateOf, holds, entriesOf, pays, buys, forgetsCards } = cardsOf(world)

/** The webhook's secret is wrong: the server refuses whatever the provider tells. */
async function untrusted<T>(work: () => Promise<T>): Promise<T> {
  const { webhookSecret } = world.env.card
  world.env.card.webhookSecret = 'whsec_wrong'
  try {
    const done = await work()
    await sandbox.deliver()
    return done
  } finally {
    world.env.card.webhookSecret = webhookSecret
  }
}

/** Counts what is asked of the provider meanwhile. */
async function callsIn(work: () => Promise<unknown>): Promise<number> {
  const { inside } = world.env.card
  if (!inside) throw new Error('Tests pay in the sandbox')
  const asked = vi.spyOn(sandbox, 'run')
  await work()
  const { length } = asked.mock.calls
  asked.mockRestore()
  return length
}

/** As in a copy from before: nothing of the purchase is known here. */
async function forgets({ id }: Person): Promise<void> {
  await sandbox.deliver()
  await world.sql('delete from card_accounts where user_id = $1', [id])
  await world.sql('alter table ledger_entries disable trigger user')
  await world.sql('delete from ledger_entries where user_id = $1', [id])
  await world.sql('alter table ledger_entries enable trigger user')
  await world.sql("delete from sandbox_objects where kind = 'key'")
  await world.sql(
    "update users set subscription_tier = 'free', subscription_package_id = null, subscription_end_date = null where id = $1",
    [id],
  )
}

const running = () => world.sql("select 1 from sandbox_objects where kind = 'subscription' and body->>'status' = 'active'")

test('whoever comes back from the payment has the plan although every event is refused; the refusals are counted', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  const before = world.env.card.notes.events().refused.count
  await untrusted(() => pays(url))
  expect(await tierOf(alice)).toBe('free')
  const { refused } = world.env.card.notes.events()
  expect([refused.count - before, refused.lastAt]).toEqual([3, expect.any(Date)])
  // The checkout, the subscription and the invoices.
  expect(await callsIn(() => alice.does(paymentsApi.settle, {}))).toBe(3)
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['premium', true])
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  expect(await callsIn(() => alice.does(paymentsApi.settle, {}))).toBe(0)
  await holds()
})

test('a checkout that nobody has paid is asked about once a call, and stays open; Eve asks for her own alone', async () => {
  const [alice, eve] = [await free(), await world.person('eve', 'free')]
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  expect(await callsIn(() => alice.does(paymentsApi.settle, {}))).toBe(1)
  await untrusted(() => pays(url))
  expect(await callsIn(() => eve.does(paymentsApi.settle, {}))).toBe(0)
  expect([await tierOf(alice), await tierOf(eve)]).toEqual(['free', 'free'])
  await alice.does(paymentsApi.settle, {})
  expect(await tierOf(alice)).toBe('premium')
})

test('a purchase after a restored copy finds the subscription that runs, and no second one begins', async () => {
  const [alice, bob] = [await free(), await free()]
  for (const who of [alice, bob]) await buys(who, 'premium')
  const before = (await running()).length
  await forgets(alice)
  // Of Bob the copy has the customer, from an earlier try, and not the purchase.
  const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [bob.id])
  await forgets(bob)
  await world.sql('insert into card_accounts (user_id, provider_id, customer_id) values ($1, $2, $3)', [
    bob.id,
    world.env.card.providerId,
    row?.['customer_id'],
  ])
  for (const who of [alice, bob]) {
    expect(await tierOf(who)).toBe('free')
    expect(await who.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'already_subscribed')
    expect([await tierOf(who), (await stateOf(who)).card?.renews]).toEqual(['premium', true])
    expect(await entriesOf(who)).toHaveLength(1)
  }
  expect(await running()).toHaveLength(before)
})

test('whose subscription has ended buys again as the same customer, also after a restored copy', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.refund, {})
  const customerOf = async () => (await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id]))[0]
  const before = await customerOf()
  await forgets(alice)
  await buys(alice, 'premium')
  expect([await tierOf(alice), await customerOf()]).toEqual(['premium', before])
})

test('where the provider offers no search a first purchase goes on', async () => {
  const alice = await free()
  const { customers } = await world.env.card.client()
  const refused = Object.assign(new Error('no search here'), { type: 'StripeInvalidRequestError' })
  const search = vi.spyOn(customers, 'search').mockRejectedValueOnce(refused)
  await buys(alice, 'premium')
  expect(search).toHaveBeenCalledTimes(1)
  search.mockRestore()
  expect(await tierOf(alice)).toBe('premium')
})

test('before it is paid a purchase asks the provider three times, and as a known customer twice', async () => {
  const alice = await free()
  const begins = () => alice.does(paymentsApi.checkout, { planType: 'premium' })
  expect(await callsIn(begins)).toBe(3)
  await buys(alice, 'premium')
  await forgetsCards()
  await alice.does(paymentsApi.refund, {})
  await sandbox.deliver()
  expect(await callsIn(begins)).toBe(2)
})
