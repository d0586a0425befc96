import { checkAccountKey } from './accountkey.ts'
import { ConfigError, read, readChoice, readUrl, type Variables } from './variables.ts'

export const BITCOIN_NETWORKS = ['mainnet', 'testnet', 'signet', 'regtest'] as const
export type BitcoinNetwork = (typeof BITCOIN_NETWORKS)[number]

/** Holds no private key. */
export interface CoinSettings {
  /** `esplora` is an HTTP API, `bitcoind` JSON-RPC with a wallet. */
  bitcoin: { node: { kind: 'esplora' | 'bitcoind'; url: string }; xpub: string; network: BitcoinNetwork } | undefined
  /** `usdc` is the token's contract. */
  ethereum: { rpc: string; xpub: string; chainId: number; usdc: string | undefined } | undefined
  prices: { coingecko: string; kraken: string } | undefined
}

const MAINNET_USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

/** Throws ConfigError. */
export function readCoins(variables: Variables, isHidden: boolean): CoinSettings {
  const kind = read(variables, 'BITCOIN_RPC_URL') === undefined ? 'esplora' : 'bitcoind'
  if (kind === 'bitcoind' && read(variables, 'BITCOIN_ESPLORA_URL') !== undefined)
    throw new ConfigError('BITCOIN_RPC_URL', 'absent where BITCOIN_ESPLORA_URL is set: one node is asked', 'set')
  const network = readChoice(variables, 'BITCOIN_NETWORK', BITCOIN_NETWORKS, 'mainnet')
  const letters = network === 'mainnet' ? 'xz' : 'tv'
  const bitcoin = readPair(variables, kind === 'bitcoind' ? 'BITCOIN_RPC_URL' : 'BITCOIN_ESPLORA_URL', 'BITCOIN_XPUB', letters)
  // The same on every chain.
  const ethereum = readPair(variables, 'ETHEREUM_RPC_URL', 'ETHEREUM_XPUB', 'x')
  if (bitcoin && bitcoin.publicKey === ethereum?.publicKey)
    throw new ConfigError('ETHEREUM_XPUB', 'the key of another account than BITCOIN_XPUB', 'the same')
  const chainId = readChainId(variables)
  const isTaken = bitcoin !== undefined || ethereum !== undefined
  // The request would show where a hidden server stands.
  const prices = readChoice(variables, 'COIN_PRICES', ['on', 'off'], isTaken && !isHidden ? 'on' : 'off')
  return {
    bitcoin: bitcoin && {
      node: { kind, url: bitcoin.url },
      xpub: bitcoin.xpub,
      network,
    },
    ethereum: ethereum && { rpc: ethereum.url, xpub: ethereum.xpub, chainId, usdc: readContract(variables, chainId) },
    prices:
      prices === 'on'
        ? {
            coingecko: readAddress(variables, 'COINGECKO_URL') ?? 'https://api.coingecko.com',
            kraken: readAddress(variables, 'KRAKEN_URL') ?? 'https://api.kraken.com',
          }
        : undefined,
  }
}

// Addresses of rented nodes hold a key.
const readAddress = (variables: Variables, name: string): string | undefined =>
  readUrl(variables, name, ['http:', 'https:'], 'an address such as https://node.example.org', false)?.href.replace(/\/$/, '')

interface Pair {
  url: string
  xpub: string
  /** In hex. */
  publicKey: string
}

/** Both are set or neither. */
function readPair(variables: Variables, urlName: string, xpubName: string, letters: string): Pair | undefined {
  const [url, xpub] = [readAddress(variables, urlName), read(variables, xpubName)]
  if (url === undefined && xpub === undefined) return undefined
  if (url === undefined) throw new ConfigError(urlName, `set together with ${xpubName}`, '')
  if (xpub === undefined) throw new ConfigError(xpubName, `set together with ${urlName}`, '')
  const { publicKey } = checkAccountKey(xpubName, xpub, letters)
  return { url, xpub, publicKey: Buffer.from(publicKey ?? []).toString('hex') }
}

function readChainId(variables: Variables): number {
  const text = read(variables, 'ETHEREUM_CHAIN_ID') ?? '1'
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new ConfigError('ETHEREUM_CHAIN_ID', 'a number such as 1', text)
  return Number(text)
}

/** Outside the main chain the setting names the contract. */
function readContract(variables: Variables, chainId: number): string | undefined {
  const text = read(variables, 'USDC_CONTRACT') ?? (chainId === 1 ? MAINNET_USDC : undefined)
  if (text === undefined) return undefined
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new ConfigError('USDC_CONTRACT', 'the address of a contract, 0x and 40 digits', text)
  return text
}
