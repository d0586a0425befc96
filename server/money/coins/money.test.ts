import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import type { ReviewOutcome, ReviewReason } from '../../../contract/money/coinreviews.ts'
import { COIN_REQUEST_SECONDS, COINS, type CoinPayment, type Currency, coinsApi } from '../../../contract/money/coins.ts'
import { cryptoPayments } from '../../ground/db/schema/coins.ts'
import { accountKeys, startBitcoin, startEthereum, startPriceSources } from '../../testing/chain.ts'
import type { TestChain } from '../../testing/madechain.ts'
import type { Person } from '../../testing/person.ts'
import { installChains, startRealBitcoin, startRealEthereum } from '../../testing/realchains.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { checkLedger } from '../ledger/audit.ts'
import { listReviews, settleReview } from './reviews.ts'
import { lookAt, watchPayments } from './watchPayments.ts'

// Each day that passes is a day of all jobs.
vi.setConfig({ testTimeout: 60_000 })
const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const DAY = 24 * 60 * 60
const keys = accountKeys(7)

// The chains are made before the world whose clock they follow.
let world: World | undefined
const clock = () => world?.env.clock() ?? new Date()
// `npm run test:walks` plays all of it at real chains, which take a minute: bcoin of regtest, and anvil.
const isReal = process.env['WALK_STEPS'] !== undefined && installChains()
const bitcoin = await (isReal ? startRealBitcoin : startBitcoin)(clock, keys.bitcoin)
const ethereum = await (isReal ? startRealEthereum : startEthereum)(clock, keys.ethereum)
const sources = await startPriceSources()
const variables = { ...bitcoin.variables, ...ethereum.variables, ...sources.variables }
const here = await startWorld({ variables })
world = here
const { db } = here.env

const chainOf = (currency: Currency): TestChain => (currency === 'bitcoin' ? bitcoin : ethereum)
const unitsOf = (currency: Currency, amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(COINS[currency].decimals, '0'))
}
const asks = (who: Person, currency: Currency) =>
  who.does(coinsApi.createPayment, { packageId: PACKAGE, currency, billingPeriod: 'monthly' })
/** The payment as the watcher leaves it, a minute later. */
async function later(who: Person, { id }: CoinPayment, seconds = 61): Promise<CoinPayment> {
  here.passes(seconds)
  await here.jobs.runDue()
  return (await who.does(coinsApi.payments, {})).find((each) => each.id === id) as CoinPayment
}
const findPayment = async ({ id }: CoinPayment) => (await db.select().from(cryptoPayments).where(eq(cryptoPayments.id, id)))[0]
const tierOf = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const reviewsOf = async ({ id }: CoinPayment) => (await listReviews(db, 100)).filter(({ paymentId }) => paymentId === id)
/** What an administrator does about the only review of a payment, or the one with that reason. */
async function settles(payment: CoinPayment, outcome: ReviewOutcome, wanted?: ReviewReason) {
  const review = (await reviewsOf(payment)).find(({ reason }) => wanted === undefined || reason === wanted)
  const transactionHash = outcome === 'refunded' ? 'ab'.repeat(32) : undefined
  const settlement = { reviewId: review?.id ?? payment.id, outcome, transactionHash, by: 'operator' }
  return await db.transaction((tx) => settleReview(tx, clock(), settlement))
}
const reasonsOf = async (payment: CoinPayment) =>
  (await reviewsOf(payment)).map(({ reason, assetAmount }) => `${reason} ${assetAmount}`).sort()
const centsOf = async ({ id }: Person) =>
  (await here.sql('select amount_cents as cents from ledger_entries where user_id = $1 order by place', [id])).map(({ cents }) =>
    Number(cents),
  )
const paidMonths = async ({ id }: Person) =>
  (await here.sql("select key from ledger_entries where user_id = $1 and kind = 'payment'", [id])).length

/** A free account that asks for a month of Premium, and how it pays. */
async function buyer(currency: Currency) {
  const alice = await here.person('alice', 'free')
  const payment = await asks(alice, currency)
  const due = unitsOf(currency, payment.amount)
  const chain = chainOf(currency)
  const pays = (units: bigint | bigint[] = due, asset = currency as Parameters<TestChain['pay']>[2]) =>
    chain.pay(payment.paymentAddress, units, asset)
  return { alice, payment, due, chain, pays, looks: (seconds?: number) => later(alice, payment, seconds) }
}

