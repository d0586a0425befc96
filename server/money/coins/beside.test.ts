import { expect, test, vi } from 'vitest'
import { coinsApi } from '../../../contract/money/coins.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { cardsOf } from '../../testing/cards.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { grantTier } from '../ledger/ledger.ts'

vi.setConfig({ testTimeout: 60_000 })
let known: World | undefined
const bitcoin = await startBitcoin(() => known?.env.clock() ?? new Date(), accountKeys(9).bitcoin)
const sources = await startPriceSources()
const world = await startWorld({ variables: { ...bitcoin.variables, ...sources.variables, MASTER_MONTHLY_CENTS: '250000' } })
known = world
const { free, buys, pays, tierOf, stateOf, holds, entriesOf, passes, sandbox } = cardsOf(world)

const PREMIUM = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const wish = { packageId: PREMIUM, currency: 'bitcoin', billingPeriod: 'monthly' } as const
type Wish = Partial<Omit<typeof wish, 'packageId'>> & { packageId?: string; endsCard?: boolean }
const asks = (who: Person, more: Wish = {}) => who.tries(coinsApi.createPayment, { ...wish, ...more })

/** Asks for a month, sends it, and waits for its blocks. */
async function paysByCoin(who: Person, more: Wish = {}): Promise<void> {
  const { paymentAddress, amount } = await who.does(coinsApi.createPayment, { ...wish, ...more })
  await bitcoin.pay(paymentAddress, BigInt(amount.replace('.', '')))
  await bitcoin.mine(6)
  for (let look = 0; look < 2; look++) {
    world.passes(61)
    await world.jobs.runDue()
  }
  await sandbox.deliver()
}

test('a coin beside a card that renews must say that it ends the card; then a month is paid once, and follows the one that was', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  expect(await asks(alice)).toBeRefused(409, 'card_renews')
  await paysByCoin(alice, { endsCard: true })
  expect((await stateOf(alice)).card).toMatchObject({ renews: false })
  await passes(40)
  await alice.returns()
  expect(await tierOf(alice)).toBe('premium')
  expect((await entriesOf(alice)).map(({ cents }) => cents)).toEqual([100_000, 100_000])
  await passes(30)
  await alice.returns()
  expect([await tierOf(alice), (await entriesOf(alice)).length]).toEqual(['free', 2])
  await holds()
})

test('a request that nobody pays ends no card', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  expect((await asks(alice, { endsCard: true })).status).toBe(200)
  await passes(1)
  expect((await stateOf(alice)).card).toMatchObject({ renews: true })
})

test('an open checkout is closed before a coin is asked for; one that was just paid counts as a card that renews', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  const [first, second] = [
    await alice.does(paymentsApi.checkout, { planType: 'premium' }),
    await bob.does(paymentsApi.checkout, { planType: 'premium' }),
  ]
  await paysByCoin(alice)
  expect((await pays(first.url)).status).not.toBe(303)
  expect((await entriesOf(alice)).length).toBe(1)
  sandbox.delivery = { ...sandbox.delivery, isHeld: true }
  await pays(second.url)
  expect(await asks(bob)).toBeRefused(409, 'card_renews')
  sandbox.delivery = { ...sandbox.delivery, isHeld: false }
  await sandbox.deliver()
  await holds()
})

test('a checkout that is paid while the coin waits for its blocks is charged no second time', async () => {
  const alice = await free()
  const { paymentAddress, amount } = await alice.does(coinsApi.createPayment, wish)
  await buys(alice, 'premium')
  await bitcoin.pay(paymentAddress, BigInt(amount.replace('.', '')))
  await bitcoin.mine(6)
  for (let look = 0; look < 2; look++) {
    world.passes(61)
    await world.jobs.runDue()
  }
  await sandbox.deliver()
  expect((await stateOf(alice)).card).toMatchObject({ renews: false })
  await passes(45)
  await alice.returns()
  expect([await tierOf(alice), (await entriesOf(alice)).length]).toEqual(['premium', 2])
  await holds()
})

test('a coin that was asked for without a card leaves a card of another plan alone that was bought since', async () => {
  const alice = await free()
  const { paymentAddress, amount } = await alice.does(coinsApi.createPayment, { ...wish, packageId: 'test' })
  await buys(alice, 'premium')
  await bitcoin.pay(paymentAddress, BigInt(amount.replace('.', '')))
  await bitcoin.mine(6)
  for (let look = 0; look < 3; look++) {
    world.passes(61)
    await world.jobs.runDue()
  }
  expect((await entriesOf(alice)).map(({ tier }) => tier).toSorted()).toEqual(['premium', 'test'])
  expect((await stateOf(alice)).card).toMatchObject({ renews: true })
  expect(await world.sql("select 1 from crypto_payments where ends_card in ('due', 'same')")).toEqual([])
})

test('while the card provider is silent the coin counts, and the card is ended once it answers', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  const client = await world.env.card.client()
  const silent = vi.spyOn(client.subscriptions, 'list').mockRejectedValue(new Error('silent'))
  await paysByCoin(alice, { endsCard: true }).catch(() => undefined)
  expect((await entriesOf(alice)).length).toBe(2)
  silent.mockRestore()
  world.passes(61)
  await world.jobs.runDue()
  await sandbox.deliver()
  expect((await stateOf(alice)).card).toMatchObject({ renews: false })
})

test('what would give nothing is refused before money is asked for', async () => {
  const [alice, bob, carol] = [await free(), await world.person('bob', 'free'), await world.person('carol', 'free')]
  // Given without an end.
  await world.env.db.transaction((tx) => grantTier(tx, world.env.clock(), { userId: alice.id, tier: 'premium' }))
  expect(await asks(alice)).toBeRefused(409, 'nothing_to_gain')
  await paysByCoin(bob, { packageId: 'master' })
  expect(await tierOf(bob)).toBe('master')
  expect(await asks(bob)).toBeRefused(409, 'nothing_to_gain')
  // The same plan goes on, and a larger one begins at once.
  expect((await asks(bob, { packageId: 'master' })).status).toBe(200)
  await buys(carol, 'test')
  expect((await asks(carol, { endsCard: true })).status).toBe(200)
})
