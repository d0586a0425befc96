import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { endCard } from './endCard.ts'
import { syncCard } from './sync.ts'
import { askForOverdue } from './webhook.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { sandbox, free, tierOf, stateOf, holds, entriesOf, pays, buys, atPortal, passes, forgetsCards } = cardsOf(world)

/** Runs what the provider tells of in vain. */
async function untold<T>(work: () => Promise<T>): Promise<T> {
  const { post } = sandbox
  sandbox.post = async () => undefined
  try {
    const done = await work()
    await sandbox.deliver()
    return done
  } finally {
    sandbox.post = post
  }
}

/** The job takes twenty accounts at a time, and those of earlier tests are among them. */
async function asksForAll(): Promise<void> {
  const ask = askForOverdue()
  while (await ask(world.env));
}

const checkoutOf = async ({ id }: Person) =>
  (await world.sql('select checkout_id from card_accounts where user_id = $1', [id]))[0]?.['checkout_id']

test('a first payment of which nothing tells is found by the person’s next attempt, which pays nothing twice', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  expect(await tierOf(alice)).toBe('free')
  expect(await alice.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'already_subscribed')
  expect([await tierOf(alice), await checkoutOf(alice)]).toEqual(['premium', null])
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  await holds()
})

test('it is found by the job as well; a checkout that nobody pays is asked for until it is over, and no longer', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await bob.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  await asksForAll()
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['premium', 'free'])
  expect([await checkoutOf(alice), await checkoutOf(bob)]).toEqual([null, expect.stringMatching(/^cs_/)])
  await passes(0.1)
  expect(await checkoutOf(bob)).toBeNull()
  await holds()
})

test('a checkout that is paid in the moment in which another tab closes it counts, and nobody pays twice', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  const { sessions } = (await world.env.card.client()).checkout
  const expire = sessions.expire.bind(sessions)
  vi.spyOn(sessions, 'expire').mockImplementationOnce(async (id) => {
    await untold(() => pays(url))
    return await expire(id)
  })
  expect(await alice.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'already_subscribed')
  vi.restoreAllMocks()
  expect([await tierOf(alice), await checkoutOf(alice)]).toEqual(['premium', null])
  expect(await entriesOf(alice)).toHaveLength(1)
  await holds()
})

test('of a subscription that has ended the provider is asked no more', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  await passes(32)
  const client = await world.env.card.client()
  const asked = vi.spyOn(client.subscriptions, 'list')
  world.passes(2 * 60 * 60)
  await asksForAll()
  const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id])
  expect(asked.mock.calls.filter(([sent]) => sent?.customer === row?.['customer_id'])).toEqual([])
  asked.mockRestore()
})

test('the card of a blocked account is billed no more, and whose block ends can go on', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  for (const who of [alice, bob]) await buys(who, 'premium')
  await world.sql('update users set is_active = false where id = $1', [alice.id])
  await passes(0.1)
  await world.sql('update users set is_active = true where id = $1', [alice.id])
  await alice.returns()
  expect([(await stateOf(alice)).card?.renews, (await stateOf(bob)).card?.renews]).toEqual([false, true])
  await alice.does(paymentsApi.keep, {})
  expect((await stateOf(alice)).card?.renews).toBe(true)
})

test('one account of which nothing can be said holds up nobody’s renewal', async () => {
  const people = [await free(), await free(), await free()].sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const who of people) await buys(who, 'premium')
  const [first] = people
  await untold(async () => {
    world.passes(32 * 24 * 60 * 60)
    for (const who of people) {
      await who.returns()
      await atPortal(who, { act: 'renew' })
    }
  })
  const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [first?.id])
  const { invoices } = await world.env.card.client()
  const list = invoices.list.bind(invoices)
  const spy = vi.spyOn(invoices, 'list').mockImplementation((asked, ...more) => {
    if (asked?.customer === row?.['customer_id']) throw new Error('nothing can be said')
    return list(asked, ...more)
  })
  const job = askForOverdue()
  await expect(job(world.env)).rejects.toThrow('nothing can be said')
  spy.mockRestore()
  for (const who of people.slice(1)) expect(await entriesOf(who)).toHaveLength(2)
  await holds()
})

