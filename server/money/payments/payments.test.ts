import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import { expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { writePackageRights } from '../../ground/db/planrights.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'

// Each month that passes is a month of all jobs.
vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { clock } = world.env
const DAY = 24 * 60 * 60
const { sandbox, free, tierOf, stateOf, holds, entriesOf, formed, pays, buys, changesCard, atPortal, passes, forgetsCards } =
  cardsOf(world)

test('Alice buys Premium by a test card: the plan comes with the provider’s event, and she sends', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const chatRoomId = await alice.talksTo(bob)
  expect(await alice.posts(chatRoomId, 'before')).toBeRefused(403, 'subscription_required')
  const { url, sessionId } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  expect(url).toContain(sessionId)
  const shown = await (await fetch(url)).text()
  expect(shown).toContain('Sandbox, no real money')
  expect(shown).toContain('Pay $1,000.00')
  expect(shown).not.toContain('<script')
  expect(await tierOf(alice)).toBe('free')
  const paid = await pays(url)
  expect(paid.headers.get('location')).toMatch(/\/subscribe\?paid=yes$/)
  expect(await tierOf(alice)).toBe('premium')
  await alice.says(chatRoomId, 'after')
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  expect(await stateOf(alice)).toMatchObject({
    card: { tier: 'premium', renews: true, hasFailed: false },
    ...{ refundableCents: 100_000, cardProvider: 'sandbox', hasInvoices: true },
  })
  await holds()
})

test('the return page, a price, a tier or an amount in a body, and another’s package sell nothing', async () => {
  const eve = await free()
  const lies = { planType: 'premium', price: 1, amount: 1, amountCents: 1, monthlyPrice: 1, tier: 'master', unit_amount: 1 }
  const { body } = await eve.tries(paymentsApi.checkout, lies)
  const url = paymentsApi.checkout.output.parse(body).url
  expect(await (await fetch(url)).text()).toContain('Pay $1,000.00')
  await fetch(new URL('/subscribe?paid=yes', world.url))
  expect(await eve.tries(paymentsApi.upgrade, { tier: 'enterprise' })).toBeRefused(400, 'invalid_input')
  expect(await eve.tries(paymentsApi.upgrade, { tier: 'master' })).toBeRefused(409, 'plan_not_sold')
  expect(await eve.tries(paymentsApi.checkout, { planType: 'test', packageId: randomUUID() })).toBeRefused(409, 'plan_not_sold')
  expect(await tierOf(eve)).toBe('free')
  expect(await entriesOf(eve)).toEqual([])
})

test.each([
  ['4000000000000002', 'Your card was declined.'],
  ['4000000000009995', 'Your card has insufficient funds.'],
  ['1234', 'The sandbox takes test cards alone.'],
])('a card %s is refused with "%s", and the checkout can be paid by another one', async (number, text) => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'test' })
  expect(await (await pays(url, number)).text()).toContain(text)
  expect(await tierOf(alice)).toBe('free')
  await pays(url)
  expect(await tierOf(alice)).toBe('test')
})

test('3-D Secure asks first: failed pays nothing, completed pays', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'test' })
  const number = CARD.asksFirst
  expect(await (await pays(url, number)).text()).toContain('Your bank asks')
  const { pathname } = new URL(url)
  expect(await (await formed(pathname, { card: number, act: 'failed' })).text()).toContain('did not confirm')
  expect(await tierOf(alice)).toBe('free')
  expect((await formed(pathname, { card: number, act: 'confirmed' })).status).toBe(303)
  expect(await tierOf(alice)).toBe('test')
})

test('of two checkouts one can be paid: the first is closed when the second begins', async () => {
  const alice = await free()
  const first = await alice.does(paymentsApi.checkout, { planType: 'test' })
  const second = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  expect(await (await pays(first.url)).text()).toContain('This checkout is over')
  await pays(second.url)
  await pays(second.url)
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  expect(await alice.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'already_subscribed')
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium' })).toEqual({ success: true })
  expect(await entriesOf(alice)).toHaveLength(1)
})