afterEach(async () => {
  bitcoin.answers(true)
  ethereum.answers(true)
  expect((await checkLedger(db, clock())).differences).toEqual([])
})

const CURRENCIES = ['bitcoin', 'ethereum', 'usdc'] as const

describe.each(CURRENCIES)('in %s', (currency) => {
  const { confirmations } = COINS[currency]

  test('the exact amount buys the month in the last block that it needs, and not in the one before', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    expect(payment).toMatchObject({ status: 'pending', usdAmount: '1000.00', blockConfirmations: 0, transactionHash: null })
    expect(await looks()).toMatchObject({ status: 'pending' })
    const hash = await pays()
    await chain.mine()
    expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 1, transactionHash: hash })
    await chain.mine(confirmations - 2)
    expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: confirmations - 1 })
    expect([await tierOf(alice), await paidMonths(alice)]).toEqual(['free', 0])
    await chain.mine()
    const confirmed = await looks()
    expect(confirmed).toMatchObject({ status: 'confirmed', blockConfirmations: confirmations, receivedAmount: payment.amount })
    expect(confirmed.confirmedAt).not.toBeNull()
    expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
    await chain.mine(5)
    expect(await looks(DAY)).toMatchObject({ status: 'confirmed' })
    expect(await paidMonths(alice)).toBe(1)
  })

  test('two halves buy the month once both are certain', async () => {
    const { alice, due, chain, pays, looks } = await buyer(currency)
    await pays(due / 2n)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'pending' })
    await pays(due - due / 2n)
    await chain.mine()
    expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 1 })
    await chain.mine(confirmations - 1)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect([await tierOf(alice), await paidMonths(alice)]).toEqual(['premium', 1])
  })

  test('what lacks half a percent, as an exchange’s fee does, buys the month, and the ledger has what came', async () => {
    const { alice, payment, due, chain, pays, looks } = await buyer(currency)
    await pays(due - due / 200n)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed', dueAmount: payment.amount })
    expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
    expect(await centsOf(alice)).toEqual([99_500])
  })

  test('more than half a percent too little buys nothing and is not lost: a person sees it after the time, and can give the month for it once', async () => {
    const { alice, payment, due, chain, pays, looks } = await buyer(currency)
    await pays(due - due / 200n - 1n)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'pending' })
    expect(await reasonsOf(payment)).toEqual([])
    expect(await looks(COIN_REQUEST_SECONDS)).toMatchObject({ status: 'needs_review' })
    const [review, ...more] = await reviewsOf(payment)
    expect([review?.reason, more]).toEqual(['underpaid', []])
    expect(await tierOf(alice)).toBe('free')
    expect(review?.outcomes).toEqual(['credited', 'refunded', 'kept'])
    await settles(payment, 'credited')
    expect(await looks(DAY)).toMatchObject({ status: 'confirmed' })
    expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
    // At the price of the request, rounded down.
    expect(await centsOf(alice)).toEqual([99_499])
  })

  test('too much buys the month, and a person sees what was too much', async () => {
    const { alice, payment, due, chain, pays, looks } = await buyer(currency)
    await pays(due * 2n)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([1, [`overpaid ${payment.amount}`]])
    await looks()
    expect(await reviewsOf(payment)).toHaveLength(1)
  })

  test('the same amount sent twice buys one month, and a person sees the second', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    await pays()
    await chain.mine(1)
    await pays()
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([1, [`double ${payment.amount}`]])
  })

  test('money after the time buys nothing and is not lost: a person sees it, and may send it back', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'expired' })
    await pays()
    await chain.mine(confirmations)
    expect(await looks(20 * 60)).toMatchObject({ status: 'needs_review' })
    expect([await tierOf(alice), await reasonsOf(payment)]).toEqual(['free', [`late ${payment.amount}`]])
    await settles(payment, 'refunded')
    expect(await looks(DAY)).toMatchObject({ status: 'refunded' })
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([0, []])
  })

  test('money that a reorganisation took out before it was certain buys nothing, and the month once it is back', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    const hash = await pays()
    await chain.mine(confirmations - 1)
    expect(await looks()).toMatchObject({ status: 'confirming' })
    await chain.reorganise(confirmations - 1)
    expect(await looks()).toMatchObject({ status: 'pending', transactionHash: null })
    await chain.mine(confirmations)
    expect([(await looks()).status, await paidMonths(alice)]).toEqual(['pending', 0])
    await chain.resend?.(hash)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed', transactionHash: hash })
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([1, []])
  })

  test('money that a reorganisation took out after the month was given goes to a person, and from there when it is back', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    const hash = await pays()
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    await chain.reorganise(confirmations + 2)
    expect(await looks(20 * 60)).toMatchObject({ status: 'needs_review' })
    expect([await tierOf(alice), await reasonsOf(payment)]).toEqual(['premium', [`reorganised ${payment.amount}`]])
    await chain.resend?.(hash)
    await chain.mine(confirmations)
    expect(await looks(20 * 60)).toMatchObject({ status: 'confirmed' })
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([1, []])
  })

  test('while the node does not answer nothing expires, and what was paid in time counts afterwards', async () => {
    const { alice, chain, pays, looks } = await buyer(currency)
    await pays()
    chain.answers(false)
    await chain.mine(confirmations)
    expect(await looks(COIN_REQUEST_SECONDS + 60)).toMatchObject({ status: 'pending' })
    chain.answers(true)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect(await paidMonths(alice)).toBe(1)
  })

  test('without an answer of the node nobody is asked for money', async () => {
    const alice = await here.person('alice', 'free')
    chainOf(currency).answers(false)
    const asked = await alice.tries(coinsApi.createPayment, { packageId: PACKAGE, currency, billingPeriod: 'yearly' })
    expect(asked).toBeRefused(409, 'currency_unavailable')
  })

  test('a restart in the middle of the confirmations, and twenty looks at once at two servers, give one month', async () => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    await pays()
    await chain.mine(confirmations - 1)
    expect(await looks()).toMatchObject({ status: 'confirming' })
    const second = await startWorld({ variables, at: here.databaseUrl })
    await chain.mine()
    here.passes(61)
    second.passes((clock().getTime() - second.env.clock().getTime()) / 1000)
    const checks = Array.from({ length: 20 }, () => alice.does(coinsApi.checkPayment, { paymentId: payment.id }))
    await Promise.all([...checks, second.jobs.runDue(), here.jobs.runDue()])
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect(await paidMonths(alice)).toBe(1)
  })

  test('a crash between the look and what follows loses nothing', async () => {
    const { alice, chain, pays, looks } = await buyer(currency)
    await pays()
    await chain.mine(confirmations)
    here.env.fault = (point) => {
      if (point === 'coins: seen') throw new Error('crash')
    }
    expect(await looks()).toMatchObject({ status: 'pending' })
    delete here.env.fault
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    expect(await paidMonths(alice)).toBe(1)
  })
})

