import { afterEach, expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { askForOverdue } from './webhook.ts'

// Each month that passes is a month of all jobs.
vi.setConfig({ testTimeout: 60_000 })
afterEach(() => void vi.restoreAllMocks())
const world = await startWorld()
const { sandbox, free, tierOf, stateOf, waitingOf, holds, entriesOf, pays, buys, changesCard, atPortal, passes } = cardsOf(world)
const upgrades = (who: Person, more: object = {}) => who.tries(paymentsApi.upgrade, { tier: 'premium', ...more })

/** Begins a change to Premium by a card whose bank asks each time. Returns the provider’s page. */
async function isAsked(who: Person): Promise<string> {
  await buys(who, 'test', CARD.asksAlways)
  const { checkoutUrl } = await who.does(paymentsApi.upgrade, { tier: 'premium' })
  if (checkoutUrl === undefined) throw new Error('The bank did not ask')
  return checkoutUrl
}

test('an upgrade whose bank asks for 3-D Secure waits at the provider’s page, outlives the tab, and counts once it is confirmed', async () => {
  const alice = await free()
  const url = await isAsked(alice)
  // The tab is closed: what waits is read from the server again.
  expect(await waitingOf(alice)).toMatchObject({ kind: 'change', url, amountCents: 99_900, tier: 'premium' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.tier]).toEqual(['test', 'test'])
  expect(await (await pays(url, CARD.asksAlways)).text()).toContain('Your bank asks')
  expect(await (await pays(url, CARD.asksAlways, 'failed')).text()).toContain('did not confirm')
  expect([await tierOf(alice), (await waitingOf(alice))?.url]).toEqual(['test', url])
  expect((await pays(url, CARD.asksAlways, 'confirmed')).status).toBe(303)
  expect([await tierOf(alice), await waitingOf(alice)]).toEqual(['premium', null])
  expect(await (await fetch(url)).text()).toContain('Paid')
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'payment').map(({ cents }) => cents)).toEqual([100, 99_900])
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'premium', renews: true })
  await holds()
})

test('a change that waits can be taken back or begun anew, and then the first page takes no money', async () => {
  const alice = await free()
  const first = await isAsked(alice)
  const { checkoutUrl: second } = await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect(second).not.toBe(first)
  expect(await (await pays(first, CARD.good)).text()).toContain('This payment is over')
  expect(await alice.does(paymentsApi.upgrade, { tier: 'test' })).toEqual({ success: true })
  expect(await waitingOf(alice)).toBeNull()
  expect(await (await pays(second ?? '', CARD.good)).text()).toContain('This payment is over')
  expect([await tierOf(alice), (await stateOf(alice)).card?.tier]).toEqual(['test', 'test'])
  await holds()
})

test('a change that nobody confirms within its time is over, and the plan goes on as it was', async () => {
  const alice = await free()
  const url = await isAsked(alice)
  // Nobody has told of it, and no job has run.
  world.passes(23 * 60 * 60 + 1)
  expect(await waitingOf(alice)).toBeNull()
  await passes(0.1)
  expect([await tierOf(alice), await waitingOf(alice)]).toEqual(['test', null])
  expect(await (await fetch(url)).text()).toContain('This payment is over')
  await holds()
})

test('a confirmation of which no event tells is found by the job', async () => {
  const alice = await free()
  const url = await isAsked(alice)
  await sandbox.deliver()
  const { post } = sandbox
  sandbox.post = async () => undefined
  await pays(url, CARD.asksAlways, 'confirmed')
  sandbox.post = post
  expect(await tierOf(alice)).toBe('test')
  await passes(0.1)
  expect(await tierOf(alice)).toBe('premium')
  await holds()
})