test('a forged, stale or changed event is refused with 400, and a repeated one is answered with 200 and counts once', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const event = sandbox.sent.findLast(({ payload }) => payload.includes('invoice.paid'))
  if (!event) throw new Error('No event')
  const posts = (payload: string, signature: string) =>
    world.stranger().request('POST', paymentsApi.webhook.path, { body: payload, headers: { 'stripe-signature': signature } })
  const sign = (secret: string, timestamp?: number) =>
    Stripe.webhooks.generateTestHeaderString({ payload: event.payload, secret, ...(timestamp && { timestamp }) })
  const old = Math.floor(Date.now() / 1000) - 301
  const forged = [sign('whsec_other'), sign(sandbox.webhookSecret, old), '', 't=1,v1=00']
  for (const signature of forged) expect(await posts(event.payload, signature)).toBeRefused(400, 'invalid_webhook')
  expect(await posts(event.payload.replace('"paid"', '"open"'), event.signature)).toBeRefused(400, 'invalid_webhook')
  const again = await Promise.all(Array.from({ length: 50 }, () => posts(event.payload, event.signature)))
  expect(again.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(await entriesOf(alice)).toHaveLength(1)
})

test('fifty copies of each event at once and in the wrong order have one effect', async () => {
  const alice = await free()
  Object.assign(sandbox.delivery, { copies: 50, isReversed: true })
  await buys(alice, 'premium')
  await sandbox.deliver()
  Object.assign(sandbox.delivery, { copies: 1, isReversed: false })
  expect(await tierOf(alice)).toBe('premium')
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  await holds()
})

test('a larger plan costs the difference at once, as the preview says; a smaller one waits, and both are undone', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const { dueNowCents } = await alice.does(paymentsApi.preview, { tier: 'premium' })
  expect(dueNowCents).toBe(99_900)
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium' })).toEqual({ success: true })
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).map(({ cents }) => cents)).toEqual([100, 99_900])
  await alice.does(paymentsApi.upgrade, { tier: 'test' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.tier]).toEqual(['premium', 'test'])
  expect((await alice.does(paymentsApi.preview, { tier: 'premium' })).dueNowCents).toBe(0)
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect((await stateOf(alice)).card?.tier).toBe('premium')
  expect(await entriesOf(alice)).toHaveLength(2)
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'test', billingPeriod: 'yearly' })).toBeRefused(409, 'change_at_end')
  await holds()
})

test('a downgrade to Free waits for the end of the paid time and can be undone; then reading stays and sending stops', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const chatRoomId = await alice.talksTo(bob)
  await buys(alice, 'premium')
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['premium', false])
  await alice.does(paymentsApi.keep, {})
  expect((await stateOf(alice)).card?.renews).toBe(true)
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  await alice.says(chatRoomId, 'still paid')
  await passes(32)
  await alice.returns()
  expect([await tierOf(alice), (await stateOf(alice)).card]).toEqual(['free', null])
  expect(await alice.posts(chatRoomId, 'no more')).toBeRefused(403, 'subscription_required')
  expect(
    await world.sql('select from messages where room = (select number from chat_rooms where id = $1)', [chatRoomId]),
  ).toHaveLength(1)
  await holds()
})

test('a subscription renews, also where the event is lost', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  sandbox.delivery.isHeld = true
  const { post } = sandbox
  sandbox.post = async () => undefined
  world.passes(32 * DAY)
  await world.jobs.runDue()
  sandbox.post = post
  sandbox.delivery.isHeld = false
  await passes(0.1)
  await alice.returns()
  expect(await tierOf(alice)).toBe('premium')
  expect(await entriesOf(alice)).toHaveLength(2)
  await holds()
})

test('a renewal that fails has days of grace, and another card mends it; without one the plan ends', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await changesCard(alice, CARD.declined)
  await passes(32)
  await alice.returns()
  expect(await tierOf(alice)).toBe('premium')
  expect((await stateOf(alice)).card).toMatchObject({ hasFailed: true, graceUntil: expect.any(String) })
  await changesCard(alice, CARD.good)
  await atPortal(alice, { act: 'collect' })
  expect((await stateOf(alice)).card).toMatchObject({ hasFailed: false, graceUntil: null })
  await changesCard(alice, CARD.declined)
  await passes(31)
  await passes(8)
  await alice.returns()
  expect(await tierOf(alice)).toBe('free')
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'invoice', 'payment', 'invoice'])
  await holds()
})

test('after the days of grace nothing more is charged, and the plan can be bought again', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await changesCard(alice, CARD.declined)
  await passes(31)
  await passes(8)
  await alice.returns()
  expect([await tierOf(alice), (await stateOf(alice)).card]).toEqual(['free', null])
  await changesCard(alice, CARD.good)
  await passes(5)
  await alice.returns()
  expect(await tierOf(alice)).toBe('free')
  await buys(alice, 'premium')
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'payment')).toHaveLength(2)
  await holds()
})

