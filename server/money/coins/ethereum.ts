import { COINS } from '../../../contract/money/coins.ts'
import type { CoinSettings } from '../../settings/coinsettings.ts'
import { type Arrival, type Chain, type Known, NodeError } from './chain.ts'
import { openEthereumNode } from './ethereumnode.ts'
import { rises } from './rises.ts'
import type { Upstream } from './upstream.ts'

const DEPTH = COINS.ethereum.confirmations
/** Nodes that prune answer balances of the last 128 blocks. */
const WINDOW = 64
/** Blocks that one request for logs names, and requests of one look. What is left is read by the next. */
const LOG_BLOCKS = 2000
const LOG_REQUESTS = 10
/** Arrivals of other tokens that an address has at most: whoever makes a token can send as many as they like, and a person looks at each. */
const OTHERS_MAX = 10

type Settings = NonNullable<CoinSettings['ethereum']>

/** viem, loaded when the first payment needs it, with all requests by `upstream`. */
async function openClient(rpc: string, upstream: Upstream) {
  const { createPublicClient, custom, getAddress, parseAbi, parseAbiItem } = await import('viem')
  const { publicKeyToAddress } = await import('viem/accounts')
  const request = openEthereumNode(rpc, upstream)
  return {
    ...{ getAddress, publicKeyToAddress },
    client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }),
    transfer: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
    token: parseAbi(['function decimals() view returns (uint8)', 'function balanceOf(address) view returns (uint256)']),
  }
}

/**
 * Ethereum and USDC by a JSON-RPC node. Tokens come as logs. The coin itself is read from the balance of the address, block by block:
 * a contract wallet pays without a transaction to the address, and the balance shows it all the same. An address serves one payment.
 */