/** What the operator does at the provider's dashboard. */
const byHand = (who: Person, kind: string, change: string) =>
  world.sql(
    `update sandbox_objects set body = ${change} where kind = $2 and customer = (select customer_id from card_accounts where user_id = $1)`,
    [who.id, kind],
  )

test('an invoice that the operator writes for the same customer by hand gives nothing, is named, and stops nothing', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const named = vi.spyOn(world.env.card, 'warn')
  await world.sql(
    `insert into sandbox_objects (id, kind, customer, body)
     select 'in_byhand', kind, customer, body || '{"id":"in_byhand","amount_paid":990000,"amount_due":990000}'
       || '{"parent":{"type":"subscription_details","subscription_details":{"subscription":"sub_byhand","metadata":{}}}}'
     from sandbox_objects where kind = 'invoice' and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id],
  )
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium' })).toEqual({ success: true })
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).map(({ cents }) => cents)).not.toContain(990_000)
  expect(new Set(named.mock.calls.map(([{ invoice }]) => invoice))).toEqual(new Set(['in_byhand']))
  named.mockRestore()
  await alice.does(paymentsApi.refund, {})
  expect(await tierOf(alice)).toBe('free')
  await holds()
})

test('a subscription whose metadata somebody has emptied goes on as it is known here, is upgraded, and ends with the account', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await byHand(alice, 'subscription', `jsonb_set(body, '{metadata}', '{}')`)
  await passes(31.2)
  await alice.returns()
  expect([await tierOf(alice), (await stateOf(alice)).card]).toMatchObject(['test', { renews: true, tier: 'test' }])
  expect(await entriesOf(alice)).toHaveLength(2)
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.tier]).toEqual(['premium', 'premium'])
  expect(await endCard(world.env, alice.id)).toBe(true)
  await holds()
})

test('a refund whose second half the provider does not answer is completed by the next attempt, and billed no more meanwhile', async () => {
  await forgetsCards()
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  const { refunds } = await world.env.card.client()
  const create = refunds.create.bind(refunds)
  const lost = Object.assign(new Error('lost'), { type: 'StripeConnectionError' })
  const spy = vi.spyOn(refunds, 'create').mockImplementationOnce(create).mockRejectedValueOnce(lost)
  expect(await alice.tries(paymentsApi.refund, {})).toBeRefused(503, 'card_unavailable')
  spy.mockRestore()
  // The provider tells of the half that it has paid back.
  await sandbox.deliver()
  await vi.waitFor(async () => expect((await stateOf(alice)).card?.renews).toBe(false))
  const half = (await entriesOf(alice)).filter(({ kind }) => kind === 'refund').map(({ cents }) => Number(cents))
  expect(half).toHaveLength(1)
  // The other half alone: the provider forgets after a day what it was asked before.
  const again = vi.spyOn(refunds, 'create')
  expect(await alice.does(paymentsApi.refund, {})).toEqual({ refundedCents: 100_000 - (half[0] ?? 0) })
  expect(again).toHaveBeenCalledTimes(1)
  again.mockRestore()
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'refund').map(({ cents }) => cents)).toEqual(
    expect.arrayContaining([100, 99_900]),
  )
  expect([await tierOf(alice), (await stateOf(alice)).card]).toEqual(['free', null])
  await buys(alice, 'test')
  expect(await alice.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  await holds()
})

test('Eve gets the guarantee once, also where the clocks differ and she has ended the next subscription first', async () => {
  await forgetsCards()
  const eve = await world.person('eve', 'free')
  await buys(eve, 'test')
  await eve.does(paymentsApi.refund, {})
  await buys(eve, 'test')
  await eve.does(paymentsApi.upgrade, { tier: 'free' })
  // By the provider's clock this subscription began before the payment of the one before.
  await world.sql("update card_accounts set started_at = started_at - interval '1 minute' where user_id = $1", [eve.id])
  expect(await eve.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
})

test('while the provider lets many people wait, everybody else writes on', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chatRoomId = await alice.talksTo(bob)
  const payers = await Promise.all(Array.from({ length: 18 }, free))
  let answer = (): void => undefined
  void sandbox.run(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
      }),
  )
  const asked = payers.map((who) => who.tries(paymentsApi.checkout, { planType: 'test' }))
  try {
    const held = "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"
    await vi.waitUntil(async () => (await world.sql(held)).length >= 4)
    await alice.says(chatRoomId, 'hello')
  } finally {
    answer()
  }
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(18).fill(200))
})

test('whose card ends while the provider takes its time writes on meanwhile', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const chatRoomId = await alice.talksTo(bob)
  await buys(alice, 'premium')
  const { subscriptions } = await world.env.card.client()
  const cancel = subscriptions.cancel.bind(subscriptions)
  let answer = (): void => undefined
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const spy = vi.spyOn(subscriptions, 'cancel').mockImplementationOnce(async (id) => {
    await slow
    return await cancel(id)
  })
  const ended = endCard(world.env, alice.id)
  await vi.waitUntil(() => spy.mock.calls.length > 0)
  await alice.says(chatRoomId, 'hello')
  answer()
  expect(await ended).toBe(true)
  spy.mockRestore()
  expect((await stateOf(alice)).card).toBeNull()
})

test('a plan of a package that a restored copy lacks is given by its tier, and stops nothing', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  const lacking = '00000000-0000-4000-8000-000000000000'
  await world.sql(
    `update sandbox_objects set body = jsonb_set(body, $2::text[], to_jsonb($3::text))
     where kind = $4 and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id, ['metadata', 'packageId'], lacking, 'subscription'],
  )
  await world.sql(
    `update sandbox_objects set body = jsonb_set(body, $2::text[], to_jsonb($3::text))
     where kind = $4 and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id, ['parent', 'subscription_details', 'metadata', 'packageId'], lacking, 'invoice'],
  )
  await asksForAll()
  expect(await tierOf(alice)).toBe('premium')
  expect(await entriesOf(alice)).toHaveLength(1)
})

test('what runs at the provider comes back to its account after a copy from before is restored, and is named where it cannot', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const named = vi.spyOn(world.env.card, 'warn')
  await buys(alice, 'premium')
  await buys(bob, 'test')
  await sandbox.deliver()
  const lost = (await world.sql('select customer_id from card_accounts where user_id = $1', [bob.id]))[0]?.['customer_id']
  // As in a copy from before the payment: the ledger stays, because it only grows.
  await world.sql('delete from card_accounts where user_id = any ($1)', [[alice.id, bob.id]])
  await world.sql("delete from sandbox_objects where kind = 'key'")
  // The provider's search does not know the customer yet.
  const { customers } = await world.env.card.client()
  const search = vi.spyOn(customers, 'search').mockResolvedValueOnce({ data: [] } as never)
  await untold(() => buys(bob, 'premium'))
  search.mockRestore()
  await world.sql(
    `update card_accounts c set subscription_id = s.id, status = 'active' from sandbox_objects s
     where s.kind = 'subscription' and s.customer = c.customer_id and c.user_id = $1`,
    [bob.id],
  )
  await passes(31.2)
  await alice.returns()
  expect(await stateOf(alice)).toMatchObject({ tier: 'premium', card: { renews: true } })
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'payment')).toHaveLength(2)
  const told = named.mock.calls.filter(([, words]) => words.includes('no account')).map(([{ customer }]) => customer)
  expect(new Set(told)).toEqual(new Set([lost]))
  named.mockRestore()
})

test('an invoice in another currency is not written as dollars: it is named, and gives nothing', async () => {
  const alice = await free()
  const named = vi.spyOn(world.env.card, 'warn')
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  await world.sql(
    `update sandbox_objects set body = body || '{"currency":"jpy"}' where kind = 'invoice'
     and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id],
  )
  await asksForAll()
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual(['free', []])
  expect(named.mock.calls).toContainEqual([{ invoice: expect.any(String) }, expect.stringContaining('an invoice')])
  named.mockRestore()
})

