import { COINS } from '../../../contract/money/coins.ts'
import { readAccountKey } from '../../settings/accountkey.ts'
import type { CoinSettings } from '../../settings/coinsettings.ts'
import { type Arrival, type Chain, type Known, NodeError } from './chain.ts'
import { hexOf, openEthereumNode, RefusedError } from './ethereumnode.ts'
import { rises } from './rises.ts'
import type { Upstream } from './upstream.ts'

const DEPTH = COINS.ethereum.confirmations
/** Pruning nodes know balances of the last 128 blocks. */
const WINDOW = 64
/** Rented nodes allow 10. The next look reads what is left. */
const LOG_BLOCKS = 2000
const LOG_REQUESTS = 10
/** A token's maker can send many, and a person looks at each. */
const OTHERS_MAX = 10
/** 32 bytes in hex, with `0x`. */
const WORD_CHARS = 66

type Settings = NonNullable<CoinSettings['ethereum']>

/** Loaded for the first payment. */
async function loadToken() {
  const { createContract, ERC20, events } = await import('micro-eth-signer/abi.js')
  const { decimals, balanceOf } = createContract(ERC20)
  const data = (call: Uint8Array) => `0x${Buffer.from(call).toString('hex')}`
  return {
    decimals: data(decimals.encodeInput()),
    balanceOf: (address: string) => data(balanceOf.encodeInput(address)),
    /** null for any sender. */
    topicsTo: (to: string) => events(ERC20).Transfer.topics({ from: null, to, value: null }),
  }
}

/**
 * Reads the coin from the balance, because a contract wallet pays without a transaction to the address. An address serves one
 * payment.
 */
