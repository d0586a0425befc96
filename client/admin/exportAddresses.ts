import { type CoinAddress, coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import { COINS } from '../../contract/money/coins.ts'
import type { Env } from '../env.ts'
import { wholeCoins } from './coinwords.ts'
import { exportPages } from './exportPages.ts'

const HEAD = ['index', 'address', 'coin', 'received', 'something else', 'status', 'at']

export interface ShownAddresses {
  only?: 'received'
}

/** Names the place at which the next page begins. */
export const placeAfter = (last: CoinAddress | undefined) => (last ? { beforeMs: Date.parse(last.at), beforeId: last.id } : {})

/** Returns the addresses as pieces of one CSV. Says how many it has so far. Throws ApiError. */
export const exportAddresses = (
  env: Pick<Env, 'api'>,
  shown: ShownAddresses,
  onCount: (count: number) => void,
): Promise<string[]> =>
  exportPages(HEAD, onCount, async (last: CoinAddress | undefined) => {
    const { addresses, hasMore } = await env.api(coinAddressesApi.export, { ...shown, ...placeAfter(last) })
    return { rows: addresses.map(rowOf), last: addresses.at(-1), hasMore }
  })

const rowOf = ({ addressIndex, address, currency, receivedUnits, hasOther, status, at }: CoinAddress) => [
  ...[addressIndex, address, COINS[currency].symbol, wholeCoins(currency, receivedUnits)],
  ...[hasOther ? 'yes' : 'no', status, at],
]
