import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { sandbox, free, tierOf, stateOf, holds, entriesOf, buys, pays, disputes, tells } = cardsOf(world)
sandbox.delivery.isWhole = true

/** Counts calls of the provider, and events that it tells. */
async function counted(work: () => Promise<unknown>): Promise<{ calls: string[]; events: number }> {
  await sandbox.deliver()
  const before = { calls: sandbox.calls.length, events: sandbox.sent.length }
  await work()
  await sandbox.deliver()
  return { calls: sandbox.calls.slice(before.calls), events: sandbox.sent.length - before.events }
}

test.each([
  ['in order', { copies: 1, isReversed: false }],
  ['reversed', { copies: 1, isReversed: true }],
  ['doubled', { copies: 5, isReversed: false }],
])('a purchase of which the provider tells everything, %s, costs at most eight calls', async (_, delivery) => {
  Object.assign(sandbox.delivery, delivery)
  const alice = await free()
  const { calls, events } = await counted(() => buys(alice, 'premium'))
  Object.assign(sandbox.delivery, { copies: 1, isReversed: false })
  expect(events).toBeGreaterThan(12)
  expect(calls.length, calls.join(', ')).toBeLessThanOrEqual(8)
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['premium', true])
  await holds()
})

test('events of one customer that come at once are settled together, also where the first attempt crashes', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  await sandbox.deliver()
  const [{ post }, already] = [sandbox, sandbox.sent.length]
  sandbox.post = async () => undefined
  await pays(url)
  sandbox.post = post
  const events = sandbox.sent.slice(already)
  let crashes = 0
  world.env.fault = () => {
    crashes += 1
    if (crashes === 1) throw new Error('crash')
  }
  const { calls } = await counted(() => Promise.all(events.map(post)))
  delete world.env.fault
  // On a slow machine some come while the second attempt is under way.
  expect(crashes).toBeGreaterThanOrEqual(2)
  expect(crashes).toBeLessThan(events.length / 2)
  expect(calls).toHaveLength(4)
  const known = await world.sql('select id from card_events')
  // Only what has crashed comes again.
  const told = events.map(({ payload }) => JSON.parse(payload)).filter(({ data }) => data.object.customer)
  expect(told.filter(({ id }) => !known.some((row) => row['id'] === id))).toHaveLength(1)
  expect([await tierOf(alice), (await entriesOf(alice)).length]).toEqual(['premium', 1])
})

test('an event that says what is written here costs no call, and one that says something else is asked for', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  for (const kind of ['subscription', 'invoice'] as const)
    expect((await counted(() => tells(alice, kind))).calls, kind).toEqual([])
  await world.sql('update card_accounts set renews = false where user_id = $1', [alice.id])
  expect((await counted(() => tells(alice, 'subscription'))).calls).toHaveLength(2)
  expect((await stateOf(alice)).card?.renews).toBe(true)
  await disputes(alice)
  expect((await counted(() => disputes(alice, 'won'))).calls).not.toEqual([])
  await holds()
})

test('a renewal costs at most four calls, and one that fails as many', async () => {
  const place = await startWorld()
  const { sandbox: provider, ...cards } = cardsOf(place)
  provider.delivery.isWhole = true
  for (const [number, hasFailed] of [
    [undefined, false],
    [CARD.failsLater, true],
  ] as const) {
    const alice = await cards.free()
    await cards.buys(alice, 'premium', number)
    const before = [provider.calls.length, provider.sent.length] as const
    await cards.atPortal(alice, { act: 'renew' })
    const calls = provider.calls.slice(before[0]).filter((call) => !call.includes('portal'))
    expect(provider.sent.length).toBeGreaterThan(before[1] + 1)
    expect(calls.length, calls.join(', ')).toBeLessThanOrEqual(4)
    expect((await cards.stateOf(alice)).card?.hasFailed).toBe(hasFailed)
    await cards.holds()
  }
})