test('a Bitcoin transaction that is replaced before it is in a block buys nothing, and the request expires', async () => {
  const { alice, payment, pays, looks } = await buyer('bitcoin')
  const hash = await pays()
  expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 0, transactionHash: hash })
  await bitcoin.replace(hash)
  await bitcoin.mine()
  expect(await looks()).toMatchObject({ status: 'pending', transactionHash: null, receivedAmount: '0.00000000' })
  expect(await looks(COIN_REQUEST_SECONDS)).toMatchObject({ status: 'expired' })
  expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([0, []])
})

test('who has sent nearly all is asked for no less than a wallet sends', async () => {
  const { due, pays, looks } = await buyer('bitcoin')
  await pays(due / 2n)
  expect(await looks()).toMatchObject({ status: 'pending', dueAmount: '0.00781250' })
  const alice = await here.person('alice', 'free')
  const payment = await alice.does(coinsApi.createPayment, { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly' })
  await bitcoin.pay(payment.paymentAddress, unitsOf('bitcoin', payment.amount) - 10n)
  const shown = { dueAmount: '0.00000546', paymentUri: `bitcoin:${payment.paymentAddress}?amount=0.00000546` }
  expect(await later(alice, payment)).toMatchObject({ status: 'pending', ...shown })
})

test('two outputs of one Bitcoin transaction count both', async () => {
  const { alice, due, pays, looks } = await buyer('bitcoin')
  await pays([due / 4n, due - due / 4n])
  await bitcoin.mine(3)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  expect(await paidMonths(alice)).toBe(1)
})

test('who floods a paid address by one transaction gives an administrator one review, and by dust none', async () => {
  const { payment, pays, looks } = await buyer('bitcoin')
  await pays()
  await bitcoin.mine(3)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  // 294 satoshis are 18 cents.
  await pays(294n)
  await bitcoin.mine(3)
  await looks(DAY)
  expect(await reasonsOf(payment)).toEqual([])
  const flood = await pays(Array(300).fill(294n))
  await bitcoin.mine(3)
  await looks(DAY)
  const reviews = await reviewsOf(payment)
  expect(reviews).toMatchObject([{ reason: 'late', assetAmount: '0.00088200', transactions: [flood] }])
  // What is small alone is worth a look together.
  for (let sent = 0; sent < 6; sent++) await pays(294n)
  await bitcoin.mine(3)
  await looks(DAY)
  expect(await reasonsOf(payment)).toEqual(['late 0.00001764', 'late 0.00088200'])
})

test('money below a dollar that comes to a request after its time leaves it as it is, and much of it finds a person', async () => {
  const { payment, pays, looks } = await buyer('bitcoin')
  expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'expired' })
  await pays(900n)
  await bitcoin.mine(3)
  expect(await looks(20 * 60)).toMatchObject({ status: 'expired', receivedAmount: '0.00000900' })
  await pays(900n)
  await bitcoin.mine(3)
  expect(await looks(20 * 60)).toMatchObject({ status: 'needs_review' })
  expect(await reasonsOf(payment)).toEqual(['late 0.00001800'])
})