/** What the provider says of the newest subscription of somebody. */
async function isAt(who: Person, more: object): Promise<void> {
  await world.sql(
    `update sandbox_objects set body = body || $2::jsonb where id = (select id from sandbox_objects where kind = 'subscription'
     and customer = (select customer_id from card_accounts where user_id = $1) order by place desc limit 1)`,
    [who.id, JSON.stringify(more)],
  )
  await world.env.db.transaction((tx) => syncCard(world.env, tx, who.id))
}
const runningOf = async (who: Person) =>
  (
    await world.sql(
      `select body ->> 'status' as status from sandbox_objects where kind = 'subscription'
       and customer = (select customer_id from card_accounts where user_id = $1) order by place`,
      [who.id],
    )
  ).map(({ status }) => status)

test('a subscription in another currency, of this server, is named, is not renewed, and stands in nobody’s way', async () => {
  const alice = await free()
  const named = vi.spyOn(world.env.card, 'warn')
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  await world.sql(
    `update sandbox_objects set body = body || '{"currency":"eur"}' where kind in ('invoice', 'subscription')
     and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id],
  )
  for (const _ of [1, 2]) await world.env.db.transaction((tx) => syncCard(world.env, tx, alice.id))
  const told = named.mock.calls.filter(([, words]) => words.includes('another currency'))
  expect(told.map(([details]) => details)).toEqual([{ subscription: expect.any(String), currency: 'eur' }])
  named.mockRestore()
  expect(await stateOf(alice)).toMatchObject({ tier: 'free', card: null })
  const customers = async () =>
    (
      await world.sql(
        `select s.body ->> 'status' as status from sandbox_objects s join sandbox_objects c on c.id = s.customer
         where s.kind = 'subscription' and c.body -> 'metadata' ->> 'userId' = $1::text order by s.place`,
        [alice.id],
      )
    ).map(({ status }) => status)
  // Stripe mixes no currencies of a customer.
  await buys(alice, 'premium')
  expect([await tierOf(alice), await customers()]).toEqual(['premium', ['active', 'active']])
  await passes(32)
  await alice.returns()
  expect([await tierOf(alice), await customers()]).toEqual(['premium', ['canceled', 'active']])
})

test('a subscription in another currency that a version of before took for the account’s locks nobody out of cards', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await world.sql(
    `update sandbox_objects set body = body || '{"currency":"eur"}' where kind = 'subscription'
     and customer = (select customer_id from card_accounts where user_id = $1)`,
    [alice.id],
  )
  await world.env.db.transaction((tx) => syncCard(world.env, tx, alice.id))
  expect((await stateOf(alice)).card).toBeNull()
  expect(await alice.tries(paymentsApi.keep, {})).toBeRefused(409, 'no_subscription')
})

test('a trial at the provider is shown as a card that runs, and no second checkout stands beside it', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await isAt(alice, { status: 'trialing' })
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'premium', renews: true })
  expect(await alice.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'already_subscribed')
})

test.each(['unpaid', 'paused'])(
  'a subscription that is %s at the provider ends before the plan is bought anew',
  async (status) => {
    const alice = await free()
    await buys(alice, 'test')
    await isAt(alice, { status })
    expect((await stateOf(alice)).card).toBeNull()
    const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
    expect(await runningOf(alice)).toEqual(['canceled'])
    await pays(url)
    expect([await runningOf(alice), (await stateOf(alice)).card?.tier]).toEqual([['canceled', 'active'], 'premium'])
  },
)

test('a card with an end far off, which was set at the provider, is billed no more once it has to end with its period', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await isAt(alice, { cancel_at: Math.floor(world.env.clock().getTime() / 1000) + 200 * 86_400 })
  expect(await endCard(world.env, alice.id, { atEnd: true })).toBe(true)
  await passes(32)
  expect([await runningOf(alice), await alice.returns().then(() => tierOf(alice))]).toEqual([['canceled'], 'free'])
})

test('the newest event is kept, however long nothing comes', async () => {
  const newest = async () => (await world.sql('select max(received_at) as at from card_events'))[0]?.['at']
  const before = await newest()
  world.passes(41 * 86_400)
  await asksForAll()
  expect(before).toBeInstanceOf(Date)
  expect(await newest()).toEqual(before)
})

test.each(['unpaid', 'paused'])('a subscription that is %s at the provider ends with the account', async (status) => {
  const alice = await free()
  await buys(alice, 'test')
  await isAt(alice, { status })
  const ended = await endCard(world.env, alice.id)
  expect([ended, await runningOf(alice)]).toEqual([true, ['canceled']])
})
