import type { Currency } from '../../../contract/money/coins.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { type Chain, NodeError } from './chain.ts'
import { chainNameOf } from './openCoins.ts'
import * as store from './store.ts'
import * as wallets from './store-wallets.ts'

/** A restored database gives used addresses. */
const ADDRESS_TRIES = 20

interface Place {
  address: string
  index: number
  /** The block before its money. */
  height: number
  /** The account’s own request that nobody paid. */
  again?: store.Payment
}

/** Returns an unused address: one that the same account left unpaid in this currency, or the next one. Throws Refusal. */
export async function addressFor({ db }: Env, chain: Chain, currency: Currency, userId: string): Promise<Place> {
  try {
    const height = await chain.tryLook()
    for (const left of await wallets.listLeft(db, userId, currency, ADDRESS_TRIES)) {
      const { addressIndex: index, paymentAddress: address } = left
      // It may be of the wallet of before.
      const isOurs = index !== null && (await chain.addressAt(index)) === address
      if (isOurs && (await chain.isUntouched(address))) return { address, index, height, again: left }
    }
    for (let tries = 0; tries < ADDRESS_TRIES; tries++) {
      const index = await store.takeIndex(db, chainNameOf(currency))
      const address = await chain.addressAt(index)
      if (await chain.isUntouched(address)) return { address, index, height }
    }
  } catch (error) {
    // Money is asked for only if the chain can be read.
    if (!(error instanceof NodeError)) throw error
  }
  throw new Refusal('currency_unavailable')
}

export interface Gap {
  chain: wallets.Wallet
  /** Counts the longest row. */
  unpaid: number
}

/** For administrators. */
export const { readAddresses } = wallets

export const readGaps = ({ db, coins }: Pick<Env, 'db' | 'coins'>) =>
  Promise.all(
    [...new Set(coins.currencies.map(chainNameOf))].map(async (chain) => ({ chain, ...(await wallets.readGap(db, chain)) })),
  )

export const watchGaps =
  (keep: (gaps: Gap[]) => void) =>
  async (env: Env): Promise<boolean> => {
    const gaps = await readGaps(env)
    keep(gaps.map(({ chain, sinceLastPaid, longestUnpaid }) => ({ chain, unpaid: Math.max(sinceLastPaid, longestUnpaid) })))
    return false
  }