test.each([
  [CARD.declined, 'Your card was declined.'],
  [CARD.poor, 'Your card has insufficient funds.'],
])('an upgrade by the card %s is refused with "%s", changes nothing, and succeeds by another card', async (number, text) => {
  const alice = await free()
  await buys(alice, 'test')
  await changesCard(alice, number)
  expect(await upgrades(alice)).toMatchObject({ status: 402, body: { code: 'card_refused', error: text } })
  await sandbox.deliver()
  expect([await tierOf(alice), await waitingOf(alice)]).toEqual(['test', null])
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'test', renews: true, hasFailed: false })
  await changesCard(alice, CARD.good)
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium' })).toEqual({ success: true })
  expect(await tierOf(alice)).toBe('premium')
  await holds()
})

test('ending a plan, a refund and the end of the account take back a change that waits', async () => {
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  const urls = [await isAsked(alice), await isAsked(bob), await isAsked(carol)]
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  await bob.does(paymentsApi.refund, {})
  await carol.does(accountApi.remove, { password: carol.authSecret, kdf: 1 })
  for (const url of urls) expect(await (await pays(url, CARD.good)).text()).toContain('This payment is over')
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['test', 'free'])
  await holds()
})

test('an upgrade undoes a cancellation once it is paid, and not before', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  await changesCard(alice, CARD.asksAlways)
  const { checkoutUrl } = await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect((await stateOf(alice)).card?.renews).toBe(false)
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  expect(checkoutUrl).toContain('/sandbox/invoice/')
  await changesCard(alice, CARD.good)
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'premium', renews: true })
  const bob = await world.person('bob', 'free')
  await buys(bob, 'test')
  await atPortal(bob, { act: 'cancel' })
  await changesCard(bob, CARD.asksAlways)
  const { checkoutUrl: page = '' } = await bob.does(paymentsApi.upgrade, { tier: 'premium' })
  expect((await stateOf(bob)).card?.renews).toBe(false)
  await pays(page, CARD.asksAlways, 'confirmed')
  expect((await stateOf(bob)).card).toMatchObject({ tier: 'premium', renews: true })
})

test('who cancels while a renewal is unpaid is free at once and is charged nothing, whatever the card has later; so is who is blocked, and a deleted account', async () => {
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  for (const who of [alice, bob, carol]) {
    await buys(who, 'premium')
    await changesCard(who, CARD.declined)
  }
  await passes(31.2)
  for (const who of [alice, bob, carol]) await who.returns()
  expect((await stateOf(alice)).card).toMatchObject({ hasFailed: true, waiting: { kind: 'renewal' } })
  const url = (await stateOf(alice)).card?.waiting?.url ?? ''
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  expect([await tierOf(alice), (await stateOf(alice)).card]).toEqual(['free', null])
  await world.sql('update users set is_active = false where id = $1', [bob.id])
  await carol.does(accountApi.remove, { password: carol.authSecret, kdf: 1 })
  await world.sql(`update sandbox_objects set body = jsonb_set(body, '{_card}', '"4242424242424242"') where kind = 'customer'`)
  await askForOverdue()(world.env)
  await pays(url, CARD.good)
  for (let day = 0; day < 20; day += 4) await passes(4)
  for (const who of [alice, bob, carol]) expect((await entriesOf(who)).filter(({ kind }) => kind === 'payment')).toHaveLength(1)
  await alice.returns()
  expect(await tierOf(alice)).toBe('free')
  await holds()
})

test('what was cancelled at the provider’s portal goes on by Keep and by an upgrade, and ends else', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  for (const who of [alice, bob]) await buys(who, 'test')
  const renews = async (who: Person) => (await stateOf(who)).card?.renews
  const cancels = async (who: Person) => {
    await atPortal(who, { act: 'cancel' })
    expect(await renews(who)).toBe(false)
  }
  await cancels(alice)
  await alice.does(paymentsApi.keep, {})
  expect(await renews(alice)).toBe(true)
  await cancels(alice)
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  expect(await renews(alice)).toBe(false)
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'premium', renews: true })
  await cancels(bob)
  await passes(31.2)
  await Promise.all([alice, bob].map((who) => who.returns()))
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['premium', 'free'])
  await holds()
})

