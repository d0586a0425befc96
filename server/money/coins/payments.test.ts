import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { COIN_LIMITS } from '../../../contract/money/coinlimits.ts'
import { coinsApi } from '../../../contract/money/coins.ts'
import { makeOutbound } from '../../ground/outbound/outbound.ts'
import { accountKeys, startBitcoin, startEthereum, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { openBitcoin } from './bitcoin.ts'
import { openEthereum } from './ethereum.ts'
import { listReviews, settleReview } from './reviews.ts'
import { makeUpstream } from './upstream.ts'

const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
let world: World | undefined
const clock = () => world?.env.clock() ?? new Date()
const keys = accountKeys(9)
const bitcoin = await startBitcoin(clock, keys.bitcoin)
const ethereum = await startEthereum(clock, keys.ethereum)
const sources = await startPriceSources()
const both = await startWorld({
  variables: { ...bitcoin.variables, ...ethereum.variables, ...sources.variables, MASTER_MONTHLY_CENTS: '250000' },
})
world = both
const one = await startWorld({ variables: { ...bitcoin.variables, ...sources.variables } })
const none = await startWorld()

const DAY = 24 * 60 * 60
// "abandon abandon … about": the test vector of BIP-84, and the first account of Ethereum wallets.
const ZPUB = 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const wish = { packageId: PACKAGE, currency: 'bitcoin', billingPeriod: 'monthly' } as const
const upstream = makeUpstream(makeOutbound({ isGuarded: false }))

test('addresses are those that every wallet derives from the same words', async () => {
  const wallet = openBitcoin({ node: { kind: 'esplora', url: 'http://none' }, xpub: ZPUB, network: 'mainnet' }, upstream)
  expect([await wallet.addressAt(0), await wallet.addressAt(1)]).toEqual([
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
  ])
  const xpub = 'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt'
  const ether = openEthereum({ rpc: 'http://none', xpub, chainId: 1, usdc: undefined }, upstream)
  expect(await ether.addressAt(0)).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94')
})

test('the start names the first address of each chain that is taken, to be compared with the wallet', async () => {
  const [alice, found] = [await one.person('alice', 'free'), await both.env.coins.firstAddresses()]
  expect(found).toEqual([
    { chain: 'bitcoin', address: expect.stringMatching(/^bcrt1q/) },
    { chain: 'ethereum', address: expect.stringMatching(/^0x/) },
  ])
  expect((await alice.does(coinsApi.createPayment, wish)).paymentAddress).toBe(found[0]?.address)
  expect([await one.env.coins.firstAddresses(), await none.env.coins.firstAddresses()]).toEqual([[found[0]], []])
})

test('no address is given out twice, also not by people who ask at once or after the database was brought back from a copy', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => both.person('alice', 'free')))
  const kinds = people.flatMap((who) =>
    (['bitcoin', 'ethereum', 'usdc'] as const).flatMap((currency) =>
      (['monthly', 'yearly'] as const).map((billingPeriod) => ({ who, currency, billingPeriod })),
    ),
  )
  const asked = await Promise.all(kinds.map(({ who, ...kind }) => who.tries(coinsApi.createPayment, { ...wish, ...kind })))
  const made = asked.filter(({ status }) => status === 200).map(({ body }) => (body as { paymentAddress: string }).paymentAddress)
  expect(made.length).toBe(4 * COIN_LIMITS.coinPaymentsOpen)
  expect(new Set(made).size).toBe(made.length)
  // Indexes fall back; an address that has been paid is passed over.
  const alice = await both.person('alice', 'free')
  const first = await alice.does(coinsApi.createPayment, wish)
  await bitcoin.pay(first.paymentAddress, 1n)
  await both.sql("update crypto_indexes set next_index = next_index - 1 where chain = 'bitcoin'")
  await both.sql('delete from crypto_payments where id = $1', [first.id])
  const again = await alice.does(coinsApi.createPayment, wish)
  expect(again.paymentAddress).not.toBe(first.paymentAddress)
})

