import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import type { Dispute, Invoice, Refund, Subscription } from '../../sandbox/objects.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { checkProvider, checkProviderDaily, listChecks } from './checks.ts'
import { newWalk, stepWalk } from './walk.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A world of its own: a walk sees all that the provider has. */
async function place() {
  const world = await startWorld()
  const cards = cardsOf(world)
  const { sandbox } = cards
  const rowOf = async ({ id }: Person) =>
    (await world.sql('select customer_id, subscription_id from card_accounts where user_id = $1', [id]))[0] ?? {}
  const place = {
    ...{ world, ...cards, rowOf },
    /** Whatever the provider tells of it is lost. */
    async untold<T>(work: () => Promise<T>): Promise<T> {
      const { post } = sandbox
      sandbox.post = async () => undefined
      const done = await work()
      await sandbox.deliver()
      sandbox.post = post
      return done
    },
    /** Events of then are no longer under way. */
    async checks(mending: Parameters<typeof checkProvider>[1] = 'nothing') {
      world.passes(11 * 60)
      return await checkProvider(world.env, mending)
    },
    /** As a copy of the database from before the purchase would be. */
    forgets: async ({ id }: Person) => {
      await sandbox.deliver()
      await world.sql('delete from card_accounts where user_id = $1', [id])
      await world.sql("delete from sandbox_objects where kind = 'key'")
      await unwrites(world, id)
    },
    async newest<T>(who: Person, kind: 'subscription' | 'invoice'): Promise<T> {
      const { customer_id } = await rowOf(who)
      const rows = await world.sql('select body from sandbox_objects where kind = $1 and customer = $2 order by place desc', [
        kind,
        customer_id,
      ])
      return rows[0]?.['body'] as T
    },
    /** What somebody makes at the provider's dashboard. */
    makes: (thing: Parameters<Parameters<Parameters<typeof sandbox.run>[0]>[0]['keep']>[0]) =>
      sandbox.run((desk) => desk.keep(thing)),
  }
  return place
}

const unwrites = async (world: Awaited<ReturnType<typeof startWorld>>, userId: string) => {
  await world.sql('alter table ledger_entries disable trigger user')
  await world.sql('delete from ledger_entries where user_id = $1', [userId])
  await world.sql('alter table ledger_entries enable trigger user')
  await world.sql(
    "update users set subscription_tier = 'free', subscription_package_id = null, subscription_end_date = null where id = $1",
    [userId],
  )
}

const intentOf = ({ payments }: Invoice): string => payments.data[0]?.payment.payment_intent ?? ''

test('where every event came nothing differs, whatever was bought, changed, ended and paid back', async () => {
  const { world, free, buys, passes, checks } = await place()
  const [alice, bob, carol] = [await free(), await free(), await free()]
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  await buys(bob, 'premium')
  await bob.does(paymentsApi.refund, {})
  await buys(carol, 'test')
  await carol.does(paymentsApi.upgrade, { tier: 'free' })
  await passes(31.2)
  const { looked, ...found } = await checks('all')
  expect(found).toEqual({ differences: [], mended: [] })
  expect(looked).toBeGreaterThan(8)
  expect(
    await world.sql("select 1 from sandbox_objects where kind = 'subscription' and body->>'status' = 'active'"),
  ).toHaveLength(1)
})

test('a payment of which every event was lost is named, gives nothing by being named, and is written by --mend', async () => {
  const { free, pays, untold, checks, tierOf, entriesOf, newest, rowOf, holds } = await place()
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  const { customer_id: customer } = await rowOf(alice)
  const [subscription, invoice] = [await newest<Subscription>(alice, 'subscription'), await newest<Invoice>(alice, 'invoice')]
  const { differences } = await checks()
  expect(differences).toEqual([
    `subscription ${subscription.id} of customer ${customer} and account ${alice.id} is active otherwise than written here. check-provider --mend writes it`,
    `invoice ${invoice.id} of customer ${customer} and account ${alice.id} is paid and not in the ledger. check-provider --mend writes it`,
  ])
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual(['free', []])
  const { mended, ...left } = await checks('all')
  expect(left.differences).toEqual([])
  expect(mended).toEqual([expect.stringMatching(/^subscription .* Mended: what the provider says is written$/)])
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual([
    'premium',
    [{ kind: 'payment', tier: 'premium', cents: 100_000 }],
  ])
  expect((await checks()).differences).toEqual([])
  await holds()
})

