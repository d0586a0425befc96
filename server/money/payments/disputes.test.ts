import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { readRevenue } from '../../admin/revenue.ts'
import type { Refund } from '../../sandbox/objects.ts'
import { cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { sandbox, free, tierOf, stateOf, holds, entriesOf, buys, disputes, passes, forgetsCards } = cardsOf(world)

const incomeNow = async () => (await readRevenue(world.env)).monthlyRecurringRevenue
const PAID = { kind: 'payment', tier: 'premium', cents: 100_000 }

test('a payment that the bank takes back ends its period, the card and the guarantee, and is no income', async () => {
  const [alice, before] = [await free(), await incomeNow()]
  await buys(alice, 'premium')
  expect(await incomeNow()).toBe(before + 1000)
  await disputes(alice)
  expect(await tierOf(alice)).toBe('free')
  expect(await entriesOf(alice)).toEqual([PAID, { kind: 'dispute', tier: 'premium', cents: 100_000 }])
  expect(await incomeNow()).toBe(before)
  expect((await stateOf(alice)).card?.renews ?? false).toBe(false)
  expect(await alice.tries(paymentsApi.refund, {})).toBeRefused(409, 'not_refundable')
  await passes(40)
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'payment')).toHaveLength(1)
  await holds()
})

test('a dispute that is won gives the period again, once, and one that is lost does not', async () => {
  const alice = await free()
  await buys(alice, 'premium', undefined, 'yearly')
  const before = await incomeNow()
  await disputes(alice)
  await disputes(alice, 'won')
  await disputes(alice, 'won')
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'dispute', 'dispute_won'])
  expect(await incomeNow()).toBe(before)
  const bob = await world.person('bob', 'free')
  await buys(bob, 'premium')
  await disputes(bob)
  await disputes(bob, 'lost')
  expect([await tierOf(bob), (await entriesOf(bob)).length]).toEqual(['free', 2])
  await holds()
})

test('an inquiry takes nothing, and one that is won before it is heard of changes nothing', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await disputes(alice, 'warning_needs_response')
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['premium', true])
  await disputes(alice, 'won')
  expect(await entriesOf(alice)).toEqual([PAID])
  await holds()
})

test('a dispute of an earlier month ends the renewal and leaves what is paid since', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  await passes(31.2)
  await alice.returns()
  expect(await entriesOf(alice)).toHaveLength(2)
  const [first] = await world.sql('select reference from ledger_entries where user_id = $1 order by place', [alice.id])
  await disputes(alice, 'needs_response', String(first?.['reference']))
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews ?? false]).toEqual(['premium', false])
  await passes(31.2)
  await alice.returns()
  expect(await tierOf(alice)).toBe('free')
  await holds()
})

test('events that come doubled, late and in the wrong order have one effect', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  Object.assign(sandbox.delivery, { copies: 3, isReversed: true, isHeld: true })
  await disputes(alice)
  await disputes(alice, 'won')
  await sandbox.deliver()
  Object.assign(sandbox.delivery, { copies: 1, isReversed: false, isHeld: false })
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).filter(({ kind }) => kind === 'dispute').length).toBeLessThanOrEqual(1)
  await holds()
})

test('a refund that a bank refuses days later is no refund: the plan goes on to its end, and is income', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  const before = await incomeNow()
  await alice.does(paymentsApi.refund, {})
  expect([await tierOf(alice), await incomeNow()]).toEqual(['free', before - 1000])
  const refuses = () =>
    sandbox.run(async (desk) => {
      const [row] = await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id])
      for (const refund of await desk.list<Refund>('refund', String(row?.['customer_id']))) {
        await desk.keep({ ...refund, status: 'failed' })
        desk.tell('refund.failed', { ...refund, status: 'failed' })
      }
    })
  for (let time = 0; time < 2; time++) {
    await refuses()
    await sandbox.deliver()
  }
  expect([await tierOf(alice), await incomeNow()]).toEqual(['premium', before])
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'refund', 'refund_failed'])
  await passes(40)
  await alice.returns()
  expect(await tierOf(alice)).toBe('free')
  await holds()
})

test('a payment that was refunded and is disputed too takes no more than itself from the income', async () => {
  await forgetsCards()
  const alice = await free()
  const before = await incomeNow()
  await buys(alice, 'premium')
  await alice.does(paymentsApi.refund, {})
  await disputes(alice)
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'refund', 'dispute'])
  expect(await incomeNow()).toBe(before)
  await disputes(alice, 'won')
  expect([await incomeNow(), await tierOf(alice)]).toEqual([before, 'free'])
  await holds()
})
