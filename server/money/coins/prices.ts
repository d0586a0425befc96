import { z } from 'zod'
import { type Currency, currencyShape } from '../../../contract/money/coins.ts'
import { Refusal } from '../../refuse.ts'
import type { CoinSettings } from '../../settings/coinsettings.ts'
import { rateOf } from './amounts.ts'
import type { Upstream } from './upstream.ts'

export type Rates = Record<Currency, bigint>

export interface Prices {
  /** 10^-8 dollars for a coin. */
  rates: Rates
  at: Date
  /** The sources are silent or differ. */
  isStale: boolean
}

/** Shorter after a failure. */
const FRESH_MS = 60_000
const RETRY_MS = 15_000
/** Older prices are hidden. Money is asked for within a quarter of this time. */
const KEPT_MS = 60 * 60_000
const QUOTED_MS = KEPT_MS / 4
/** Agreeing sources differ by 2 %. A price alone may differ by 20 % from the last agreed one. */
const AGREED_PERCENT = 2n
const ALONE_PERCENT = 20n
/** A dollar token may be off by this. */
const PEG_PERCENT = 2n
const DOLLAR = 100_000_000n

export interface PriceBoard {
  /** Throws Refusal `prices_unavailable`. */
  shown(): Promise<Prices>
  /** Throws Refusal `prices_unavailable`, also for a late price. */
  quoted(currency: Currency): Promise<bigint>
}

/** One request a minute serves everybody. */
export function makePriceBoard(settings: CoinSettings['prices'], upstream: Upstream, clock: () => Date): PriceBoard {
  let last: Omit<Prices, 'isStale'> | undefined
  let underWay: Promise<void> | undefined
  let isFailing = false
  let askedMs = Number.NEGATIVE_INFINITY

  async function ask({ coingecko, kraken }: NonNullable<typeof settings>): Promise<void> {
    const answers = await Promise.allSettled([askCoingecko(coingecko, upstream), askKraken(kraken, upstream)])
    const now = clock()
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const rates = agreed(found, last && now.getTime() - last.at.getTime() < KEPT_MS ? last.rates : undefined)
    isFailing = rates === undefined
    if (rates) last = { rates, at: now }
  }

  async function shown(): Promise<Prices> {
    if (!settings) throw new Refusal('prices_unavailable')
    const nowMs = clock().getTime()
    const waitMs = isFailing ? RETRY_MS : FRESH_MS
    if (!underWay && Math.abs(nowMs - askedMs) >= waitMs) {
      askedMs = nowMs
      underWay = ask(settings).finally(() => {
        underWay = undefined
      })
    }
    await underWay
    if (!last || clock().getTime() - last.at.getTime() > KEPT_MS) throw new Refusal('prices_unavailable')
    return { ...last, isStale: isFailing }
  }

  return {
    shown,
    async quoted(currency) {
      const { rates, at } = await shown()
      if (clock().getTime() - at.getTime() > QUOTED_MS) throw new Refusal('prices_unavailable')
      // A sound token counts as a dollar.
      if (currency === 'usdc' && isWithin(rates.usdc, DOLLAR, PEG_PERCENT)) return DOLLAR
      if (currency === 'usdc') throw new Refusal('prices_unavailable')
      return rates[currency]
    },
  }
}

/** Returns the mean of two agreeing sources, or one that fits the last price; else undefined. */
function agreed([one, other]: Rates[], before: Rates | undefined): Rates | undefined {
  if (!one) return undefined
  const fits = (a: Rates, b: Rates, percent: bigint) => currencyShape.options.every((each) => isWithin(a[each], b[each], percent))
  if (!other) return before && fits(one, before, ALONE_PERCENT) ? one : undefined
  if (!fits(one, other, AGREED_PERCENT)) return undefined
  const mean = (currency: Currency) => (one[currency] + other[currency]) / 2n
  return { bitcoin: mean('bitcoin'), ethereum: mean('ethereum'), usdc: mean('usdc') }
}

const isWithin = (a: bigint, b: bigint, percent: bigint): boolean => (a > b ? a - b : b - a) * 100n <= b * percent

const dollars = z.object({ usd: z.number() })
const coingeckoShape = z.object({ bitcoin: dollars, ethereum: dollars, 'usd-coin': dollars })

async function askCoingecko(address: string, upstream: Upstream): Promise<Rates> {
  const text = await upstream.get(`${address}/api/v3/simple/price?ids=bitcoin,ethereum,usd-coin&vs_currencies=usd&precision=full`)
  const { bitcoin, ethereum, 'usd-coin': usdc } = coingeckoShape.parse(JSON.parse(text ?? ''))
  return ratesOf({ bitcoin: bitcoin.usd, ethereum: ethereum.usd, usdc: usdc.usd })
}

/** The last trade, as text. */
const pair = z.object({ c: z.tuple([z.coerce.number()], z.unknown()) })
const krakenShape = z.object({ result: z.object({ XXBTZUSD: pair, XETHZUSD: pair, USDCUSD: pair }) })

async function askKraken(address: string, upstream: Upstream): Promise<Rates> {
  const text = await upstream.get(`${address}/0/public/Ticker?pair=XBTUSD,ETHUSD,USDCUSD`)
  const { XXBTZUSD, XETHZUSD, USDCUSD } = krakenShape.parse(JSON.parse(text ?? '')).result
  return ratesOf({ bitcoin: XXBTZUSD.c[0], ethereum: XETHZUSD.c[0], usdc: USDCUSD.c[0] })
}

function ratesOf(usd: Record<Currency, number>): Rates {
  const [bitcoin, ethereum, usdc] = [rateOf(usd.bitcoin), rateOf(usd.ethereum), rateOf(usd.usdc)]
  if (!bitcoin || !ethereum || !usdc) throw new Error('A price that is none')
  return { bitcoin, ethereum, usdc }
}
