import { HDKey } from '@scure/bip32'
import { afterEach, describe, expect, test } from 'vitest'
import { accountApi } from '../../contract/account.ts'
import { COIN_REQUEST_SECONDS, COINS, type CoinPayment, type Currency, coinsApi } from '../../contract/coins.ts'
import { checkLedger } from '../ledger/audit.ts'
import { startBitcoin, startEthereum, startPriceSources, type TestChain } from '../testing/chain.ts'
import type { Person } from '../testing/person.ts'
import { installChains, startRealBitcoin, startRealEthereum } from '../testing/realchains.ts'
import { startWorld, type World } from '../testing/world.ts'
import { openReviews, resolveReview } from './reviews.ts'

const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const DAY = 24 * 60 * 60
const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))
const xpubOf = (path: string) => master.derive(path).publicExtendedKey

// The chains are made before the world whose clock they follow.
let world: World | undefined
const clock = () => world?.env.clock() ?? new Date()
// `npm run test:walks` plays all of it at real chains, which take a minute: bcoin of regtest, and anvil.
const isReal = process.env['WALK_STEPS'] !== undefined && installChains()
const bitcoin = await (isReal ? startRealBitcoin : startBitcoin)(clock, xpubOf("m/84'/0'/0'"))
const ethereum = await (isReal ? startRealEthereum : startEthereum)(clock, xpubOf("m/44'/60'/0'"))
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
const tierOf = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const reviewsOf = async ({ id }: CoinPayment) => (await openReviews(db)).filter(({ paymentId }) => paymentId === id)
const reasonsOf = async (payment: CoinPayment) =>
  (await reviewsOf(payment)).map(({ reason, assetAmount }) => `${reason} ${assetAmount}`).sort()
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

  test('one unit too little buys nothing and is not lost: a person sees it after the time, and can give the month for it once', async () => {
    const { alice, payment, due, chain, pays, looks } = await buyer(currency)
    await pays(due - 1n)
    await chain.mine(confirmations)
    expect(await looks()).toMatchObject({ status: 'pending' })
    expect(await reasonsOf(payment)).toEqual([])
    expect(await looks(COIN_REQUEST_SECONDS)).toMatchObject({ status: 'needs_review' })
    const [review, ...more] = await reviewsOf(payment)
    expect([review?.reason, more]).toEqual(['underpaid', []])
    expect(await tierOf(alice)).toBe('free')
    const given = { reviewId: review?.id ?? '', outcome: 'credited', by: 'operator' } as const
    await resolveReview(db, clock(), given)
    await expect(resolveReview(db, clock(), given)).rejects.toThrow('closed before')
    expect(await looks(DAY)).toMatchObject({ status: 'confirmed' })
    expect([await tierOf(alice), await paidMonths(alice), await reasonsOf(payment)]).toEqual(['premium', 1, []])
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
    const [review] = await reviewsOf(payment)
    await resolveReview(db, clock(), { reviewId: review?.id ?? '', outcome: 'refunded', by: 'operator' })
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

test('two outputs of one Bitcoin transaction count both', async () => {
  const { alice, due, pays, looks } = await buyer('bitcoin')
  await pays([due / 4n, due - due / 4n])
  await bitcoin.mine(3)
  expect(await looks()).toMatchObject({ status: 'confirmed' })
  expect(await paidMonths(alice)).toBe(1)
})

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
  await pays(due, asset)
  await ethereum.mine(12)
  expect(await looks()).toMatchObject({ status: 'pending', receivedAmount: expect.stringMatching(/^0\.0+$/) })
  expect(await looks(COIN_REQUEST_SECONDS)).toMatchObject({ status: 'expired' })
  const [review] = await reviewsOf(payment)
  expect(review).toMatchObject({ reason: 'wrong_token', asset: asset === 'other' ? `0x${'0e'.repeat(20)}` : asset })
  expect(await paidMonths(alice)).toBe(0)
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
    expect((await checkLedger(db, clock())).differences).toEqual([])
  }
})