test('a renewal, an end and a cancellation of which nothing was told are named and written', async () => {
  const { world, free, buys, untold, checks, stateOf, atPortal, newest } = await place()
  const [alice, bob] = [await free(), await free()]
  for (const who of [alice, bob]) await buys(who, 'premium')
  await untold(async () => {
    await atPortal(alice, { act: 'cancel' })
    const subscription = await newest<Subscription>(bob, 'subscription')
    const client = await world.env.card.client()
    await client.subscriptions.cancel(subscription.id)
  })
  expect((await checks()).differences).toHaveLength(2)
  const { mended } = await checks('events')
  expect(mended).toHaveLength(2)
  expect([(await stateOf(alice)).card?.renews, (await stateOf(bob)).card]).toEqual([false, null])
})

test('a refund and a dispute made at the provider’s dashboard, without their events, are written by the nightly job', async () => {
  const { world, free, buys, makes, checks, tierOf, entriesOf, newest, rowOf, holds } = await place()
  const [alice, bob] = [await free(), await free()]
  for (const who of [alice, bob]) await buys(who, 'premium')
  const [paid, disputed] = [await newest<Invoice>(alice, 'invoice'), await newest<Invoice>(bob, 'invoice')]
  const refund: Refund = {
    ...{ id: 're_dashboard', object: 'refund', amount: 100_000, status: 'succeeded' },
    ...{ payment_intent: intentOf(paid), _customer: paid.customer },
  }
  const dispute: Dispute = {
    ...{ id: 'dp_bank', object: 'dispute', amount: 100_000, currency: 'usd', status: 'needs_response' },
    ...{ payment_intent: intentOf(disputed), _customer: disputed.customer },
  }
  await makes(refund)
  await makes(dispute)
  expect((await checks()).differences).toEqual([
    `refund re_dashboard (succeeded) of payment ${intentOf(paid)} and account ${alice.id} is not in the ledger as the provider has it. check-provider --mend writes it`,
    `dispute dp_bank (needs_response) of payment ${intentOf(disputed)} and account ${bob.id} is not in the ledger as the provider has it. check-provider --mend writes it`,
  ])
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['premium', 'premium'])
  await world.jobs.runDue()
  expect(await listChecks(world.env)).toEqual([
    expect.objectContaining({ name: 'ledger', differing: 0 }),
    expect.objectContaining({ name: 'provider', differing: 0, mended: 2, lines: expect.any(Array) }),
  ])
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['free', 'free'])
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'refund'])
  expect((await entriesOf(bob)).map(({ kind }) => kind)).toEqual(['payment', 'dispute'])
  const { subscription_id: id } = await rowOf(bob)
  expect((await (await world.env.card.client()).subscriptions.retrieve(String(id))).status).toBe('canceled')
  // The bank gives it again and refuses the other, and tells nobody.
  await makes({ ...dispute, status: 'won' })
  await makes({ ...refund, status: 'failed' })
  expect((await checks('events')).mended).toHaveLength(2)
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['premium', 'premium'])
  expect((await checks()).differences).toEqual([])
  await holds()
})

test('after a copy from before a purchase is restored the subscription comes back to its account', async () => {
  const { free, buys, forgets, checks, tierOf, entriesOf, stateOf } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  await forgets(alice)
  expect(await tierOf(alice)).toBe('free')
  const { differences } = await checks()
  expect(differences).toEqual([
    expect.stringMatching(
      new RegExp(`^subscription sub_\\S+ of customer cus_\\S+ and account ${alice.id} is not written here[.] check-provider`),
    ),
    expect.stringMatching(/^invoice in_\S+ .* is not written here[.] check-provider --mend writes it$/),
  ])
  expect((await checks('events')).mended).toEqual([expect.stringContaining('Mended: the account has it again')])
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['premium', true])
  expect(await entriesOf(alice)).toHaveLength(1)
  expect((await checks()).differences).toEqual([])
})

