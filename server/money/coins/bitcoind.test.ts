import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { COIN_REQUEST_SECONDS, type CoinPayment, coinsApi } from '../../../contract/money/coins.ts'
import { makeOutbound } from '../../ground/outbound/outbound.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { openBitcoin } from './bitcoin.ts'
import type { Known } from './chain.ts'
import { makeUpstream } from './upstream.ts'

const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const keys = accountKeys(13)
const xpub = keys.bitcoin
let world: World | undefined
const clock = () => world?.env.clock() ?? new Date()
const bitcoin = await startBitcoin(clock, xpub)
const sources = await startPriceSources()
const here = await startWorld({ variables: { ...bitcoin.bitcoindVariables, ...sources.variables } })
world = here

const upstream = makeUpstream(makeOutbound({ isGuarded: false }))
const by = (kind: 'esplora' | 'bitcoind') => {
  const url = (kind === 'esplora' ? bitcoin.variables['BITCOIN_ESPLORA_URL'] : bitcoin.bitcoindVariables['BITCOIN_RPC_URL']) ?? ''
  return openBitcoin({ node: { kind, url }, xpub, network: 'regtest' }, upstream)
}
const [esplora, bitcoind] = [by('esplora'), by('bitcoind')]
const nothing: Known = { scannedHeight: 0, nativeUnits: 0n, arrivals: [] }

/** What both nodes say of the address, which is the same. */
async function both(address: string) {
  const sorted = async (chain: typeof esplora) => {
    const { arrivals, ...seen } = await chain.look(address, nothing)
    return { ...seen, arrivals: arrivals.sort((a, b) => (a.reference + a.index < b.reference + b.index ? -1 : 1)) }
  }
  const [one, other] = [await sorted(esplora), await sorted(bitcoind)]
  expect(other).toEqual(one)
  return one
}
async function address(): Promise<string> {
  const fresh = await bitcoind.addressAt(1_000_000 + Math.floor(Math.random() * 1_000_000))
  expect(await bitcoind.isUntouched(fresh)).toBe(true)
  return fresh
}

test('whatever happens to money, bitcoind and Esplora tell the same: outputs, blocks, replacements, reorganisations', async () => {
  const [mine, other] = [await address(), await address()]
  const hash = await bitcoin.pay(mine, [1n, 20_999_999_99999999n])
  await bitcoin.pay(other, 5n)
  expect((await both(mine)).arrivals).toMatchObject([
    { reference: hash, index: 0, units: 1n, height: null, blockHash: null, at: null },
    { reference: hash, index: 1, units: 20_999_999_99999999n },
  ])
  await bitcoin.mine(2)
  expect((await both(mine)).arrivals[0]).toMatchObject({ height: (await bitcoin.height()) - 1 })
  const replaced = await bitcoin.pay(mine, 1_234_567n)
  await bitcoin.replace(replaced)
  expect((await both(mine)).arrivals).toHaveLength(2)
  await bitcoin.reorganise(2)
  expect((await both(mine)).arrivals).toEqual([])
  await bitcoin.resend?.(hash)
  expect((await both(mine)).arrivals).toHaveLength(2)
  await bitcoin.mine(1)
  expect((await both(mine)).arrivals).toHaveLength(2)
  expect(await bitcoind.isUntouched(mine)).toBe(false)
  for (const chain of [esplora, bitcoind])
    expect([await chain.pays(hash, mine), await chain.pays(hash, other), await chain.pays('ab'.repeat(32), mine)]).toEqual([
      ...[true, false, undefined],
    ])
})

test('after any payments, replacements, reorganisations and blocks bitcoind and Esplora tell the same', async () => {
  const some = [await address(), await address()]
  const sent: string[] = []
  let seed = 77
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let step = 0; step < 50; step++) {
    const which = next(6)
    if (which < 2) sent.push(await bitcoin.pay(some[next(2)] ?? '', BigInt(1 + next(2_000_000_000))))
    else if (which < 4) await bitcoin.mine(1 + next(3))
    else if (which === 4) await bitcoin.replace(sent[next(sent.length || 1)] ?? '')
    else if ((await bitcoin.height()) > 5) await bitcoin.reorganise(1 + next(3))
    for (const each of some) await both(each)
  }
}, 120_000)