test('money that a block takes only hours later buys the month at the old price, or waits for a person where it is worth less', async () => {
  for (const [price, status] of [
    [64_000, 'confirmed'],
    [62_000, 'confirmed'],
    [32_000, 'needs_review'],
    [503, 'needs_review'],
  ] as const) {
    const { alice, payment, pays, looks } = await buyer('bitcoin')
    await pays()
    expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 0 })
    const before = { ...sources.said }
    sources.said.coingecko = sources.said.kraken = price === 503 ? 503 : { bitcoin: price, ethereum: 3_200, usdc: 1 }
    expect(await looks(7 * 60 * 60)).toMatchObject({ status: 'confirming' })
    await bitcoin.mine(3)
    expect(await looks()).toMatchObject({ status })
    const isPaid = status === 'confirmed'
    expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([
      isPaid ? 1 : 0,
      isPaid ? [] : [`late ${payment.amount}`],
    ])
    Object.assign(sources.said, before)
    here.passes(120)
  }
})

test('money that was mined in time and certain only hours later buys the month at any price', async () => {
  const { alice, pays, looks } = await buyer('bitcoin')
  await pays()
  await bitcoin.mine(1)
  expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 1 })
  here.passes(7 * 60 * 60)
  const before = { ...sources.said }
  sources.said.coingecko = sources.said.kraken = { bitcoin: 32_000, ethereum: 3_200, usdc: 1 }
  await bitcoin.mine(2)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  Object.assign(sources.said, before)
  here.passes(120)
  expect(await paidMonths(alice)).toBe(1)
})

test.each(['bitcoin', 'ethereum', 'usdc'] as const)(
  'a node that is blocks behind takes back nothing that was paid in %s',
  async (currency) => {
    const { alice, payment, chain, pays, looks } = await buyer(currency)
    await pays()
    await chain.mine(COINS[currency].confirmations)
    expect(await looks()).toMatchObject({ status: 'confirmed' })
    const catchesUp = await chain.fallsBehind?.(COINS[currency].confirmations + 2)
    expect(await looks(20 * 60)).toMatchObject({ status: 'confirmed' })
    expect(await reasonsOf(payment)).toEqual([])
    catchesUp?.()
    await chain.mine(1)
    expect(await looks(20 * 60)).toMatchObject({ status: 'confirmed' })
    expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
  },
)

test('Ether from a contract wallet, which is no transaction to the address, buys the month', async () => {
  const { alice, due, pays, looks } = await buyer('ethereum')
  await pays(due, 'contract')
  await ethereum.mine()
  expect(await looks()).toMatchObject({ status: 'confirming', blockConfirmations: 1, transactionHash: null })
  await ethereum.mine(11)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  expect(await paidMonths(alice)).toBe(1)
})

test('Ether that its owner moves on from the address takes nothing back', async () => {
  const { alice, payment, due, pays, looks } = await buyer('ethereum')
  await pays(due)
  await ethereum.mine(12)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  await ethereum.pay(payment.paymentAddress, -due, 'contract')
  await ethereum.mine(20)
  expect(await looks(DAY)).toMatchObject({ status: 'confirmed' })
  await pays(due / 2n)
  await ethereum.mine(12)
  expect(await looks(DAY)).toMatchObject({ status: 'confirmed' })
  expect([await paidMonths(alice), (await reviewsOf(payment)).map(({ reason }) => reason)]).toEqual([1, ['late']])
})