test('a subscription beside a running other is named each time, and nothing ends it', async () => {
  const { world, free, buys, untold, checks, stateOf, newest, makes } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  const own = await newest<Subscription>(alice, 'subscription')
  await untold(() => makes({ ...own, id: 'sub_other', created: own.created - 60 }))
  for (const mending of ['nothing', 'all'] as const)
    expect(await checks(mending)).toMatchObject({
      mended: [],
      differences: [
        `subscription sub_other of customer ${own.customer} and account ${alice.id} runs beside ${own.id} of the same account. End one of the two at the provider, and pay back what was taken twice`,
      ],
    })
  const client = await world.env.card.client()
  expect((await client.subscriptions.retrieve('sub_other')).status).toBe('active')
  expect((await stateOf(alice)).card?.renews).toBe(true)
})

test('a subscription and an invoice made by hand for a customer of ours are named with what to do, those of strangers are left alone', async () => {
  const { free, buys, checks, newest, makes, rowOf } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  const [own, paid] = [await newest<Subscription>(alice, 'subscription'), await newest<Invoice>(alice, 'invoice')]
  const parent = { type: 'subscription_details' as const, subscription_details: { subscription: 'sub_hand', metadata: {} } }
  await makes({ ...own, id: 'sub_hand', metadata: {} })
  await makes({ ...paid, id: 'in_hand', parent })
  await makes({ ...paid, id: 'in_yen', currency: 'jpy' })
  await makes({ ...own, id: 'sub_stranger', customer: 'cus_stranger', metadata: {} })
  await makes({ ...paid, id: 'in_stranger', customer: 'cus_stranger', parent })
  const named = `of customer ${(await rowOf(alice))['customer_id']} and account ${alice.id}`
  const expected = [
    `subscription sub_hand ${named} was not made by this server, takes money and gives no plan. End it at the provider`,
    `invoice in_yen ${named} was paid in jpy, and gives nothing. Pay it back at the provider`,
    `invoice in_hand ${named} was paid for nothing that this server sells. Pay it back at the provider, or leave it`,
  ]
  expect((await checks()).differences).toEqual(expected)
  expect(await checks('all')).toMatchObject({ differences: expected, mended: [] })
})

test('a subscription of a deleted account is named by the job, and ended only where a person asks for it', async () => {
  const { world, free, buys, checks, newest } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  const { id } = await newest<Subscription>(alice, 'subscription')
  await world.sql('update users set deleted_at = now(), is_active = false where id = $1', [alice.id])
  const line = expect.stringMatching(
    new RegExp(`^subscription ${id} .* still runs, and the account is deleted[.] End it at the provider`),
  )
  expect(await checks('events')).toMatchObject({ differences: [line], mended: [] })
  const client = await world.env.card.client()
  expect((await client.subscriptions.retrieve(id)).status).toBe('active')
  expect(await checks('all')).toMatchObject({ differences: [], mended: [expect.stringContaining('Mended: it is ended')] })
  expect((await client.subscriptions.retrieve(id)).status).toBe('canceled')
})

test('what the ledger has beyond the provider, and another sum, is named and left', async () => {
  const { world, free, buys, checks, newest, makes } = await place()
  const [alice, bob] = [await free(), await free()]
  for (const who of [alice, bob]) await buys(who, 'premium')
  const [gone, changed] = [await newest<Invoice>(alice, 'invoice'), await newest<Invoice>(bob, 'invoice')]
  await world.sql('delete from sandbox_objects where id = $1', [gone.id])
  await makes({ ...changed, amount_paid: 90_000 })
  expect((await checks('all')).differences).toEqual([
    `invoice ${changed.id} of customer ${changed.customer} was paid with 90000 cents, and the ledger has 100000. Find out why: the ledger cannot be changed`,
    `the ledger has a payment of account ${alice.id}, card:${gone.id}, of which the provider knows nothing. Find out why: the ledger cannot be changed`,
  ])
})

test('a customer whom the provider knows no more is forgotten, and what runs here alone is named', async () => {
  const { world, free, buys, checks, stateOf, rowOf } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  const { customer_id: customer } = await rowOf(alice)
  await world.sql("delete from sandbox_objects where (id = $1 or customer = $1) and kind in ('customer', 'subscription')", [
    customer,
  ])
  expect((await checks()).differences).toEqual([expect.stringContaining('runs here, and not at the provider')])
  expect((await checks('events')).mended).toHaveLength(1)
  expect((await stateOf(alice)).card).toBeNull()
})