export function openEthereum({ rpc, xpub, chainId, usdc }: Settings, upstream: Upstream): Chain {
  let opening: ReturnType<typeof openClient> | undefined
  let isChecked = false

  async function open() {
    opening ??= openClient(rpc, upstream)
    const opened = await opening
    if (isChecked) return opened
    const { client, token } = opened
    if ((await client.getChainId()) !== chainId) throw new NodeError(`The node of Ethereum is not of the chain ${chainId}`)
    const decimals = usdc && (await client.readContract({ address: usdc, abi: token, functionName: 'decimals' }))
    if (usdc && decimals !== COINS.usdc.decimals) throw new NodeError('USDC_CONTRACT is not the contract of USDC')
    isChecked = true
    return opened
  }

  const head = async () => Number(await (await open()).client.getBlockNumber())

  const assetOf = (contract: string) => (contract.toLowerCase() === usdc?.toLowerCase() ? 'usdc' : contract.toLowerCase())

  /** Tokens that came from one block to another: USDC, and of other contracts the first ones. */
  async function tokensBetween(
    to: `0x${string}`,
    { from: fromBlock, to: toBlock }: { from: number; to: number },
    othersMax: number,
  ): Promise<Arrival[]> {
    const { client, transfer } = await open()
    const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) }
    const found = await client.getLogs({ event: transfer, args: { to }, strict: true, ...range })
    // Anybody may send nothing in anybody's name.
    const logs = found.filter(({ args }) => args.value > 0n)
    const others = logs.filter(({ address }) => assetOf(address) !== 'usdc').slice(0, Math.max(0, othersMax))
    const counted = logs.filter((log) => assetOf(log.address) === 'usdc' || others.includes(log))
    const blocks = await blocksAt(counted.map(({ blockNumber }) => Number(blockNumber)))
    return counted.flatMap(({ address, transactionHash: reference, logIndex: index, blockNumber, args }) => {
      const block = blocks.get(Number(blockNumber))
      return block ? [{ reference, index, units: args.value, asset: assetOf(address), ...block }] : []
    })
  }

  async function blockAt(height: number) {
    const { client } = await open()
    const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(height) })
    return { height, blockHash: hash as string, at: new Date(Number(timestamp) * 1000) }
  }

  /** Reads each of these blocks once. */
  const blocksAt = async (heights: number[]) =>
    new Map(await Promise.all([...new Set(heights)].map(async (each) => [each, await blockAt(each)] as const)))

  /** Names a rise by the transaction that made it, where one transaction to the address explains it. */
  async function nameRise(address: `0x${string}`, { height, units }: { height: number; units: bigint }): Promise<Arrival> {
    const { client } = await open()
    const block = await client.getBlock({ blockNumber: BigInt(height), includeTransactions: true })
    const paid = block.transactions.filter(({ to, value }) => to?.toLowerCase() === address.toLowerCase() && value === units)
    return {
      reference: paid.length === 1 && paid[0] ? paid[0].hash : `${block.hash}:${address}`,
      // Logs of the same transaction count from 0.
      ...{ index: -1, asset: 'ethereum', units, height, blockHash: block.hash },
      at: new Date(Number(block.timestamp) * 1000),
    }
  }

  async function coinsSince(address: `0x${string}`, from: number, base: bigint, newest: number) {
    const { client } = await open()
    const balanceAt = (height: number) => client.getBalance({ address, blockNumber: BigInt(height) })
    const found = await rises(balanceAt, { from, base, first: Math.max(from, newest - WINDOW), last: newest })
    return await Promise.all(found.map((rise) => nameRise(address, rise)))
  }

  /** Of what is settled, what still lies in the chain that the node has now. */
  async function standing(arrivals: readonly Arrival[]): Promise<Arrival[]> {
    const blocks = await blocksAt(arrivals.flatMap(({ height }) => (height === null ? [] : [height])))
    return arrivals.filter(({ height, blockHash }) => height !== null && blocks.get(height)?.blockHash === blockHash)
  }

  async function look(typed: string, known: Known) {
    const { getAddress, client } = await open()
    const address = getAddress(typed)
    const newest = await head()
    const settled = known.arrivals.filter(({ height }) => height !== null && height <= known.scannedHeight)
    const kept = await standing(settled.filter(({ height }) => height !== null && height <= newest))
    const gone = settled.filter((each) => !kept.includes(each) && each.asset === 'ethereum')
    const lost = gone.reduce((sum, { units }) => sum + units, 0n)
    const base = known.nativeUnits > lost ? known.nativeUnits - lost : 0n
    // Below what was read before only if the chain itself became shorter.
    const from = Math.min(known.scannedHeight, newest)
    const to = Math.min(newest, from + LOG_BLOCKS * LOG_REQUESTS)
    const tokens: Arrival[] = []
    const othersIn = (some: readonly Arrival[]) => some.filter(({ asset }) => asset !== 'usdc' && asset !== 'ethereum').length
    for (let at = from + 1; at <= to; at += LOG_BLOCKS) {
      const range = { from: at, to: Math.min(to, at + LOG_BLOCKS - 1) }
      tokens.push(...(await tokensBetween(address, range, OTHERS_MAX - othersIn([...kept, ...tokens]))))
    }
    const settledHeight = newest - DEPTH + 1
    // After days without the node the logs come first: the balance tells of the whole time at once.
    const isBehind = to < settledHeight
    const coins = isBehind ? [] : await coinsSince(address, from, base, newest)
    const scannedHeight = Math.max(from, Math.min(to, settledHeight))
    const nativeUnits =
      isBehind || scannedHeight === from ? base : await client.getBalance({ address, blockNumber: BigInt(scannedHeight) })
    return { head: newest, scannedHeight, nativeUnits, arrivals: [...kept, ...tokens, ...coins] }
  }

  return {
    head,
    look,
    async addressAt(index) {
      const { HDKey } = await import('@scure/bip32')
      const { secp256k1 } = await import('@noble/curves/secp256k1.js')
      const { publicKeyToAddress } = await openClient(rpc, upstream)
      const { publicKey } = HDKey.fromExtendedKey(xpub).deriveChild(0).deriveChild(index)
      if (!publicKey) throw new Error('ETHEREUM_XPUB gives no address')
      const whole = secp256k1.Point.fromBytes(publicKey).toBytes(false)
      return publicKeyToAddress(`0x${Buffer.from(whole).toString('hex')}`)
    },
    async pays(hash, typed) {
      const { client, getAddress } = await open()
      const address = getAddress(typed)
      const params: [`0x${string}`] = [hash as `0x${string}`]
      const sent = await client.request({ method: 'eth_getTransactionByHash', params })
      if (sent === null) return undefined
      const receipt = await client.request({ method: 'eth_getTransactionReceipt', params })
      if (receipt === null) return sent.to?.toLowerCase() === address.toLowerCase() || undefined
      const height = Number(receipt.blockNumber)
      const tokens = await tokensBetween(address, { from: height, to: height }, OTHERS_MAX)
      if (tokens.some(({ reference }) => reference === hash)) return true
      // A contract wallet pays without a transaction to the address: the balance shows it.
      const balanceAt = (at: number) => client.getBalance({ address, blockNumber: BigInt(at) })
      return (await balanceAt(height)) > (await balanceAt(height - 1))
    },
    async isUntouched(typed) {
      const { client, getAddress, token } = await open()
      const address = getAddress(typed)
      if ((await client.getBalance({ address })) > 0n || (await client.getTransactionCount({ address })) > 0) return false
      if (!usdc) return true
      return (await client.readContract({ address: usdc, abi: token, functionName: 'balanceOf', args: [address] })) === 0n
    },
  }
}