test.each([
  ['usdc', 'other'],
  ['usdc', 'ethereum'],
  ['ethereum', 'usdc'],
  ['ethereum', 'other'],
] as const)('where %s was asked for, %s buys nothing and is not lost: a person sees it', async (currency, asset) => {
  const { alice, payment, due, pays, looks } = await buyer(currency)
  // As many units of ether would be worth nothing.
  await pays(asset === 'ethereum' ? 10n ** 18n : due, asset)
  await ethereum.mine(12)
  expect(await looks()).toMatchObject({ status: 'pending', receivedAmount: expect.stringMatching(/^0\.0+$/) })
  expect(await looks(COIN_REQUEST_SECONDS)).toMatchObject({ status: 'expired' })
  const [review] = await reviewsOf(payment)
  expect(review).toMatchObject({ reason: 'wrong_token', asset: asset === 'other' ? `0x${'0e'.repeat(20)}` : asset })
  expect(await paidMonths(alice)).toBe(0)
})

test('a plan that is withdrawn after a reorganisation ends, and the money waits for a person when the chain has it again', async () => {
  const { alice, payment, pays, looks } = await buyer('bitcoin')
  const hash = await pays()
  await bitcoin.mine(3)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  await bitcoin.reorganise(5)
  expect(await looks(20 * 60)).toMatchObject({ status: 'needs_review' })
  expect((await reviewsOf(payment))[0]?.outcomes).toEqual(['withdrawn', 'kept'])
  await settles(payment, 'withdrawn')
  expect([await tierOf(alice), await reasonsOf(payment)]).toEqual(['free', []])
  await bitcoin.resend?.(hash)
  await bitcoin.mine(3)
  expect(await looks(20 * 60)).toMatchObject({ status: 'expired' })
  expect([await tierOf(alice), await reasonsOf(payment)]).toEqual(['free', [`late ${payment.amount}`]])
  expect((await reviewsOf(payment))[0]?.outcomes).toEqual(['refunded', 'kept'])
})

test('a wrong token that is sent back while the request still waits takes nothing from it: the right one buys the month', async () => {
  const { alice, payment, due, pays, looks } = await buyer('usdc')
  await pays(due, 'other')
  await ethereum.mine(12)
  expect(await looks()).toMatchObject({ status: 'pending' })
  await settles(payment, 'refunded')
  await pays(due)
  await ethereum.mine(12)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([1, []])
})

test('money that was mined in time and is seen only after a person has decided waits for a person again', async () => {
  const { alice, payment, due, pays, looks } = await buyer('bitcoin')
  await pays(due / 2n)
  await bitcoin.mine(3)
  expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'needs_review' })
  await settles(payment, 'kept')
  expect(await looks(20 * 60)).toMatchObject({ status: 'expired' })
  await pays(due)
  await bitcoin.mine(3, new Date(Date.parse(payment.expiresAt) - 60_000))
  expect(await looks(20 * 60)).toMatchObject({ status: 'expired' })
  expect([await paidMonths(alice), await reasonsOf(payment)]).toEqual([0, [`late ${payment.amount}`]])
})

test('of two reviews of one payment the first leaves it to a person, and the plan that is given for all closes both', async () => {
  const [one, two] = [await buyer('bitcoin'), await buyer('bitcoin')]
  for (const { due, pays, looks } of [one, two]) {
    await pays(due / 2n)
    await bitcoin.mine(3)
    expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'needs_review' })
    await pays(due / 2n)
    await bitcoin.mine(3)
    await looks(20 * 60)
  }
  expect((await reviewsOf(one.payment)).map(({ reason }) => reason)).toEqual(['underpaid', 'late'])
  await settles(one.payment, 'kept', 'underpaid')
  expect(await one.looks(20 * 60)).toMatchObject({ status: 'needs_review' })
  await settles(one.payment, 'refunded', 'late')
  expect(await one.looks(20 * 60)).toMatchObject({ status: 'refunded', refundTransaction: 'ab'.repeat(32) })
  await settles(two.payment, 'credited', 'late')
  expect(await two.looks(20 * 60)).toMatchObject({ status: 'confirmed' })
  expect([await reasonsOf(one.payment), await reasonsOf(two.payment)]).toEqual([[], []])
  expect([await paidMonths(one.alice), await paidMonths(two.alice)]).toEqual([0, 1])
})