test('a renewal that the bank wants confirmed is paid at its own page; until then no plan can be changed on credit', async () => {
  const alice = await free()
  await buys(alice, 'test', CARD.asksAlways)
  await passes(32)
  await alice.returns()
  const { card } = await stateOf(alice)
  expect(card).toMatchObject({ hasFailed: true, waiting: { kind: 'renewal', amountCents: 100, tier: 'test', until: null } })
  expect(await upgrades(alice)).toBeRefused(409, 'payment_due')
  expect(await alice.tries(paymentsApi.preview, { tier: 'premium' })).toBeRefused(409, 'payment_due')
  await pays(card?.waiting?.url ?? '', CARD.asksAlways, 'confirmed')
  expect((await stateOf(alice)).card).toMatchObject({ hasFailed: false, waiting: null })
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'invoice', 'payment'])
  await holds()
})

test('each renewal is of the plan to which it was changed, downwards as well', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  await passes(32)
  await alice.returns()
  expect(await tierOf(alice)).toBe('test')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  await atPortal(alice, { act: 'renew' })
  expect((await entriesOf(alice)).map(({ tier }) => tier)).toEqual(['premium', 'test', 'premium', 'premium'])
  await holds()
})

const paidBy = async (who: Person) => (await entriesOf(who)).filter(({ kind }) => kind === 'payment').map(({ cents }) => cents)
const yearly = { tier: 'premium', billingPeriod: 'yearly' } as const
/** What the provider bills next, in cents. */
async function billsNext(who: Person): Promise<unknown> {
  const [row] = await world.sql(
    `select s.body -> 'items' -> 'data' -> 0 -> 'price' ->> 'unit_amount' as cents from sandbox_objects s
     join card_accounts c on c.subscription_id = s.id where c.user_id = $1`,
    [who.id],
  )
  return Number(row?.['cents'])
}

test('a year costs as much after a smaller plan was chosen for the end as before, to the cent, as the preview says', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  for (const who of [alice, bob]) await buys(who, 'premium')
  await passes(10)
  for (const who of [alice, bob]) await who.returns()
  const { dueNowCents } = await alice.does(paymentsApi.preview, yearly)
  expect(dueNowCents).toBeGreaterThan(700_000)
  expect(dueNowCents).toBeLessThan(750_000)
  await bob.does(paymentsApi.upgrade, { tier: 'test' })
  expect(await billsNext(bob)).toBe(100)
  expect(await bob.does(paymentsApi.preview, yearly)).toEqual({ dueNowCents })
  expect(await billsNext(bob)).toBe(100)
  expect(await bob.does(paymentsApi.upgrade, yearly)).toEqual({ success: true })
  expect(await paidBy(bob)).toEqual([100_000, dueNowCents])
  expect([await billsNext(bob), (await stateOf(bob)).card?.billingPeriod]).toEqual([800_000, 'yearly'])
  // What was chosen for the end is forgotten with the year.
  await passes(0.1)
  expect(await billsNext(bob)).toBe(800_000)
  await holds()
})