test('one account of which nothing can be written holds up no other, and the job says that it failed', async () => {
  const { world, free, pays, untold, tierOf } = await place()
  const [alice, bob] = [await free(), await free()]
  for (const who of [alice, bob]) {
    const { url } = await who.does(paymentsApi.checkout, { planType: 'premium' })
    await untold(() => pays(url))
  }
  world.passes(11 * 60)
  const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id])
  const { invoices } = await world.env.card.client()
  const list = invoices.list.bind(invoices)
  const broken = vi.spyOn(invoices, 'list').mockImplementation((asked, ...more) => {
    if (asked?.customer === row?.['customer_id']) throw new Error('nothing can be said')
    return list(asked, ...more)
  })
  const work = checkProviderDaily()
  const walks = async () => {
    while (await work(world.env));
  }
  await expect(walks()).rejects.toThrow('nothing can be said')
  broken.mockRestore()
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['free', 'premium'])
  const [check] = await listChecks(world.env)
  expect(check).toMatchObject({ name: 'provider', mended: 1, differing: 2 })
})

test('what is some minutes old is not named, because its event may be under way', async () => {
  const { world, free, pays, untold } = await place()
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await untold(() => pays(url))
  expect((await checkProvider(world.env, 'nothing')).differences).toEqual([])
})

test('a walk goes on at the page at which the provider was silent, holds no connection meanwhile, and names nothing twice', async () => {
  const { world, free, buys, untold } = await place()
  const people = [await free(), await free(), await free()]
  for (const who of people) await untold(() => buys(who, 'premium'))
  world.passes(11 * 60)
  const { subscriptions, invoices } = await world.env.card.client()
  const list = subscriptions.list.bind(subscriptions)
  // Pages of one, as of a thousand payers.
  const pages = vi.spyOn(subscriptions, 'list').mockImplementation((wanted, ...more) => list({ ...wanted, limit: 1 }, ...more))
  const lost = Object.assign(new Error('lost'), { type: 'StripeConnectionError' })
  const silent = vi.spyOn(invoices, 'list').mockRejectedValueOnce(lost)
  const walk = newWalk(world.env.clock())
  const open = "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"
  const steps = async () => {
    while (await stepWalk(world.env, walk, 'nothing')) expect(await world.sql(open)).toEqual([])
  }
  await expect(steps()).rejects.toThrow()
  expect([walk.differences.size, walk.looked]).toEqual([3, 3])
  await steps()
  expect(walk.differences.size).toBe(6)
  expect(pages).toHaveBeenCalledTimes(3)
  pages.mockRestore()
  silent.mockRestore()
})

test('the job walks once a day, leaves a difference for the System tab, and lets other jobs run in between', async () => {
  const { world, free, buys, makes, newest } = await place()
  const alice = await free()
  await buys(alice, 'premium')
  await makes({ ...(await newest<Subscription>(alice, 'subscription')), id: 'sub_hand', metadata: {} })
  world.passes(11 * 60)
  await world.jobs.runDue()
  const [first] = (await listChecks(world.env)).filter(({ name }) => name === 'provider')
  expect(first).toMatchObject({ differing: 1, mended: 0, lines: [expect.stringContaining('sub_hand')] })
  world.passes(60 * 60)
  await world.jobs.runDue()
  expect((await listChecks(world.env)).find(({ name }) => name === 'provider')).toEqual(first)
  world.passes(24 * 60 * 60)
  const { subscriptions } = await world.env.card.client()
  const page = { object: 'list', url: '/', data: [{ ...(await newest<Subscription>(alice, 'subscription')), created: 0 }] }
  const endless = vi.spyOn(subscriptions, 'list').mockResolvedValue({ ...page, has_more: true } as never)
  const work = checkProviderDaily()
  let pieces = 1
  while (await work(world.env)) pieces += 1
  expect([pieces, endless.mock.calls.length]).toEqual([20, 20])
  endless.mockRestore()
})
