import { expect, test } from 'vitest'
import { makeOutbound } from '../../ground/outbound/outbound.ts'
import { accountKeys, startEthereum } from '../../testing/chain.ts'
import { serveHere } from '../../testing/madechain.ts'
import { openBitcoin } from './bitcoin.ts'
import { type Chain, type Known, NodeError, namingFailures } from './chain.ts'
import { openEthereum } from './ethereum.ts'
import { makeUpstream } from './upstream.ts'

const keys = accountKeys(21)
const xpub = keys.ethereum
const ethereum = await startEthereum(() => new Date(), xpub)
const upstream = makeUpstream(makeOutbound({ isGuarded: false }))
const NOTHING: Known = { scannedHeight: 0, nativeUnits: 0n, arrivals: [] }

/** A node in front of the chain, which answers one method as it likes. */
let lie: { method: string; result: unknown } | undefined
/** How many blocks the node reads at once, and what it answers beyond. */
let limit: { blocks: number; status: number } | undefined
const ranges: number[] = []
const rpc = await serveHere(async (_request, body) => {
  const { id, method, params } = JSON.parse(body)
  if (method === 'eth_getLogs') {
    const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1
    ranges.push(blocks)
    if (limit && blocks > limit.blocks)
      return { status: limit.status, json: { jsonrpc: '2.0', id, error: { code: -32600, message: 'up to 10 blocks' } } }
  }
  if (lie && lie.method === method) return { jsonrpc: '2.0', id, result: lie.result }
  return await (await fetch(ethereum.variables['ETHEREUM_RPC_URL'] ?? '', { method: 'POST', body })).json()
})
const usdc = ethereum.variables['USDC_CONTRACT'] ?? ''
const openedEthereum = () => namingFailures(openEthereum({ rpc, xpub, chainId: 31_337, usdc }, upstream))

/** All that is asked of a chain. Returns what failed. */
async function failuresOf(chain: Chain, address: string, transaction: string): Promise<unknown[]> {
  const asked = [
    chain.head(),
    chain.tryLook(),
    chain.isUntouched(address),
    chain.pays(transaction, address),
    chain.look(address, NOTHING),
  ]
  return (await Promise.allSettled(asked)).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
}

const WRONG = [null, {}, [{}], '0x', '0xzz', 7, `0x${'f'.repeat(65)}`]

