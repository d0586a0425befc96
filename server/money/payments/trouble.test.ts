import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import type { Trouble } from '../../sandbox/sandbox.ts'
import { BANK, CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 120_000 })
const world = await startWorld()
const {
  sandbox,
  free,
  tierOf,
  stateOf,
  waitingOf,
  holds,
  entriesOf,
  buys,
  pays,
  changesCard,
  atPortal,
  passes,
  tells,
  forgetsCards,
  ...books
} = cardsOf(world)
const { atProvider, inLedger } = books
const upgrades = (who: Person) => who.tries(paymentsApi.upgrade, { tier: 'premium' })
const paymentsOf = async (who: Person) =>
  (await entriesOf(who)).filter(({ kind }) => kind === 'payment').map(({ cents }) => cents)

test('a portal whose settings nobody has saved is named to the operator, and the person is told', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const named = vi.spyOn(world.env.card, 'warn')
  sandbox.dashboard.isPortalSaved = false
  expect(await alice.tries(paymentsApi.portal, {})).toBeRefused(409, 'portal_unset')
  sandbox.dashboard.isPortalSaved = true
  expect(named.mock.calls).toEqual([[{ customer: expect.stringMatching(/^cus_/) }, expect.stringContaining('Customer portal')]])
  named.mockRestore()
  expect((await alice.does(paymentsApi.portal, {})).url).toContain('/sandbox/portal/')
})

test('a checkout takes cards alone, hosted and in a frame', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  expect(await (await pays(url, BANK.pays)).text()).toContain('takes test cards alone')
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual(['free', []])
  await pays(url)
  expect(await tierOf(alice)).toBe('premium')
})

test('a renewal that a bank settles days later keeps the plan meanwhile, and counts once', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  for (const who of [alice, bob]) await buys(who, 'premium')
  await changesCard(alice, BANK.pays)
  await changesCard(bob, BANK.refuses)
  await passes(31.2)
  for (const who of [alice, bob]) {
    await who.returns()
    expect([await tierOf(who), (await stateOf(who)).card?.hasFailed, await paymentsOf(who)]).toEqual([
      'premium',
      false,
      [100_000],
    ])
  }
  await passes(4.1)
  expect([(await stateOf(alice)).card?.hasFailed, await paymentsOf(alice)]).toEqual([false, [100_000, 100_000]])
  expect([(await stateOf(bob)).card?.hasFailed, await paymentsOf(bob)]).toEqual([true, [100_000]])
  await passes(4)
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['premium', 'free'])
  await holds()
})

test('a change to a larger plan is paid by a card alone: a bank account is declined, and nothing is taken', async () => {
  const alice = await free()
  await buys(alice, 'test')
  await changesCard(alice, BANK.pays)
  expect(await upgrades(alice)).toBeRefused(402, 'card_refused')
  await passes(5)
  expect([await tierOf(alice), await paymentsOf(alice)]).toEqual(['test', [100]])
  await changesCard(alice, CARD.good)
  expect(await upgrades(alice)).toMatchObject({ status: 200 })
  expect(await tierOf(alice)).toBe('premium')
  await holds()
})

/** As an operator who lets this subscription be paid by everything. */
async function takesBanks() {
  const { subscriptions } = await world.env.card.client()
  const update = subscriptions.update.bind(subscriptions)
  return vi
    .spyOn(subscriptions, 'update')
    .mockImplementation((id, { payment_settings: _settings, ...change } = {}) => update(id, change))
}

test('a change whose payment settles days later is not taken for declined: it waits and counts once paid, or is taken back', async () => {
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  const taking = await takesBanks()
  for (const who of [alice, bob, carol]) {
    await buys(who, 'test')
    await changesCard(who, who === bob ? BANK.refuses : BANK.pays)
    expect(await upgrades(who)).toMatchObject({ status: 200 })
    expect([await tierOf(who), (await waitingOf(who))?.kind]).toEqual(['test', 'change'])
  }
  taking.mockRestore()
  // What is on its way cannot be called back: it ends with what it has paid.
  await carol.does(paymentsApi.upgrade, { tier: 'free' })
  await passes(4.1)
  expect([await tierOf(alice), await waitingOf(alice)]).toEqual(['premium', null])
  expect([await tierOf(bob), await waitingOf(bob), await paymentsOf(bob)]).toEqual(['test', null, [100]])
  expect([await tierOf(carol), await paymentsOf(carol)]).toEqual(['premium', [100, 99_900]])
  await holds()
})