test('money that was sent back buys nothing once more: what comes after it is sent back too, or dismissed', async () => {
  const { alice, payment, due, pays, looks } = await buyer('bitcoin')
  await pays(due / 2n)
  await bitcoin.mine(3)
  expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'needs_review' })
  await settles(payment, 'refunded')
  await pays(due / 2n)
  await bitcoin.mine(3)
  expect(await looks(20 * 60)).toMatchObject({ status: 'refunded' })
  expect((await reviewsOf(payment)).map(({ reason, outcomes }) => [reason, outcomes])).toEqual([['late', ['refunded', 'kept']]])
  await expect(settles(payment, 'credited')).rejects.toMatchObject({ code: 'outcome_impossible' })
  expect(await paidMonths(alice)).toBe(0)
})

/** How often a payment is looked at in that time, by the watcher alone. */
async function looksIn({ id }: CoinPayment, minutes: number): Promise<number> {
  const count = async () => Number((await here.sql('select looks from crypto_payments where id = $1', [id]))[0]?.['looks'])
  const before = await count()
  for (let at = 0; at < minutes * 2; at++) {
    here.passes(31)
    await watchPayments(here.env)
  }
  return (await count()) - before
}
const names = (who: Person, { id, paymentAddress }: CoinPayment, transactionHash: string) =>
  who.tries(coinsApi.submitTransaction, { paymentId: id, paymentAddress, transactionHash })

test.each([
  ['bitcoin', 'bitcoin'],
  ['ethereum', 'ethereum'],
  ['ethereum', 'contract'],
  ['usdc', 'usdc'],
] as const)(
  'in %s a named transaction (%s) that pays the address is found at once, and one that pays somebody else is refused by name and changes nothing',
  async (currency, asset) => {
    const [one, two] = [await buyer(currency), await buyer(currency)]
    const { confirmations } = COINS[currency]
    expect(await one.looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'expired' })
    await two.looks()
    const before = await here.sql('select * from crypto_payments where id = $1', [two.payment.id])
    const hash = await one.pays(one.due, asset)
    await one.chain.mine(confirmations)
    expect(await names(two.alice, two.payment, hash)).toBeRefused(409, 'unrelated_transaction')
    expect(await here.sql('select * from crypto_payments where id = $1', [two.payment.id])).toEqual(before)
    await one.alice.returns()
    const found = await names(one.alice, one.payment, hash.replace('0x', '').toUpperCase())
    expect(found).toMatchObject({ status: 200, body: { status: 'needs_review' } })
    expect(await reasonsOf(one.payment)).toEqual([`late ${one.payment.amount}`])
    expect([await paidMonths(one.alice), await paidMonths(two.alice)]).toEqual([0, 0])
  },
)

test('a named transaction that no node knows is looked for every 30 seconds for 30 minutes, credits nothing, and is found when it comes', async () => {
  const { alice, payment, pays, looks } = await buyer('bitcoin')
  expect(await looks(COIN_REQUEST_SECONDS + 1)).toMatchObject({ status: 'expired' })
  expect(await looksIn(payment, 5)).toBeLessThan(2)
  await alice.returns()
  expect(await names(alice, payment, 'cd'.repeat(32))).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(await looksIn(payment, 5)).toBeGreaterThan(8)
  await pays()
  await bitcoin.mine(3)
  expect(await looks(31)).toMatchObject({ status: 'needs_review' })
  await looksIn(payment, 30)
  expect(await looksIn(payment, 5)).toBeLessThan(2)
  expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual([
    'free',
    0,
    [`late ${payment.amount}`],
  ])
  const [row] = await here.sql('select named_transaction as named from crypto_payments where id = $1', [payment.id])
  expect(row).toEqual({ named: null })
})

test('a named transaction that turns out to pay another address is looked for no longer', async () => {
  const [one, two] = [await buyer('bitcoin'), await buyer('bitcoin')]
  bitcoin.answers(false)
  const hash = await one.pays()
  // While the node is silent nobody can say whom it pays.
  expect((await names(two.alice, two.payment, hash)).status).toBe(200)
  bitcoin.answers(true)
  expect(await two.looks()).toMatchObject({ status: 'pending', transactionHash: null })
  const [row] = await here.sql('select named_transaction as named from crypto_payments where id = $1', [two.payment.id])
  expect(row).toEqual({ named: null })
})