test('whoever asks for the same again gets the same request, until it is about to end', async () => {
  const alice = await both.person('alice', 'free')
  const first = await alice.does(coinsApi.createPayment, wish)
  expect(await alice.does(coinsApi.createPayment, wish)).toEqual(first)
  expect((await alice.does(coinsApi.createPayment, { ...wish, billingPeriod: 'yearly' })).usdAmount).toBe('8000.00')
  both.passes(21 * 60)
  expect((await alice.does(coinsApi.createPayment, wish)).id).not.toBe(first.id)
})

test('Master is asked for by its name where it has a price, for the period that has one', async () => {
  const [alice, bob] = [await both.person('alice', 'free'), await one.person('bob', 'free')]
  const { packages } = await alice.does(coinsApi.currencies, {})
  expect(packages.at(-1)).toEqual({ id: 'master', name: 'Master', monthlyPrice: 250_000, yearlyPrice: null })
  const payment = await alice.does(coinsApi.createPayment, { ...wish, packageId: 'master' })
  expect(payment).toMatchObject({ packageId: 'master', usdAmount: '2500.00' })
  const yearly = { ...wish, packageId: 'master', billingPeriod: 'yearly' }
  expect(await alice.tries(coinsApi.createPayment, yearly)).toBeRefused(409, 'package_not_sold')
  expect((await bob.does(coinsApi.currencies, {})).packages.map(({ id }) => id)).not.toContain('master')
  expect(await bob.tries(coinsApi.createPayment, { ...wish, packageId: 'master' })).toBeRefused(409, 'package_not_sold')
})

test('what wallets read says the chain, the address and the amount', async () => {
  const alice = await both.person('alice', 'free')
  const uriOf = async (currency: 'bitcoin' | 'ethereum' | 'usdc') => {
    const { paymentAddress, paymentUri, amount } = await alice.does(coinsApi.createPayment, { ...wish, currency })
    return { paymentAddress, paymentUri, amount }
  }
  const btc = await uriOf('bitcoin')
  expect(btc).toMatchObject({ amount: '0.01562500', paymentUri: `bitcoin:${btc.paymentAddress}?amount=0.01562500` })
  expect(btc.paymentAddress).toMatch(/^bcrt1q/)
  // Who has sent a part is asked for the rest, in words and by the code.
  await bitcoin.pay(btc.paymentAddress, 562_500n)
  both.passes(31)
  await both.jobs.runDue()
  const [short] = await alice.does(coinsApi.payments, {})
  const rest = { dueAmount: '0.01000000', paymentUri: `bitcoin:${btc.paymentAddress}?amount=0.01000000` }
  expect(short).toMatchObject({ amount: '0.01562500', receivedAmount: '0.00562500', ...rest })
  const eth = await uriOf('ethereum')
  expect(eth).toMatchObject({ amount: '0.312500', paymentUri: `ethereum:${eth.paymentAddress}@31337?value=312500000000000000` })
  const { paymentAddress, paymentUri } = await uriOf('usdc')
  const contract = ethereum.variables['USDC_CONTRACT']
  expect(paymentUri).toBe(`ethereum:${contract}@31337/transfer?address=${paymentAddress}&uint256=1000000000`)
})

test('a coin without a node is refused by name and is not offered', async () => {
  const [alice, bob, carol] = [await both.person('alice'), await one.person('bob'), await none.person('carol')]
  const offered = async (who: Person) => (await who.does(coinsApi.currencies, {})).currencies
  expect([await offered(alice), await offered(bob), await offered(carol)]).toEqual([
    ['bitcoin', 'ethereum', 'usdc'],
    ['bitcoin'],
    [],
  ])
  for (const currency of ['ethereum', 'usdc'])
    expect(await bob.tries(coinsApi.createPayment, { ...wish, currency })).toBeRefused(409, 'currency_unavailable')
  expect(await carol.tries(coinsApi.createPayment, wish)).toBeRefused(409, 'currency_unavailable')
  expect(await carol.tries(coinsApi.prices, {})).toBeRefused(503, 'prices_unavailable')
})

