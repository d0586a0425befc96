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
const rpc = await serveHere(async (_request, body) => {
  const { id, method } = JSON.parse(body)
  if (lie && lie.method === method) return { jsonrpc: '2.0', id, result: lie.result }
  return await (await fetch(ethereum.variables['ETHEREUM_RPC_URL'] ?? '', { method: 'POST', body })).json()
})
const usdc = ethereum.variables['USDC_CONTRACT'] ?? ''
const openedEthereum = () => namingFailures(openEthereum({ rpc, xpub, chainId: 31_337, usdc }, upstream))

/** All that is asked of a chain. Returns what failed. */
async function failuresOf(chain: Chain, address: string, transaction: string): Promise<unknown[]> {
  const asked = [chain.head(), chain.isUntouched(address), chain.pays(transaction, address), chain.look(address, NOTHING)]
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
  const asks = { head: mistaken, addressAt: mistaken, isUntouched: mistaken, pays: mistaken, look: mistaken }
  const chain = namingFailures(asks)
  expect((await failuresOf(chain, 'anywhere', 'anything')).map((failure) => failure instanceof TypeError)).toEqual(
    Array(4).fill(true),
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

const wordOf = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

async function logs(filter: object) {
  const body = JSON.stringify({ id: 1, method: 'eth_getLogs', params: [filter] })
  const answer = await fetch(rpc, { method: 'POST', body })
  return (await answer.json()).result
}