test('a year that the card declines, or that the provider does not answer, leaves the smaller plan for the end as it was chosen', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  await changesCard(alice, CARD.declined)
  expect(await alice.tries(paymentsApi.upgrade, yearly)).toBeRefused(402, 'card_refused')
  expect([await billsNext(alice), (await stateOf(alice)).card]).toMatchObject([100, { tier: 'test', renews: true }])
  await changesCard(alice, CARD.good)
  const client = await world.env.card.client()
  const update = client.subscriptions.update.bind(client.subscriptions)
  const silent = Object.assign(new Error(''), { type: 'StripeConnectionError' })
  // It answers the first call, and is silent from then on.
  let calls = 0
  vi.spyOn(client.subscriptions, 'update').mockImplementation((...call) => {
    calls += 1
    return calls > 1 ? (Promise.reject(silent) as never) : update(...call)
  })
  expect(await alice.tries(paymentsApi.upgrade, yearly)).toBeRefused(503, 'card_unavailable')
  vi.restoreAllMocks()
  expect(await paidBy(alice)).toEqual([100_000])
  // The next event puts it back.
  await changesCard(alice, CARD.good)
  await atPortal(alice, { act: 'cancel' })
  await alice.does(paymentsApi.keep, {})
  expect([await billsNext(alice), await tierOf(alice)]).toEqual([100, 'premium'])
  await passes(32)
  await alice.returns()
  expect([await tierOf(alice), await paidBy(alice)]).toEqual(['test', [100_000, 100]])
  await holds()
})

test('a year whose bank asks costs the same after a smaller plan was chosen, which comes back where nobody confirms', async () => {
  const alice = await free()
  await buys(alice, 'premium', CARD.asksAlways)
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  const { dueNowCents } = await alice.does(paymentsApi.preview, yearly)
  await alice.does(paymentsApi.upgrade, yearly)
  expect(await waitingOf(alice)).toMatchObject({ kind: 'change', amountCents: dueNowCents, tier: 'premium' })
  await passes(1)
  await alice.returns()
  expect([await waitingOf(alice), await billsNext(alice)]).toEqual([null, 100])
  const again = await alice.does(paymentsApi.upgrade, yearly)
  await pays(again.checkoutUrl ?? '', CARD.asksAlways, 'confirmed')
  expect([await billsNext(alice), (await stateOf(alice)).card?.tier]).toEqual([800_000, 'premium'])
  await holds()
})

test('a change that waits is taken back, and the smaller plan that was chosen for the end stays chosen', async () => {
  const alice = await free()
  await buys(alice, 'premium', CARD.asksAlways)
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  await alice.does(paymentsApi.upgrade, yearly)
  expect(await waitingOf(alice)).toMatchObject({ kind: 'change' })
  // What the page sends: the plan of the card as it is shown.
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'premium', billingPeriod: 'monthly' })
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium', billingPeriod: 'monthly' })).toEqual({ success: true })
  expect([await waitingOf(alice), await billsNext(alice), await paidBy(alice)]).toEqual([null, 100, [100_000]])
  await holds()
})

test('what a plan costs by card is one price at the provider, however often it is looked at', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const pricesAt = async () =>
    (await world.sql("select from sandbox_objects where kind = 'price' and body ->> 'active' = 'true'")).length
  await alice.does(paymentsApi.preview, { tier: 'premium' })
  const before = await pricesAt()
  for (const _ of [1, 2]) {
    await passes(2)
    await alice.returns()
    await alice.does(paymentsApi.preview, { tier: 'premium' })
  }
  // The provider forgets after a day what was asked twice.
  await world.sql("delete from sandbox_objects where kind = 'key'")
  await alice.does(paymentsApi.preview, { tier: 'premium' })
  await upgrades(alice)
  expect(await pricesAt()).toBe(before)
})

test('Eve can neither read nor confirm what waits for Alice, and knows no address of it', async () => {
  const [alice, eve] = [await free(), await world.person('eve', 'free')]
  const url = await isAsked(alice)
  expect(JSON.stringify(await stateOf(eve))).not.toContain(new URL(url).pathname)
  for (const call of [paymentsApi.keep, paymentsApi.portal]) expect(await eve.tries(call, {})).toBeRefused(409, 'no_subscription')
  expect(await eve.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  // A method or a payment of somebody else that a body names is no way to their money.
  expect(await eve.tries(paymentsApi.refund, { paymentIntent: 'pi_1', userId: alice.id })).toBeRefused(409, 'not_refundable')
  expect((await waitingOf(alice))?.url).toBe(url)
})