test('the guarantee pays back what was paid within 30 days, once for an account, and ends the plan', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  const asked = await Promise.all([1, 2, 3].map(() => alice.tries(paymentsApi.refund, {})))
  expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await tierOf(alice)).toBe('free')
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'refund').map(({ cents }) => cents)).toHaveLength(2)
  await buys(alice, 'test')
  expect(await alice.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  const bob = await world.person('bob', 'free')
  await buys(bob, 'premium', undefined, 'yearly')
  await passes(31)
  await bob.returns()
  expect(await bob.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  await holds()
})

test('money that the provider could not give back is not written as paid back', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  const [row] = await world.sql(
    'select l.reference, c.customer_id from ledger_entries l join card_accounts c using (user_id) where l.user_id = $1',
    [alice.id],
  )
  const refund = {
    id: 're_sandbox_failed',
    object: 'refund' as const,
    amount: 100_000,
    payment_intent: String(row?.['reference']),
  }
  await sandbox.run(async (desk) => {
    await desk.keep({ ...refund, status: 'failed', _customer: String(row?.['customer_id']) })
    desk.tell('refund.failed', { ...refund, status: 'failed' })
  })
  await sandbox.deliver()
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual([
    'premium',
    [{ kind: 'payment', tier: 'premium', cents: 100_000 }],
  ])
})

test('a free account counts what it receives, a Test plan what it sends', async () => {
  const [alice, bob] = [await world.person('alice', 'test'), await free()]
  const chatRoomId = await alice.talksTo(bob)
  await alice.says(chatRoomId, 'one')
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesUsed: 1, messagesLimit: 10 })
  expect(await bob.does(paymentsApi.usage, {})).toMatchObject({ messagesUsed: 1, messagesLimit: 100, fileStorageLimitMB: 50 })
  const now = clock()
  world.passes((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1000 + 1)
  await Promise.all([alice.returns(), bob.returns()])
  expect(await bob.does(paymentsApi.usage, {})).toMatchObject({ messagesUsed: 0 })
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesUsed: 0 })
})

test('the storage of a package, and its video minutes, reach the usage: all that is kept counts against it', async () => {
  const alice = await world.person('alice', 'premium')
  const id = randomUUID()
  await world.sql(
    `insert into premium_packages (id, name, description, tier, file_storage_gb, video_call_minutes, created_at, updated_at)
     values ($1, 'Small', 'Small', 'premium', 1, 20, now(), now())`,
    [id],
  )
  await writePackageRights(world.env.db)
  await world.sql('update users set subscription_package_id = $1 where id = $2', [id, alice.id])
  await world.sql(
    `insert into file_usage (user_id, stored_bytes) values ($1, 900 * 1024 * 1024::bigint)
     on conflict (user_id) do update set stored_bytes = excluded.stored_bytes`,
    [alice.id],
  )
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({
    ...{ messagesLimit: null, fileStorageUsedMB: 900, fileStorageLimitMB: 1024, videoCallMinutesLimit: 20 },
  })
})

test('deleting the account ends its card subscription, and its open checkout cannot be paid any more', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  await buys(alice, 'premium')
  const { url } = await bob.does(paymentsApi.checkout, { planType: 'test' })
  for (const who of [alice, bob]) await who.does(accountApi.remove, { password: who.authSecret, kdf: 1 })
  expect(await (await pays(url)).text()).toContain('This checkout is over')
  expect(await world.sql('select status, renews from card_accounts where user_id = $1', [alice.id])).toEqual([
    { status: 'canceled', renews: false },
  ])
  await passes(40)
  expect(await entriesOf(alice)).toHaveLength(1)
})

test('the guarantee of a larger plan counts from the day on which it was bought, and a renewal from that of its plan', async () => {
  await forgetsCards()
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  for (const who of [alice, bob]) await buys(who, 'test')
  await passes(29)
  for (const who of [alice, bob]) await who.returns()
  await alice.does(paymentsApi.upgrade, { tier: 'premium', billingPeriod: 'yearly' })
  const year = (await stateOf(alice)).refundableCents ?? 0
  await passes(3)
  for (const who of [alice, bob]) await who.returns()
  expect((await stateOf(alice)).refundableCents).toBe(year - 100)
  expect((await stateOf(bob)).refundableCents).toBeNull()
  expect(await alice.does(paymentsApi.refund, {})).toEqual({ refundedCents: year - 100 })
  expect(await bob.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
})