test('a node of another chain is not believed', async () => {
  const mainnet = { BITCOIN_NETWORK: 'mainnet', BITCOIN_XPUB: ZPUB }
  const elsewhere = await startWorld({ variables: { ...bitcoin.variables, ...sources.variables, ...mainnet } })
  const alice = await elsewhere.person('alice', 'free')
  expect(await alice.tries(coinsApi.createPayment, wish)).toBeRefused(409, 'currency_unavailable')
  const wrong = await startWorld({ variables: { ...ethereum.variables, ...sources.variables, ETHEREUM_CHAIN_ID: '1' } })
  const bob = await wrong.person('bob', 'free')
  expect(await bob.tries(coinsApi.createPayment, { ...wish, currency: 'usdc' })).toBeRefused(409, 'currency_unavailable')
})

test('without a price nobody is asked for money', async () => {
  const alice = await one.person('alice', 'free')
  await alice.does(coinsApi.prices, {})
  const before = sources.said.coingecko
  sources.said.coingecko = sources.said.kraken = 503
  one.passes(20 * 60)
  expect(await alice.tries(coinsApi.createPayment, wish)).toBeRefused(503, 'prices_unavailable')
  sources.said.coingecko = sources.said.kraken = before
  one.passes(60)
})

test('Eve names no price and no amount, and buys nothing that is not sold', async () => {
  const eve = await both.person('eve', 'free')
  const cheap = { amount: '0.00000001', usdAmount: '0.01', usdCents: 1, rate: '1', tier: 'master', paymentAddress: 'bc1qeve' }
  const payment = await eve.does(coinsApi.createPayment, { ...wish, ...cheap } as typeof wish)
  expect(payment).toMatchObject({ usdAmount: '1000.00', amount: '0.01562500' })
  expect(await eve.tries(coinsApi.createPayment, { ...wish, packageId: randomUUID() })).toBeRefused(409, 'package_not_sold')
  for (const [column, value] of Object.entries({ is_active: false, tier: 'free', messages_limit: 0, monthly_price: 0 })) {
    const [row] = await both.sql(`select ${column} as value from premium_packages`)
    await both.sql(`update premium_packages set ${column} = $1`, [value])
    expect(await eve.tries(coinsApi.createPayment, wish)).toBeRefused(409, 'package_not_sold')
    await both.sql(`update premium_packages set ${column} = $1`, [row?.['value']])
  }
  for (const wrong of [
    { currency: 'dogecoin' },
    { billingPeriod: 'daily' },
    { walletAddress: '<script>' },
    ...['premium', 'enterprise', -1, 1e308, null, [], 'x'.repeat(100_000)].map((packageId) => ({ packageId })),
  ])
    expect(await eve.tries(coinsApi.createPayment, { ...wish, ...wrong })).toBeRefused(400, 'invalid_input')
  const { body } = await eve.tries(coinsApi.createPayment, { ...wish, packageId: undefined })
  expect(body).toMatchObject({ error: 'Package ID is required' })
})