test('of two looks that overlap at two servers the one that began earlier changes nothing, whichever ends last', async () => {
  const { alice, payment, pays } = await buyer('bitcoin')
  const second = await startWorld({ variables, at: here.databaseUrl })
  const look = (env: World['env']) =>
    findPayment(payment).then((row) => {
      if (row) return lookAt(env, row)
    })
  let goOn: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const early = new Promise<{ ended: Promise<void> }>((resolve) => {
    second.env.fault = async (point) => {
      if (point !== 'coins: seen') return
      resolve({ ended })
      await released
    }
  })
  const ended = look(second.env)
  const held = await early
  // The earlier look has seen nothing. Meanwhile the money comes, and the later one gives the month for it.
  await pays()
  await bitcoin.mine(3)
  await look(here.env)
  goOn()
  await held.ended
  const [shown] = (await alice.does(coinsApi.payments, {})).filter(({ id }) => id === payment.id)
  expect(shown).toMatchObject({ status: 'confirmed', receivedAmount: payment.amount })
  expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
})

test.each(CURRENCIES)('the plan Test is paid in %s for a dollar', async (currency) => {
  const alice = await here.person('alice', 'free')
  const wish = { packageId: 'test', currency, billingPeriod: 'monthly' } as const
  const payment = await alice.does(coinsApi.createPayment, wish)
  expect(payment).toMatchObject({ packageId: 'test', usdAmount: '1.00' })
  expect(await alice.does(coinsApi.createPayment, wish)).toEqual(payment)
  const chain = chainOf(currency)
  await chain.pay(payment.paymentAddress, unitsOf(currency, payment.amount), currency)
  await chain.mine(COINS[currency].confirmations)
  expect(await later(alice, payment)).toMatchObject({ status: 'confirmed' })
  expect([await tierOf(alice), await paidMonths(alice)]).toEqual(['test', 1])
})

test('after three days without the server nothing that was paid in time is missed', async () => {
  const { alice, pays, looks } = await buyer('usdc')
  await pays()
  await ethereum.mine(300)
  expect(await looks(3 * DAY)).toMatchObject({ status: 'confirmed' })
  expect(await paidMonths(alice)).toBe(1)
})

test('after any payments, replacements, reorganisations, silences and crashes each month is paid for once and the ledger agrees', async () => {
  // The payer of the real chain has coins for so many.
  const steps = Math.min(isReal ? 200 : 1000, Number(process.env['WALK_STEPS'] ?? 50))
  let seed = Number(process.env['WALK_SEED'] ?? 41)
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const pick = <T>(some: readonly T[]): T => some[next(some.length)] as T
  const buyers = [await buyer('bitcoin'), await buyer('ethereum'), await buyer('usdc'), await buyer('bitcoin')]
  const sent: { chain: TestChain; hash: string }[] = []
  const verbs = [
    async () => {
      const { chain, due, pays } = pick(buyers)
      sent.push({ chain, hash: await pays(pick([due, due / 2n, due - 1n, due * 2n])) })
    },
    async () => pick([bitcoin, ethereum]).mine(1 + next(5)),
    async () => pick([bitcoin, ethereum]).mine(1 + next(5)),
    async () => {
      const one = sent.length > 0 ? pick(sent) : undefined
      await one?.chain.replace(one.hash.replace('0x', ''))
    },
    async () => {
      const chain = pick([bitcoin, ethereum])
      if ((await chain.height()) > 20) await chain.reorganise(1 + next(2))
    },
    async () => pick([bitcoin, ethereum]).answers(next(3) > 0),
    async () => {
      here.env.fault = () => {
        throw new Error('crash')
      }
      here.passes(31)
      await here.jobs.runDue()
      delete here.env.fault
    },
    async () => {
      here.passes(pick([31, 61, 700]))
      await here.jobs.runDue()
    },
  ]
  for (let step = 0; step < steps; step++) {
    await pick(verbs)()
    for (const { alice, payment } of buyers) {
      const [row] = await here.sql('select confirmed_at from crypto_payments where id = $1', [payment.id])
      expect([step, await paidMonths(alice)]).toEqual([step, row?.['confirmed_at'] ? 1 : 0])
    }
    if (step % 10 === 9) expect((await checkLedger(db, clock())).differences).toEqual([])
  }
})