test('a node that refuses, is silent or is of another chain throws, and never says that nothing has come', async () => {
  const mine = await address()
  bitcoin.answers(false)
  await expect(bitcoind.look(mine, nothing)).rejects.toThrow('answered 503')
  bitcoin.answers(true)
  const url = bitcoin.bitcoindVariables['BITCOIN_RPC_URL'] ?? ''
  const open = (more: object) => openBitcoin({ node: { kind: 'bitcoind', url }, xpub, network: 'regtest', ...more }, upstream)
  const wrong = open({ node: { kind: 'bitcoind', url: url.replace('user:pass', 'user:wrong') } })
  const failure = await wrong.look(mine, nothing).catch((error) => error)
  expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ answered 401$/)
  await expect(open({ network: 'mainnet' }).head()).rejects.toThrow('not of mainnet')
})

const asks = (who: Person) =>
  who.does(coinsApi.createPayment, { packageId: PACKAGE, currency: 'bitcoin', billingPeriod: 'monthly' })
async function later(who: Person, { id }: CoinPayment, seconds = 61): Promise<CoinPayment | undefined> {
  here.passes(seconds)
  await here.jobs.runDue()
  await who.returns()
  return (await who.does(coinsApi.payments, {})).find((each) => each.id === id)
}

test('a month is bought by bitcoind in the third block, by nobody’s name and by the payer’s', async () => {
  const alice = await here.person('alice', 'free')
  const payment = await asks(alice)
  const hash = await bitcoin.pay(payment.paymentAddress, 1_562_500n)
  const named = { paymentId: payment.id, paymentAddress: payment.paymentAddress, transactionHash: hash }
  expect(await alice.does(coinsApi.submitTransaction, named)).toMatchObject({ status: 'confirming', transactionHash: hash })
  await bitcoin.mine(2)
  expect(await later(alice, payment)).toMatchObject({ status: 'confirming', blockConfirmations: 2 })
  await bitcoin.mine()
  expect(await later(alice, payment)).toMatchObject({ status: 'confirmed', receivedAmount: payment.amount })
  expect((await alice.does(accountApi.user, {})).subscriptionTier).toBe('premium')
})

test('where the wallet of bitcoind was lost nothing expires: what was paid counts once it watches again', async () => {
  const alice = await here.person('alice', 'free')
  const payment = await asks(alice)
  await bitcoin.pay(payment.paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  bitcoin.losesWallet()
  expect(await later(alice, payment, COIN_REQUEST_SECONDS + 60)).toMatchObject({ status: 'pending' })
  // The operator brings the wallet back.
  await bitcoind.isUntouched(payment.paymentAddress)
  expect(await later(alice, payment)).toMatchObject({ status: 'confirmed' })
})

test('an address that the wallet no longer watches keeps nobody else waiting: what others pay is found by the same watcher', async () => {
  const [alice, bob] = [await here.person('alice', 'free'), await here.person('bob', 'free')]
  const lost = await asks(alice)
  bitcoin.losesWallet()
  const payment = await asks(bob)
  await bitcoin.pay(payment.paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  expect(await later(bob, payment)).toMatchObject({ status: 'confirmed' })
  expect(await later(alice, lost, 1)).toMatchObject({ status: 'pending' })
  await bitcoind.isUntouched(lost.paymentAddress)
})

test('the server says in no answer and no log who it is at bitcoind', async () => {
  const alice = await here.person('alice', 'free')
  bitcoin.answers(false)
  await alice.tries(coinsApi.createPayment, { packageId: PACKAGE, currency: 'bitcoin', billingPeriod: 'yearly' })
  bitcoin.answers(true)
  const answers = [await alice.does(coinsApi.currencies, {}), await asks(alice), here.log()]
  for (const secret of ['user:pass', 'dXNlcjpwYXNz', 'wallet/conclave']) expect(JSON.stringify(answers)).not.toContain(secret)
})
