import { type Currency, currencyShape } from '../../../contract/money/coins.ts'
import { makeOutbound } from '../../ground/outbound/outbound.ts'
import type { CoinSettings } from '../../settings/coinsettings.ts'
import { amountOf } from './amounts.ts'
import { openBitcoin } from './bitcoin.ts'
import { type Chain, namingFailures } from './chain.ts'
import { openEthereum } from './ethereum.ts'
import { makePriceBoard, type PriceBoard } from './prices.ts'
import { makeUpstream } from './upstream.ts'

/** Nodes may wait for their disks. */
const LIMIT_MS = 15_000

const CHAINS = ['bitcoin', 'ethereum'] as const
export type ChainName = (typeof CHAINS)[number]
export const chainNameOf = (currency: Currency): ChainName => (currency === 'bitcoin' ? 'bitcoin' : 'ethereum')

export interface Coins {
  currencies: readonly Currency[]
  /** undefined without a node. */
  chainOf(currency: Currency): Chain | undefined
  /** Shown to the operator. */
  firstAddresses(): Promise<{ chain: ChainName; address: string }[]>
  prices: PriceBoard
  /** BIP-21 for Bitcoin, EIP-681 otherwise. */
  paymentUri(currency: Currency, address: string, units: bigint): string
}

/** Asks nothing before the first payment. */
export function openCoins(settings: CoinSettings, clock: () => Date, tell?: (chain: ChainName, why: string) => void): Coins {
  const { bitcoin, ethereum } = settings
  // The operator's nodes may stand on this machine.
  const upstream = makeUpstream(makeOutbound({ isGuarded: false, limitMs: LIMIT_MS }), clock)
  const chains: Partial<Record<ChainName, Chain>> = {
    ...(bitcoin && { bitcoin: namingFailures(openBitcoin(bitcoin, upstream), (why) => tell?.('bitcoin', why)) }),
    ...(ethereum && { ethereum: namingFailures(openEthereum(ethereum, upstream), (why) => tell?.('ethereum', why)) }),
  }
  const isTaken = (currency: Currency) => chains[chainNameOf(currency)] && (currency !== 'usdc' || ethereum?.usdc)
  return {
    currencies: currencyShape.options.filter(isTaken),
    chainOf: (currency) => (isTaken(currency) ? chains[chainNameOf(currency)] : undefined),
    firstAddresses: () =>
      Promise.all(CHAINS.flatMap((chain) => chains[chain]?.addressAt(0).then((address) => ({ chain, address })) ?? [])),
    prices: makePriceBoard(settings.prices, upstream, clock),
    paymentUri(currency, address, units) {
      if (currency === 'bitcoin') return `bitcoin:${address}?amount=${amountOf(currency, units)}`
      if (currency === 'ethereum') return `ethereum:${address}@${ethereum?.chainId}?value=${units}`
      return `ethereum:${ethereum?.usdc}@${ethereum?.chainId}/transfer?address=${address}&uint256=${units}`
    },
  }
}
