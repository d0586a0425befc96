import { HDKey } from '@scure/bip32'
import { startBitcoind } from './bitcoind.ts'
import { type Asset, hashOf, makeLedger, serveHere, type TestChain, type Transfer } from './madechain.ts'

/** Extended public keys as wallets show them, of a wallet for tests and of Ethereum. `seed` is a byte. */
export function accountKeys(seed: number) {
  const bytes = new Uint8Array(32).fill(seed)
  const testnets = { public: 0x043587cf, private: 0x04358394 }
  return {
    bitcoin: HDKey.fromMasterSeed(bytes, testnets).derive("m/84'/0'/0'").publicExtendedKey,
    ethereum: HDKey.fromMasterSeed(bytes).derive("m/44'/60'/0'").publicExtendedKey,
  }
}

/** The same chain by two kinds of nodes. */
export interface BitcoinTestChain extends TestChain {
  bitcoindVariables: Record<string, string>
  /** The wallet of bitcoind forgets what it watches. */
  losesWallet(): void
}

export const REGTEST = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'

/** Bitcoin as Esplora shows it, and as bitcoind does. */
export async function startBitcoin(clock: () => Date, xpub: string): Promise<BitcoinTestChain> {
  const { chain, blocks, state, waiting, all } = makeLedger(clock, REGTEST)
  const shown = ({ transaction, address, units }: Transfer, height?: number) => ({
    txid: transaction,
    vout: [...units.map((value) => ({ value: Number(value), scriptpubkey_address: address })), { value: 7, scriptpubkey: '6a' }],
    status:
      height === undefined
        ? { confirmed: false }
        : { confirmed: true, block_height: height, block_hash: blocks[height]?.hash, block_time: blocks[height]?.seconds },
  })
  const url = await serveHere(({ url: path = '' }) => {
    if (!state.isUp) return new Error('503')
    if (path === '/blocks/tip/height') return String(blocks.length - 1)
    const [, height] = path.match(/^\/block-height\/(\d+)$/) ?? []
    if (height) return blocks[Number(height)]?.hash
    const [, txid] = path.match(/^\/tx\/(\w+)$/) ?? []
    if (txid) {
      const height = blocks.findIndex(({ transfers }) => transfers.some(({ transaction }) => transaction === txid))
      const found = [...waiting(), ...(blocks[height]?.transfers ?? [])].find(({ transaction }) => transaction === txid)
      return found && shown(found, height < 0 ? undefined : height)
    }
    const [, address] = path.match(/^\/address\/(\w+)\/txs$/) ?? []
    if (!address) return undefined
    const mined = blocks.flatMap(({ transfers }, at) =>
      transfers.filter((each) => each.address === address).map((each) => shown(each, at)),
    )
    return [
      ...waiting()
        .filter((each) => each.address === address)
        .map((each) => shown(each)),
      ...mined.reverse(),
    ]
  })
  const rpc = await startBitcoind({ blocks, state, waiting, all })
  const variables = { BITCOIN_ESPLORA_URL: url, BITCOIN_XPUB: xpub, BITCOIN_NETWORK: 'regtest' }
  const bitcoindVariables = { BITCOIN_RPC_URL: rpc.url, BITCOIN_XPUB: xpub, BITCOIN_NETWORK: 'regtest' }
  return {
    ...chain,
    variables,
    bitcoindVariables,
    losesWallet: rpc.losesWallet,
    pay: (address, units) => chain.pay(address, units, 'bitcoin'),
  }
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const USDC = `0x${'c0'.repeat(20)}`
const OTHER = `0x${'0e'.repeat(20)}`
const PAYER = `0x${'aa'.repeat(20)}`
const hex = (value: bigint | number) => `0x${value.toString(16)}`
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The fields of what requests name. */
interface Asked {
  fromBlock: string
  toBlock: string
  topics: string[]
  data: string
}

/** Ethereum as its JSON-RPC shows it: balances at each block, blocks, and logs. */
export async function startEthereum(clock: () => Date, xpub: string): Promise<TestChain> {
  const { chain, blocks, state, waiting } = makeLedger(clock, hashOf('ethereum'))
  const numberOf = (tag: string) => (tag === 'latest' ? blocks.length - 1 : Number(tag))
  const sumOf = (address: string, height: number, assets: Asset[]) =>
    blocks
      .slice(0, height + 1)
      .flatMap(({ transfers }) => transfers.filter((each) => isSame(each.address, address) && assets.includes(each.asset)))
      .reduce((sum, { units }) => sum + units.reduce((a, b) => a + b, 0n), 0n)
  const blockAt = (height: number, isFull: boolean) => {
    const block = blocks[height]
    if (!block) return null
    const { hash, seconds, transfers } = block
    const transactions = transfers.map(({ transaction, address, units, asset }, at) => ({
      ...{ hash: `0x${transaction}`, from: PAYER, blockHash: `0x${hash}`, blockNumber: hex(height), transactionIndex: hex(at) },
      ...{
        to: asset === 'ethereum' ? address : asset === 'usdc' ? USDC : OTHER,
        value: hex(asset === 'ethereum' ? (units[0] ?? 0n) : 0),
      },
      ...{ type: '0x0', nonce: '0x0', gas: '0x5208', gasPrice: '0x1', input: '0x', v: '0x1b', r: '0x1', s: '0x1' },
    }))
    return {
      ...{
        hash: `0x${hash}`,
        number: hex(height),
        timestamp: hex(seconds),
        parentHash: `0x${blocks[height - 1]?.hash ?? '00'.repeat(32)}`,
      },
      ...{ gasLimit: '0x1', gasUsed: '0x0', size: '0x1', difficulty: '0x0', totalDifficulty: '0x0', uncles: [] },
      transactions: isFull ? transactions : transactions.map(({ hash: id }) => id),
    }
  }
  const logsOf = (from: number, to: number, topic: string) =>
    blocks.flatMap(({ hash, transfers }, height) =>
      height < from || height > to
        ? []
        : transfers.flatMap(({ transaction, address, units, asset }, at) =>
            (asset !== 'usdc' && asset !== 'other') || !isSame(topic, `0x${address.slice(2).padStart(64, '0')}`)
              ? []
              : units.map((value, index) => ({
                  ...{ address: asset === 'usdc' ? USDC : OTHER, data: `0x${word(value)}`, removed: false },
                  topics: [TRANSFER, `0x${PAYER.slice(2).padStart(64, '0')}`, topic],
                  ...{ blockHash: `0x${hash}`, blockNumber: hex(height), transactionHash: `0x${transaction}` },
                  ...{ transactionIndex: hex(at), logIndex: hex(at * 10 + index) },
                })),
          ),
    )
  const heightOf = (hash: string) =>
    blocks.findIndex(({ transfers }) => transfers.some((each) => hash === `0x${each.transaction}`))
  const sentBy = (hash: string) => {
    const sent = waiting().find(({ transaction }) => hash === `0x${transaction}`)
    const mined = blockAt(heightOf(hash), true)?.transactions.find((each) => typeof each !== 'string' && each.hash === hash)
    return mined ?? (sent ? { hash, to: sent.asset === 'ethereum' ? sent.address : OTHER } : null)
  }
  const results: Record<string, (first: string & Asked, second: unknown) => unknown> = {
    eth_chainId: () => hex(31_337),
    eth_blockNumber: () => hex(blocks.length - 1),
    eth_getTransactionCount: () => '0x0',
    eth_getBalance: (address, tag) => hex(sumOf(address, numberOf(String(tag)), ['ethereum', 'contract'])),
    eth_getTransactionByHash: (hash) => sentBy(hash),
    eth_getTransactionReceipt: (hash) => (heightOf(hash) < 0 ? null : { status: '0x1', blockNumber: hex(heightOf(hash)) }),
    eth_getBlockByNumber: (tag, isFull) => blockAt(numberOf(tag), isFull === true),
    eth_getLogs: ({ fromBlock, toBlock, topics }) => logsOf(numberOf(fromBlock), numberOf(toBlock), topics[2] ?? ''),
    eth_call: ({ data }) =>
      `0x${word(data.startsWith('0x313ce567') ? 6 : sumOf(`0x${data.slice(-40)}`, blocks.length - 1, ['usdc']))}`,
  }
  const url = await serveHere((_request, body) => {
    if (!state.isUp) return new Error('503')
    const { id, method, params } = JSON.parse(body)
    const result = results[method]?.(params[0], params[1])
    return result === undefined
      ? { jsonrpc: '2.0', id, error: { code: -32601, message: method } }
      : { jsonrpc: '2.0', id, result }
  })
  const variables = { ETHEREUM_RPC_URL: url, ETHEREUM_XPUB: xpub, ETHEREUM_CHAIN_ID: '31337', USDC_CONTRACT: USDC }
  return {
    ...{ ...chain, variables },
    pay: async (address, units, asset = 'ethereum') => `0x${await chain.pay(address, units, asset)}`,
    resend: (transaction) => chain.resend(transaction.slice(2)),
  }
}

/** Two sources of prices, which answer what a test has set: a price for each, or a status. */
export async function startPriceSources() {
  const said: Record<'coingecko' | 'kraken', { bitcoin: number; ethereum: number; usdc: number } | number> = {
    coingecko: { bitcoin: 64_000, ethereum: 3_200, usdc: 1 },
    kraken: { bitcoin: 64_000, ethereum: 3_200, usdc: 1 },
  }
  const asked = { coingecko: 0, kraken: 0 }
  const coingecko = await serveHere(() => {
    asked.coingecko += 1
    const now = said.coingecko
    if (typeof now === 'number') return now === 200 ? '<html>' : new Error(String(now))
    return { bitcoin: { usd: now.bitcoin }, ethereum: { usd: now.ethereum }, 'usd-coin': { usd: now.usdc } }
  })
  const kraken = await serveHere(() => {
    asked.kraken += 1
    const now = said.kraken
    if (typeof now === 'number') return now === 200 ? '<html>' : new Error(String(now))
    const pair = (usd: number) => ({ c: [usd.toFixed(5), '0.1'] })
    return { error: [], result: { XXBTZUSD: pair(now.bitcoin), XETHZUSD: pair(now.ethereum), USDCUSD: pair(now.usdc) } }
  })
  return { said, asked, variables: { COINGECKO_URL: coingecko, KRAKEN_URL: kraken } }
}