test.each([
  ...['eth_chainId', 'eth_blockNumber', 'eth_getBalance', 'eth_getTransactionCount', 'eth_call', 'eth_getLogs'],
  ...['eth_getBlockByNumber', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'],
])('whatever a node of Ethereum answers to %s, it is the node that has failed', async (method) => {
  const address = await openedEthereum().addressAt(1)
  const transaction = await ethereum.pay(address, 5n, 'usdc')
  await ethereum.mine()
  for (const result of WRONG) {
    lie = { method, result }
    const failures = await failuresOf(openedEthereum(), address, transaction)
    for (const failure of failures) expect(failure, `${method} ${JSON.stringify(result)}`).toBeInstanceOf(NodeError)
    if (result !== null) expect(failures, JSON.stringify(result)).not.toEqual([])
  }
  lie = undefined
  expect(await failuresOf(openedEthereum(), address, transaction)).toEqual([])
})

test.each(['esplora', 'bitcoind'] as const)('whatever %s answers, it is the node that has failed', async (kind) => {
  const xpub = keys.bitcoin
  for (const said of ['', '<html>', 'null', '{}', '[]', '7', '{"result":{}}', '[{"txid":1}]', '{"result":null,"error":{}}']) {
    const url = await serveHere(() => said)
    const chain = namingFailures(openBitcoin({ node: { kind, url }, xpub, network: 'regtest' }, upstream))
    const failures = await failuresOf(chain, await chain.addressAt(1), 'ab'.repeat(32))
    expect(failures, said).not.toEqual([])
    for (const failure of failures) expect(failure, said).toBeInstanceOf(NodeError)
  }
})

test('a mistake of the server’s own is taken for no silent node: it is not passed over', async () => {
  const mistaken = () => Promise.reject(new TypeError('ours'))
  const asks = { head: mistaken, addressAt: mistaken, tryLook: mistaken, isUntouched: mistaken, pays: mistaken, look: mistaken }
  const chain = namingFailures(asks)
  expect((await failuresOf(chain, 'anywhere', 'anything')).map((failure) => failure instanceof TypeError)).toEqual(
    Array(5).fill(true),
  )
  const wrapped = namingFailures({ ...chain, head: () => Promise.reject(new Error('said', { cause: new NodeError('503') })) })
  await expect(wrapped.head()).rejects.toBeInstanceOf(NodeError)
})

test('who floods an address with tokens of their own, or with nothing, hides no money there and fills no list', async () => {
  const chain = openedEthereum()
  const address = await chain.addressAt(2)
  const from = await ethereum.height()
  await ethereum.pay(address, Array(200).fill(1n), 'other')
  await ethereum.mine()
  await ethereum.pay(address, [0n, 900n, 0n], 'usdc')
  await ethereum.pay(address, Array(200).fill(1n), 'other')
  await ethereum.mine(30)
  const first = await chain.look(address, { ...NOTHING, scannedHeight: from })
  await ethereum.pay(address, Array(200).fill(1n), 'other')
  await ethereum.mine()
  for (const { arrivals } of [first, await chain.look(address, first)]) {
    expect(arrivals.filter(({ asset }) => asset === 'usdc').map(({ units }) => units)).toEqual([900n])
    expect(arrivals.filter(({ asset }) => asset !== 'usdc')).toHaveLength(10)
  }
})

test('of the logs that a node answers only transfers of a token to the address count, whatever else it sends along', async () => {
  const chain = openedEthereum()
  const address = await chain.addressAt(3)
  const from = await ethereum.height()
  await ethereum.pay(address, 900n, 'usdc')
  await ethereum.mine(30)
  const filter = { fromBlock: `0x${(from + 1).toString(16)}`, toBlock: 'latest', topics: [null, null, wordOf(address)] }
  const [log] = await logs(filter)
  const [event = '', payer = ''] = log.topics
  const also = (index: number, more: object) => ({ ...log, logIndex: `0x${index.toString(16)}`, ...more })
  const foreign = [
    also(1000, { topics: [event, payer, wordOf(`0x${'ee'.repeat(20)}`)] }),
    // A token that is one of its kind: it is named by a fourth topic, and has no data.
    also(1001, { topics: [...log.topics, log.data], data: '0x' }),
    also(1002, { topics: [`0x${'dd'.repeat(32)}`, payer, wordOf(address)] }),
    also(1003, { data: '0x01' }),
  ]
  lie = { method: 'eth_getLogs', result: [...foreign, log] }
  const { arrivals } = await chain.look(address, { ...NOTHING, scannedHeight: from })
  lie = undefined
  expect(arrivals.map(({ asset, units }) => [asset, units])).toEqual([['usdc', 900n]])
})

/** Looks until all is read. Returns how often it looked, and what it saw. */
async function looksOn(chain: Chain, address: string, known: Known) {
  for (let looks = 1; ; looks++) {
    const seen = await chain.look(address, known)
    if (seen.scannedHeight >= seen.head - 11 || looks === 100) return { looks, seen }
    known = seen
  }
}

test.each([200, 400, 413])(
  'a node that reads ten blocks at once, and says so with status %s, is asked for fewer, and nothing is missed',
  async (status) => {
    const chain = openedEthereum()
    const [mine, other] = [await chain.addressAt(status), await chain.addressAt(status + 1)]
    const from = await ethereum.height()
    await ethereum.pay(mine, 700n, 'usdc')
    await ethereum.mine(450)
    limit = { blocks: 10, status }
    try {
      expect(await chain.tryLook()).toBe(from + 450)
      const known = { ...NOTHING, scannedHeight: from }
      const { looks, seen } = await looksOn(chain, mine, known)
      expect(seen.arrivals.map(({ asset, units }) => [asset, units])).toEqual([['usdc', 700n]])
      expect(looks).toBeGreaterThan(1)
      // Nothing has come there, which the balances say at once.
      expect(await looksOn(chain, other, known)).toMatchObject({ looks: 1, seen: { arrivals: [] } })
      ranges.length = 0
      await chain.look(other, known)
      expect(Math.max(...ranges)).toBeLessThanOrEqual(10)
    } finally {
      limit = undefined
    }
  },
)

test('a node that reads no logs is named with its reason before an address is given out', async () => {
  limit = { blocks: 0, status: 200 }
  const told: string[] = []
  const chain = namingFailures(openEthereum({ rpc, xpub, chainId: 31_337, usdc }, upstream), (why) => told.push(why))
  for (let tries = 0; tries < 2; tries++) await expect(chain.tryLook()).rejects.toBeInstanceOf(NodeError)
  expect(told).toEqual(['The node of Ethereum refused eth_getLogs: up to 10 blocks'])
  limit = undefined
  expect(await chain.tryLook()).toBe(await ethereum.height())
})

test('money at an address that was looked at long ago is found, however few blocks the node reads at once', async () => {
  const chain = openedEthereum()
  const address = await chain.addressAt(77)
  const from = await ethereum.height()
  await ethereum.pay(address, 900n, 'usdc')
  await ethereum.mine(30)
  const first = await chain.look(address, { ...NOTHING, scannedHeight: from })
  await ethereum.mine(200)
  await ethereum.pay(address, 5n, 'ethereum')
  await ethereum.mine(200)
  limit = { blocks: 10, status: 200 }
  const { seen } = await looksOn(chain, address, first)
  expect(seen.arrivals.map(({ asset, units }) => [asset, units])).toEqual([
    ['usdc', 900n],
    ['ethereum', 5n],
  ])
  limit = undefined
})

test('an address that the wallet has emptied is not read for all of the time since', async () => {
  const chain = openedEthereum()
  const address = await chain.addressAt(78)
  const from = await ethereum.height()
  await ethereum.pay(address, 900n, 'ethereum')
  await ethereum.mine(30)
  const first = await chain.look(address, { ...NOTHING, scannedHeight: from })
  await ethereum.pay(address, -900n, 'contract')
  await ethereum.mine(300)
  limit = { blocks: 10, status: 200 }
  // Nothing was sent from there, so where is it?
  expect((await looksOn(chain, address, first)).looks).toBeGreaterThan(1)
  lie = { method: 'eth_getTransactionCount', result: '0x1' }
  const moved = await looksOn(chain, address, first)
  expect(moved).toMatchObject({ looks: 1, seen: { arrivals: [{ units: 900n }], nativeUnits: 0n } })
  // Less than before is paid there again.
  await ethereum.pay(address, 500n, 'ethereum')
  await ethereum.mine(300)
  expect((await looksOn(chain, address, moved.seen)).seen.arrivals.map(({ units }) => units)).toEqual([900n, 500n])
  limit = lie = undefined
})

const wordOf = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

async function logs(filter: object) {
  const body = JSON.stringify({ id: 1, method: 'eth_getLogs', params: [filter] })
  const answer = await fetch(rpc, { method: 'POST', body })
  return (await answer.json()).result
}