test('what the operator bills to the same customer beside the subscription gives nothing and stops nothing', async () => {
  const alice = await free()
  await buys(alice, 'test')
  const named = vi.spyOn(world.env.card, 'warn')
  for (const [id, change] of [
    ['in_alone', '{"parent":null}'],
    ['in_open', '{"parent":null,"status":"open","amount_paid":0}'],
    ['in_empty', '{"parent":null,"lines":{"object":"list","data":[]}}'],
    ['in_yen', '{"currency":"jpy"}'],
  ])
    await world.sql(
      `insert into sandbox_objects (id, kind, customer, body) select $2, kind, customer, body || $3::jsonb || jsonb_build_object('id', $2::text)
       from sandbox_objects where kind = 'invoice' and id like 'in_sandbox%' and customer = (select customer_id from card_accounts where user_id = $1)`,
      [alice.id, id, change],
    )
  for (const kind of ['invoice', 'subscription'] as const) await tells(alice, kind)
  expect(await entriesOf(alice)).toHaveLength(1)
  const names = new Set(named.mock.calls.map(([{ invoice }]) => invoice))
  expect([...names].sort()).toEqual(['in_alone', 'in_empty', 'in_open', 'in_yen'])
  named.mockRestore()
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect(await tierOf(alice)).toBe('premium')
  expect(await alice.does(paymentsApi.refund, {})).toEqual({ refundedCents: 100_000 })
  await holds()
})

test('unpaid renewals are tried for two weeks, of which the server allows seven days', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await changesCard(alice, CARD.declined)
  await passes(31.2)
  const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id])
  const failed = () =>
    sandbox.sent.filter(({ payload }) => payload.includes('.payment_failed"') && payload.includes(String(row?.['customer_id'])))
  for (let day = 0; day < 14; day++) await passes(1)
  expect(failed().map(({ payload }) => JSON.parse(payload).type)).toEqual(Array(4).fill('invoice.payment_failed'))
  await alice.returns()
  expect([await tierOf(alice), (await stateOf(alice)).card]).toEqual(['free', null])
  await changesCard(alice, CARD.good)
  await passes(14)
  expect(await paymentsOf(alice)).toEqual([100_000])
})

/** Lets the call with this number go wrong. Returns how many were made. */
async function withTrouble(at: number, trouble: Trouble, act: () => Promise<unknown>): Promise<number> {
  let calls = 0
  sandbox.trouble = () => {
    calls += 1
    return calls === at ? trouble : undefined
  }
  await act()
  sandbox.trouble = () => undefined
  return calls
}

const ACTS: [name: string, before: (who: Person) => Promise<unknown>, act: (who: Person) => Promise<{ status: number }>][] = [
  ['a checkout', async () => undefined, (who) => who.tries(paymentsApi.checkout, { planType: 'premium' })],
  ['an upgrade', (who) => buys(who, 'test'), upgrades],
  ['a cancellation', (who) => buys(who, 'test'), (who) => who.tries(paymentsApi.upgrade, { tier: 'free' })],
  [
    'an end while unpaid',
    async (who) => {
      await buys(who, 'test')
      await changesCard(who, CARD.poor)
      await atPortal(who, { act: 'renew' })
    },
    (who) => who.tries(paymentsApi.upgrade, { tier: 'free' }),
  ],
  [
    'a refund',
    async (who) => {
      await forgetsCards()
      await buys(who, 'test')
    },
    (who) => who.tries(paymentsApi.refund, {}),
  ],
]

test.each(ACTS)(
  '%s at each call of which the provider refuses or its answer is lost is done by the next attempt, once',
  async (_, before, act) => {
    for (const trouble of ['refused', 'lost'] as const)
      for (let at = 1, calls = at; calls >= at - 1; at++) {
        const who = await free()
        await before(who)
        await sandbox.deliver()
        calls = await withTrouble(at, trouble, async () => {
          const { status } = await act(who)
          expect([200, 503], `${trouble} at ${at}`).toContain(status)
        })
        await sandbox.deliver()
        const { status } = await act(who)
        expect(status, `again after ${trouble} at ${at}`).toBeLessThan(500)
        await sandbox.deliver()
        expect(await inLedger(who), `${trouble} at ${at}`).toBe(await atProvider(who))
      }
    await holds()
  },
)
