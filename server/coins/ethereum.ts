import { COINS } from '../../contract/coins.ts'
import type { CoinSettings } from '../coinsettings.ts'
import type { Arrival, Chain, Known } from './chain.ts'
import { rises } from './rises.ts'
import type { Upstream } from './upstream.ts'

const DEPTH = COINS.ethereum.confirmations
/** Nodes that prune answer balances of the last 128 blocks. */
const WINDOW = 64
/** Blocks that one request for logs names, and requests of one look. What is left is read by the next. */
const LOG_BLOCKS = 2000
const LOG_REQUESTS = 10

type Settings = NonNullable<CoinSettings['ethereum']>

/** viem, loaded when the first payment needs it, with all requests by `upstream`. */
async function openClient(rpc: string, upstream: Upstream) {
  const { createPublicClient, custom, getAddress, parseAbi, parseAbiItem } = await import('viem')
  const { publicKeyToAddress } = await import('viem/accounts')
  let lastId = 0
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    lastId += 1
    const answer = await upstream.post(rpc, { jsonrpc: '2.0', id: lastId, method, params: params ?? [] })
    if (typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result
    throw new Error(`The node of Ethereum refused ${method}`)
  }
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
    if ((await client.getChainId()) !== chainId) throw new Error(`The node of Ethereum is not of the chain ${chainId}`)
    const decimals = usdc && (await client.readContract({ address: usdc, abi: token, functionName: 'decimals' }))
    if (usdc && decimals !== COINS.usdc.decimals) throw new Error('USDC_CONTRACT is not the contract of USDC')
    isChecked = true
    return opened
  }

  const head = async () => Number(await (await open()).client.getBlockNumber())

  /** Tokens that came from block `from` to block `to`, of any contract. */
  async function tokensBetween(to: `0x${string}`, fromBlock: number, toBlock: number): Promise<Arrival[]> {
    const { client, transfer } = await open()
    const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) }
    const logs = await client.getLogs({ event: transfer, args: { to }, strict: true, ...range })
    return await Promise.all(
      logs.map(async ({ address, transactionHash, logIndex, blockNumber, args }) => ({
        ...{ reference: transactionHash, index: logIndex, units: args.value },
        asset: address.toLowerCase() === usdc?.toLowerCase() ? 'usdc' : address.toLowerCase(),
        ...(await blockAt(Number(blockNumber))),
      })),
    )
  }

  async function blockAt(height: number) {
    const { client } = await open()
    const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(height) })
    return { height, blockHash: hash as string, at: new Date(Number(timestamp) * 1000) }
  }

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
    const heights = [...new Set(arrivals.flatMap(({ height }) => (height === null ? [] : [height])))]
    const hashes = new Map(await Promise.all(heights.map(async (each) => [each, (await blockAt(each)).blockHash] as const)))
    return arrivals.filter(({ height, blockHash }) => height !== null && hashes.get(height) === blockHash)
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
    for (let at = from + 1; at <= to; at += LOG_BLOCKS)
      tokens.push(...(await tokensBetween(address, at, Math.min(to, at + LOG_BLOCKS - 1))))
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
      const tokens = await tokensBetween(address, height, height)
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