test('Eve, who names what Alice has paid, gets nothing for it and learns nothing of it', async () => {
  const [alice, eve] = [await both.person('alice', 'free'), await both.person('eve', 'free')]
  const [hers, eves] = [await alice.does(coinsApi.createPayment, wish), await eve.does(coinsApi.createPayment, wish)]
  const transactionHash = await bitcoin.pay(hers.paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  const submit = (paymentId: string, paymentAddress: string) =>
    eve.tries(coinsApi.submitTransaction, { paymentId, transactionHash, paymentAddress })
  for (const id of [hers.id, randomUUID()]) {
    expect(await submit(id, hers.paymentAddress)).toBeRefused(404, 'not_found')
    expect(await eve.tries(coinsApi.checkPayment, { paymentId: id })).toBeRefused(404, 'not_found')
  }
  expect(await submit(eves.id, hers.paymentAddress)).toBeRefused(400, 'wrong_address')
  expect(await submit(eves.id, eves.paymentAddress)).toBeRefused(409, 'unrelated_transaction')
  expect(await eve.does(coinsApi.checkPayment, { paymentId: eves.id })).toMatchObject({
    status: 'pending',
    transactionHash: null,
  })
  expect((await eve.does(coinsApi.payments, {})).map(({ id }) => id)).toEqual([eves.id])
  const named = { paymentId: hers.id, transactionHash, paymentAddress: hers.paymentAddress }
  expect(await alice.does(coinsApi.submitTransaction, named)).toMatchObject({ status: 'confirmed', transactionHash })
})

test('Eve who asks and never pays is refused by name, and what she asked for leaves her list after a month', async () => {
  const eve = await both.person('eve', 'free')
  const kinds = (['bitcoin', 'ethereum', 'usdc'] as const).flatMap((currency) =>
    (['monthly', 'yearly'] as const).map((billingPeriod) => ({ currency, billingPeriod })),
  )
  const tries = []
  for (const kind of kinds) tries.push(await eve.tries(coinsApi.createPayment, { ...wish, ...kind }))
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(COIN_LIMITS.coinPaymentsOpen)
  expect(tries.at(-1)).toBeRefused(409, 'too_many_coin_payments')
  // What is refused takes no address, which would leave a gap in the operator's wallet.
  const indexes = () => both.sql('select chain, next_index from crypto_indexes order by chain')
  const before = await indexes()
  for (const kind of kinds.slice(COIN_LIMITS.coinPaymentsOpen))
    expect(await eve.tries(coinsApi.createPayment, { ...wish, ...kind })).toBeRefused(409, 'too_many_coin_payments')
  expect(await indexes()).toEqual(before)
  both.passes(31 * 60)
  await both.jobs.runDue()
  expect((await eve.does(coinsApi.payments, {})).every(({ status }) => status === 'expired')).toBe(true)
  both.passes(COIN_LIMITS.coinPaymentDays * 24 * 60 * 60)
  await both.jobs.runDue()
  await eve.returns()
  expect(await eve.does(coinsApi.payments, {})).toEqual([])
})

test('money that comes to a request of long ago finds a person, with the number of its address in the wallet', async () => {
  const alice = await both.person('alice', 'free')
  const [btc, usdc] = [
    await alice.does(coinsApi.createPayment, wish),
    await alice.does(coinsApi.createPayment, { ...wish, currency: 'usdc' }),
  ]
  const reviewsOf = async ({ id }: { id: string }) =>
    (await listReviews(both.env.db, 100)).filter((each) => each.paymentId === id)
  both.passes(200 * DAY)
  await both.jobs.runDue()
  await bitcoin.pay(btc.paymentAddress, 1_562_500n)
  await ethereum.pay(usdc.paymentAddress, 1_000_000_000n, 'usdc')
  await bitcoin.mine(3)
  await ethereum.mine(12)
  both.passes(21 * DAY)
  await both.jobs.runDue()
  for (const payment of [btc, usdc]) {
    const [review] = await reviewsOf(payment)
    expect(review).toMatchObject({
      reason: 'late',
      assetCents: 100_000,
      addressIndex: expect.any(Number),
      payer: { id: alice.id },
    })
    const chain = both.env.coins.chainOf(payment.currency)
    expect(await chain?.addressAt(review?.addressIndex ?? -1)).toBe(payment.paymentAddress)
  }
  await alice.returns()
  expect((await alice.does(coinsApi.payments, {})).map(({ status }) => status)).toEqual(['needs_review', 'needs_review'])
}, 60_000)

test('money for an account that was deleted meanwhile is no income and waits for a person, and disturbs nothing', async () => {
  const [alice, bob] = [await both.person('alice', 'free'), await both.person('bob', 'free')]
  const [hers, his] = [await alice.does(coinsApi.createPayment, wish), await bob.does(coinsApi.createPayment, wish)]
  await bitcoin.pay(hers.paymentAddress, 1_562_500n)
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  await bitcoin.pay(his.paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  both.passes(31)
  await both.jobs.runDue()
  const entriesOf = (who: Person) => both.sql('select kind from ledger_entries where user_id = $1', [who.id])
  expect([await entriesOf(alice), await entriesOf(bob)]).toEqual([[], [{ kind: 'payment' }]])
  const tierOf = (who: Person) => both.sql('select subscription_tier as tier from users where id = $1', [who.id])
  expect([await tierOf(alice), await tierOf(bob)]).toEqual([[{ tier: 'free' }], [{ tier: 'premium' }]])
  const [review, ...more] = (await listReviews(both.env.db, 100)).filter(({ payer }) => payer.id === alice.id)
  expect([review, more]).toMatchObject([{ reason: 'account_gone', assetCents: 100_000, outcomes: ['refunded', 'kept'] }, []])
  const credits = { reviewId: review?.id ?? '', outcome: 'credited', by: 'operator' } as const
  await expect(both.env.db.transaction((tx) => settleReview(tx, clock(), credits))).rejects.toMatchObject({
    code: 'outcome_impossible',
  })
  for (const call of [coinsApi.payments, coinsApi.currencies]) expect(await alice.tries(call, {})).toBeRefused(401)
})

test('money for an account that is blocked is no income; the plan follows as it is unblocked', async () => {
  const alice = await both.person('alice', 'free')
  const { paymentAddress } = await alice.does(coinsApi.createPayment, wish)
  await both.sql('update users set is_active = false where id = $1', [alice.id])
  await bitcoin.pay(paymentAddress, 1_562_500n)
  await bitcoin.mine(3)
  both.passes(61)
  await both.jobs.runDue()
  const reviews = async () => (await listReviews(both.env.db, 100)).filter(({ payer }) => payer.id === alice.id)
  expect(await reviews()).toMatchObject([{ reason: 'account_gone', outcomes: ['credited', 'refunded', 'kept'] }])
  const entries = () => both.sql('select kind from ledger_entries where user_id = $1', [alice.id])
  expect(await entries()).toEqual([])
  await both.sql('update users set is_active = true where id = $1', [alice.id])
  both.passes(11 * 60)
  await both.jobs.runDue()
  expect([await entries(), await reviews()]).toEqual([[{ kind: 'payment' }], []])
})

test('money that comes in the very moment in which its request ends buys the month or waits for a person, and is never lost', async () => {
  const alice = await both.person('alice', 'free')
  const statuses: string[] = []
  for (let round = 0; round < 4; round++) {
    const payment = await alice.does(coinsApi.createPayment, wish)
    both.passes((Date.parse(payment.expiresAt) - clock().getTime()) / 1000 + 0.05)
    await Promise.all([
      bitcoin.pay(payment.paymentAddress, 1_562_500n),
      both.jobs.runDue(),
      ...Array.from({ length: 5 }, () => alice.does(coinsApi.checkPayment, { paymentId: payment.id })),
    ])
    await bitcoin.mine(3)
    both.passes(20 * 60)
    await both.jobs.runDue()
    await alice.returns()
    const { status } = await alice.does(coinsApi.checkPayment, { paymentId: payment.id })
    const reviews = await both.sql('select reason from crypto_reviews where payment_id = $1', [payment.id])
    expect([status, reviews]).toEqual(status === 'confirmed' ? [status, []] : ['needs_review', [{ reason: 'late' }]])
    statuses.push(status)
  }
  const months = await both.sql("select from ledger_entries where user_id = $1 and kind = 'payment'", [alice.id])
  expect(months).toHaveLength(statuses.filter((status) => status === 'confirmed').length)
})

test('the server says in no answer and no log where its nodes are and what its key is', async () => {
  const alice = await both.person('alice', 'free')
  const answers = [await alice.does(coinsApi.currencies, {}), await alice.does(coinsApi.createPayment, wish), both.log()]
  for (const secret of [
    bitcoin.variables['BITCOIN_ESPLORA_URL'],
    ethereum.variables['ETHEREUM_RPC_URL'],
    keys.bitcoin,
    keys.ethereum,
  ])
    expect(JSON.stringify(answers)).not.toContain(secret)
})
