import { expect, test } from 'vitest'
import { COIN_LIMITS } from '../../../contract/money/coinlimits.ts'
import { type CoinPayment, coinsApi } from '../../../contract/money/coins.ts'
import { makeMetrics } from '../../ground/metrics/metrics.ts'
import { accountKeys, startBitcoin, startEthereum, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { readGap } from './store-wallets.ts'

let place: World | undefined
const clock = () => place?.env.clock() ?? new Date()
const keys = accountKeys(43)
const bitcoin = await startBitcoin(clock, keys.bitcoin)
const ethereum = await startEthereum(clock, keys.ethereum)
const sources = await startPriceSources()
const world = await startWorld({ variables: { ...bitcoin.variables, ...ethereum.variables, ...sources.variables } })
place = world

const asks = (who: Person, more: { currency?: 'bitcoin' | 'ethereum' | 'usdc'; packageId?: string } = {}): Promise<CoinPayment> =>
  who.does(coinsApi.createPayment, { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly', ...more })
const PREMIUM = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
async function passes(minutes: number) {
  world.passes(minutes * 60)
  await world.jobs.runDue()
}
const given = async () => (await readGap(world.env.db, 'bitcoin')).given

test('who leaves a request unpaid is given its address again, for another plan too, and the request is judged by the new price', async () => {
  const alice = await world.person('alice', 'free')
  const first = await asks(alice)
  await passes(31)
  const before = await given()
  const again = await asks(alice, { packageId: PREMIUM })
  expect(again).toMatchObject({
    paymentAddress: first.paymentAddress,
    usdAmount: '1000.00',
    status: 'pending',
    receivedAmount: '0.00000000',
  })
  expect(Date.parse(again.expiresAt)).toBeGreaterThan(clock().getTime() + 29 * 60_000)
  expect(await given()).toBe(before)
  await bitcoin.pay(again.paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  await passes(1)
  const [paid] = await alice.does(coinsApi.payments, {})
  expect(paid).toMatchObject({ id: again.id, status: 'confirmed', receivedAmount: '0.01562500' })
  // What was paid is never given again.
  const bob = await world.person('alice', 'free')
  expect((await asks(bob)).paymentAddress).not.toBe(first.paymentAddress)
})

test('Eve who asks day after day and never pays takes three addresses of a wallet, and never those of somebody else', async () => {
  const [eve, bob] = [await world.person('eve', 'free'), await world.person('bob', 'free')]
  const bobs = await asks(bob)
  const seen = new Set<string>()
  const before = await given()
  for (let day = 0; day < 4; day++) {
    const made: CoinPayment[] = []
    for (const packageId of ['test', PREMIUM])
      for (const billingPeriod of ['monthly', 'yearly'] as const) {
        const answer = await eve.tries(coinsApi.createPayment, { packageId, currency: 'bitcoin', billingPeriod })
        if (answer.status === 200) made.push(answer.body as CoinPayment)
      }
    for (const { paymentAddress } of made) seen.add(paymentAddress)
    expect(made.length).toBe(COIN_LIMITS.coinPaymentsOpen)
    await passes(31)
  }
  expect(seen.size).toBe(COIN_LIMITS.coinPaymentsOpen)
  expect((await given()) - before).toBe(COIN_LIMITS.coinPaymentsOpen)
  expect(seen.has(bobs.paymentAddress)).toBe(false)
})

test('an address to which something came late, which no job has seen yet, is not given again', async () => {
  const alice = await world.person('alice', 'free')
  const late = await asks(alice)
  await passes(31)
  await bitcoin.pay(late.paymentAddress, 15_625n)
  expect((await asks(alice)).paymentAddress).not.toBe(late.paymentAddress)
  const [row] = await world.sql('select status from crypto_payments where id = $1', [late.id])
  expect(row).toEqual({ status: 'expired' })
})

test('an address is given again for the same coin alone, and never one of the wallet of before', async () => {
  const alice = await world.person('alice', 'free')
  const ether = await asks(alice, { currency: 'ethereum' })
  const coin = await asks(alice)
  await passes(31)
  expect((await asks(alice, { currency: 'usdc' })).paymentAddress).not.toBe(ether.paymentAddress)
  expect((await asks(alice, { currency: 'ethereum' })).paymentAddress).toBe(ether.paymentAddress)
  await world.sql('update crypto_payments set address_index = address_index + 1000 where id = $1', [coin.id])
  expect((await asks(alice)).paymentAddress).not.toBe(coin.paymentAddress)
})

test('two tabs that ask at once are not given one address for two requests', async () => {
  const alice = await world.person('alice', 'free')
  const left = await asks(alice)
  await passes(31)
  const both = await Promise.all([asks(alice), asks(alice, { packageId: PREMIUM })])
  expect(new Set(both.map(({ paymentAddress }) => paymentAddress)).size).toBe(2)
  expect(both.map(({ paymentAddress }) => paymentAddress)).toContain(left.paymentAddress)
})

test('a wallet that must look past twenty unpaid addresses is in the log and in the metrics, also once somebody has paid behind them', async () => {
  const metrics = makeMetrics()
  const other = await startWorld({ metrics, variables: { ...bitcoin.variables, ...sources.variables } })
  const alice = await other.person('alice', 'free')
  const runs = async () => {
    other.passes(3700)
    await other.jobs.runDue()
    return metrics.text().match(/^conclave_unpaid_addresses_bitcoin (\d+)$/m)?.[1]
  }
  expect(await runs()).toBe('0')
  await other.sql("insert into crypto_indexes (chain, next_index) values ('bitcoin', 1018)")
  expect(await runs()).toBe('1018')
  expect(other.log()).toMatch(/"chain":"bitcoin","unpaid":1018.*raise its gap limit/)
  const { paymentAddress } = await asks(alice)
  await bitcoin.pay(paymentAddress, 1_562_500n)
  other.passes(31)
  await other.jobs.runDue()
  // The row stays: the wallet must still look past it.
  expect([await runs(), await readGap(other.env.db, 'bitcoin')]).toEqual([
    '1018',
    { given: 1019, sinceLastPaid: 0, longestUnpaid: 1018 },
  ])
})