export function openEthereum({ rpc, xpub, chainId, usdc }: Settings, upstream: Upstream): Chain {
  const ask = openEthereumNode(rpc, upstream)
  let opening: ReturnType<typeof loadToken> | undefined
  let isChecked = false
  let logBlocks = LOG_BLOCKS

  /** Asks before the node is believed. */
  async function open() {
    opening ??= loadToken()
    const token = await opening
    if (isChecked) return token
    if (Number(await ask('eth_chainId')) !== chainId) throw new NodeError(`The node of Ethereum is not of the chain ${chainId}`)
    const decimals = usdc && (await ask('eth_call', { to: usdc, data: token.decimals }, 'latest'))
    if (usdc && Number(decimals) !== COINS.usdc.decimals) throw new NodeError('USDC_CONTRACT is not the contract of USDC')
    isChecked = true
    return token
  }

  async function head() {
    await open()
    return Number(await ask('eth_blockNumber'))
  }

  const balanceOf = (address: string, height: number) => ask('eth_getBalance', address, hexOf(height))

  const assetOf = (contract: string) => (contract.toLowerCase() === usdc?.toLowerCase() ? 'usdc' : contract.toLowerCase())

  async function tokensBetween(
    to: string,
    { from: fromBlock, to: toBlock }: { from: number; to: number },
    othersMax: number,
  ): Promise<Arrival[]> {
    const { topicsTo } = await open()
    const topics = topicsTo(to)
    const found = await ask('eth_getLogs', { fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock), topics })
    const isTransfer = (log: (typeof found)[number]) =>
      log.topics.length === topics.length &&
      log.data.length >= WORD_CHARS &&
      topics.every((topic, at) => topic === null || topic === log.topics[at]?.toLowerCase())
    // Anybody may send nothing in anybody's name.
    const logs = found
      .filter(isTransfer)
      .map((log) => ({ ...log, units: BigInt(log.data.slice(0, WORD_CHARS)) }))
      .filter(({ units }) => units > 0n)
    const others = logs.filter(({ address }) => assetOf(address) !== 'usdc').slice(0, Math.max(0, othersMax))
    const counted = logs.filter((log) => assetOf(log.address) === 'usdc' || others.includes(log))
    const blocks = await blocksAt(counted.map(({ blockNumber }) => blockNumber))
    return counted.flatMap(({ address, transactionHash: reference, logIndex: index, blockNumber, units }) => {
      const block = blocks.get(blockNumber)
      return block ? [{ reference, index, units, asset: assetOf(address), ...block }] : []
    })
  }

  async function tokensFrom(address: string, from: number, last: number, othersMax: number) {
    for (;;) {
      const to = Math.min(last, from + logBlocks - 1)
      try {
        return { to, tokens: await tokensBetween(address, { from, to }, othersMax) }
      } catch (error) {
        const isTooLong = error instanceof RefusedError && to > from
        // A single block is refused for another reason.
        logBlocks = isTooLong ? Math.floor((to - from + 1) / 2) : LOG_BLOCKS
        if (!isTooLong) throw error
      }
    }
  }

  async function blockAt(height: number) {
    const { hash, timestamp } = await ask('eth_getBlockByNumber', hexOf(height), false)
    return { height, blockHash: hash, at: new Date(Number(timestamp) * 1000) }
  }

  const blocksAt = async (heights: number[]) =>
    new Map(await Promise.all([...new Set(heights)].map(async (each) => [each, await blockAt(each)] as const)))

  async function nameRise(address: string, { height, units }: { height: number; units: bigint }): Promise<Arrival> {
    const block = await ask('eth_getBlockByNumber', hexOf(height), true)
    const paid = block.transactions
      .filter((each) => typeof each === 'object')
      .filter(({ to, value }) => to?.toLowerCase() === address.toLowerCase() && value === units)
    return {
      reference: paid.length === 1 && paid[0] ? paid[0].hash : `${block.hash}:${address}`,
      // Logs of a transaction count from 0.
      ...{ index: -1, asset: 'ethereum', units, height, blockHash: block.hash },
      at: new Date(Number(block.timestamp) * 1000),
    }
  }

  async function coinsSince(address: string, from: number, base: bigint, newest: number) {
    const balanceAt = (height: number) => balanceOf(address, height)
    const found = await rises(balanceAt, { from, base, first: Math.max(from, newest - WINDOW), last: newest })
    return await Promise.all(found.map((rise) => nameRise(address, rise)))
  }

  /** Returns settled arrivals still in the node's chain. */
  async function standing(arrivals: readonly Arrival[]): Promise<Arrival[]> {
    const blocks = await blocksAt(arrivals.flatMap(({ height }) => (height === null ? [] : [height])))
    return arrivals.filter(({ height, blockHash }) => height !== null && blocks.get(height)?.blockHash === blockHash)
  }

  /** Returns the balance if nothing has come; the wallet may have moved what is known. */
  async function quietBalance(address: string, native: bigint, known: readonly Arrival[]): Promise<bigint | undefined> {
    const tokens = known.reduce((sum, { asset, units }) => (asset === 'usdc' ? sum + units : sum), 0n)
    const has = await holdings(address)
    const hasSent = has.sent > 0n
    const isSameCoin = has.native === native || (known.length > 0 && hasSent && has.native === 0n)
    // The same sum may have been sent away and paid again.
    const isSameToken = hasSent ? has.tokens === 0n : has.tokens === tokens
    return isSameCoin && isSameToken ? has.native : undefined
  }

  async function holdings(address: string) {
    const { balanceOf } = await open()
    return {
      native: await ask('eth_getBalance', address, 'latest'),
      sent: await ask('eth_getTransactionCount', address, 'latest'),
      tokens: usdc ? await ask('eth_call', { to: usdc, data: balanceOf(address) }, 'latest') : 0n,
    }
  }

  async function addressAt(index: number): Promise<string> {
    const { addr } = await import('micro-eth-signer')
    const { publicKey } = readAccountKey(xpub).deriveChild(0).deriveChild(index)
    if (!publicKey) throw new Error('ETHEREUM_XPUB gives no address')
    return addr.fromPublicKey(publicKey)
  }

  async function look(address: string, known: Known, given?: number) {
    const newest = given ?? (await head())
    const settled = known.arrivals.filter(({ height }) => height !== null && height <= known.scannedHeight)
    const kept = await standing(settled.filter(({ height }) => height !== null && height <= newest))
    const gone = settled.filter((each) => !kept.includes(each) && each.asset === 'ethereum')
    const lost = gone.reduce((sum, { units }) => sum + units, 0n)
    const base = known.nativeUnits > lost ? known.nativeUnits - lost : 0n
    // A lower block means that the chain became shorter.
    const from = Math.min(known.scannedHeight, newest)
    const tokens: Arrival[] = []
    let to = from
    const othersIn = (some: readonly Arrival[]) => some.filter(({ asset }) => asset !== 'usdc' && asset !== 'ethereum').length
    for (let asked = 0; asked < LOG_REQUESTS && to < newest; asked++) {
      const read = await tokensFrom(address, to + 1, newest, OTHERS_MAX - othersIn([...kept, ...tokens]))
      tokens.push(...read.tokens)
      to = read.to
    }
    const settledHeight = newest - DEPTH + 1
    const quiet = to < settledHeight ? await quietBalance(address, base, kept) : undefined
    if (quiet !== undefined)
      return { head: newest, scannedHeight: settledHeight, nativeUnits: quiet, arrivals: [...kept, ...tokens] }
    // After days without the node the logs come first: the balance tells of the whole time.
    const isBehind = to < settledHeight
    const coins = isBehind ? [] : await coinsSince(address, from, base, newest)
    const scannedHeight = Math.max(from, Math.min(to, settledHeight))
    const nativeUnits = isBehind || scannedHeight === from ? base : await balanceOf(address, scannedHeight)
    return { head: newest, scannedHeight, nativeUnits, arrivals: [...kept, ...tokens, ...coins] }
  }

  return {
    head,
    look,
    addressAt,
    async tryLook() {
      const newest = await head()
      const mine = await addressAt(0)
      await tokensFrom(mine, Math.max(0, newest - LOG_BLOCKS + 1), newest, 0)
      await balanceOf(mine, Math.max(0, newest - WINDOW))
      return newest
    },
    async pays(hash, address) {
      await open()
      const sent = await ask('eth_getTransactionByHash', hash)
      if (sent === null) return undefined
      const receipt = await ask('eth_getTransactionReceipt', hash)
      if (receipt === null) return sent.to?.toLowerCase() === address.toLowerCase() || undefined
      const height = Number(receipt.blockNumber)
      const tokens = await tokensBetween(address, { from: height, to: height }, OTHERS_MAX)
      if (tokens.some(({ reference }) => reference === hash)) return true
      return (await balanceOf(address, height)) > (await balanceOf(address, height - 1))
    },
    async isUntouched(address) {
      const { native, sent, tokens } = await holdings(address)
      return native === 0n && sent === 0n && tokens === 0n
    },
  }
}
