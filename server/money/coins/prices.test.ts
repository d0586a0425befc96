import { expect, test } from 'vitest'
import { makeOutbound } from '../../ground/outbound/outbound.ts'
import { startPriceSources } from '../../testing/chain.ts'
import { amountOf, enoughOf, rateOf, unitsFor } from './amounts.ts'
import { makePriceBoard } from './prices.ts'
import { makeUpstream } from './upstream.ts'

const MINUTE = 60_000
const DOLLARS = { bitcoin: 64_000, ethereum: 3_200, usdc: 1 }

async function board() {
  let nowMs = Date.parse('2027-01-01')
  const clock = () => new Date(nowMs)
  const { said, asked, variables } = await startPriceSources()
  const settings = { coingecko: variables.COINGECKO_URL, kraken: variables.KRAKEN_URL }
  const upstream = makeUpstream(makeOutbound({ isGuarded: false, limitMs: 500 }), clock)
  const prices = makePriceBoard(settings, upstream, clock)
  const passes = (ms: number) => {
    nowMs += ms
  }
  return { said, asked, prices, passes }
}

test('fifty callers at once cause one request to each source, and no more within the minute', async () => {
  const { asked, prices, passes } = await board()
  await Promise.all(Array.from({ length: 50 }, () => prices.shown()))
  await prices.shown()
  expect(asked).toEqual({ coingecko: 1, kraken: 1 })
  passes(MINUTE)
  await Promise.all(Array.from({ length: 50 }, () => prices.shown()))
  expect(asked).toEqual({ coingecko: 2, kraken: 2 })
})

test('two sources that agree give their mean, and one alone what it says if that fits', async () => {
  const { said, prices, passes } = await board()
  said.kraken = { ...DOLLARS, bitcoin: 64_640 }
  expect((await prices.shown()).rates.bitcoin).toBe(rateOf(64_320))
  said.kraken = 429
  passes(MINUTE)
  expect(await prices.shown()).toMatchObject({ rates: { bitcoin: rateOf(64_000) }, isStale: false })
  said.coingecko = { ...DOLLARS, bitcoin: 6.4 }
  passes(MINUTE)
  expect(await prices.shown()).toMatchObject({ rates: { bitcoin: rateOf(64_000) }, isStale: true })
})

test.each([[429], [503], [200]])(
  'sources that answer %s leave the last price, marked, for an hour, and nothing is asked for at an old one',
  async (status) => {
    const { said, prices, passes } = await board()
    await prices.shown()
    said.coingecko = said.kraken = status
    passes(2 * MINUTE)
    expect(await prices.shown()).toMatchObject({ rates: { ethereum: rateOf(3_200) }, isStale: true })
    expect(await prices.quoted('ethereum')).toBe(rateOf(3_200))
    passes(15 * MINUTE)
    expect((await prices.shown()).isStale).toBe(true)
    await expect(prices.quoted('ethereum')).rejects.toMatchObject({ code: 'prices_unavailable', status: 503 })
    passes(60 * MINUTE)
    await expect(prices.shown()).rejects.toMatchObject({ code: 'prices_unavailable' })
    said.coingecko = said.kraken = DOLLARS
    passes(MINUTE)
    expect((await prices.shown()).isStale).toBe(false)
  },
)

test('one source alone is not believed before two have agreed', async () => {
  const { said, prices, passes } = await board()
  said.kraken = 503
  await expect(prices.shown()).rejects.toMatchObject({ code: 'prices_unavailable' })
  said.kraken = DOLLARS
  passes(MINUTE)
  expect((await prices.shown()).isStale).toBe(false)
})

test('sources that differ are believed neither of them', async () => {
  const { said, prices } = await board()
  said.kraken = { ...DOLLARS, ethereum: 3_000 }
  await expect(prices.shown()).rejects.toMatchObject({ code: 'prices_unavailable' })
})

test('the token of a dollar costs a dollar, and is not taken while it is traded far from one', async () => {
  const { said, prices, passes } = await board()
  said.coingecko = said.kraken = { ...DOLLARS, usdc: 0.9991 }
  expect(await prices.quoted('usdc')).toBe(rateOf(1))
  said.coingecko = said.kraken = { ...DOLLARS, usdc: 0.93 }
  passes(MINUTE)
  await expect(prices.quoted('usdc')).rejects.toMatchObject({ code: 'prices_unavailable' })
})

test('without a source nobody is asked', async () => {
  const prices = makePriceBoard(undefined, makeUpstream(makeOutbound({ isGuarded: true })), () => new Date())
  await expect(prices.shown()).rejects.toMatchObject({ code: 'prices_unavailable' })
})

test('an amount is rounded up to the digits that are shown, so that no cent is missing', () => {
  const asked = (currency: 'bitcoin' | 'ethereum' | 'usdc', cents: number, usd: number) =>
    amountOf(currency, unitsFor(currency, cents, rateOf(usd) ?? 1n))
  expect(asked('bitcoin', 100_000, 64_000)).toBe('0.01562500')
  expect(asked('bitcoin', 999, 45_000)).toBe('0.00022200')
  expect(asked('bitcoin', 100, 30_000)).toBe('0.00003334')
  expect(asked('ethereum', 100, 3_333)).toBe('0.000301')
  expect(asked('usdc', 100_001, 1)).toBe('1000.01')
  expect(amountOf('ethereum', 1n)).toBe('0.000000000000000001')
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12]) expect(rateOf(wrong)).toBeUndefined()
})

test('half a percent may be missing, and never more than five dollars of it', () => {
  expect(enoughOf(1_000_000n, 100_000)).toBe(995_000n)
  expect(enoughOf(1_000_000n, 10_000)).toBe(995_000n)
  expect(enoughOf(8_000_000n, 800_000)).toBe(7_995_000n)
  expect([enoughOf(100n, 1), enoughOf(1n, 0)]).toEqual([100n, 1n])
})

test('nobody is asked for less than a wallet sends', () => {
  expect(unitsFor('bitcoin', 1, rateOf(64_000) ?? 0n)).toBe(546n)
  expect(unitsFor('usdc', 1, rateOf(1) ?? 0n)).toBe(10_000n)
})
