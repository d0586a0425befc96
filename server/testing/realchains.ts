import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { HDKey } from '@scure/bip32'
import { NETWORK, p2wpkh, Transaction } from '@scure/btc-signer'
import { afterAll } from 'vitest'
import { installPackages } from './install.ts'
import { type Asset, serveHere, type TestChain } from './madechain.ts'

const here = path.join(import.meta.dirname, 'chains')
const folder = path.resolve(import.meta.dirname, '../../node_modules/.chains')

/** Installs the chains. Returns false, and says so in one line, where that is not possible. */
export const installChains = (): boolean => installPackages('chains', 'the real chains', 600) !== undefined

/** Starts a program that ends with this process, and returns the first line that it writes. */
async function run(command: string, words: string[]): Promise<string> {
  const child: ChildProcess = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  afterAll(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  return await new Promise((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)))
  })
}

/** Passes requests on to a node, until the test lets it be silent. */
async function standBefore(url: string) {
  let isUp = true
  const front = await serveHere(async ({ url: asked = '', method = 'GET' }, body) => {
    if (!isUp) return new Error('503')
    const answer = await fetch(url + asked, {
      method,
      ...(method === 'POST' && { body, headers: { 'content-type': 'application/json' } }),
    })
    return answer.status === 200 ? await answer.text() : answer.status === 404 ? undefined : new Error(String(answer.status))
  })
  const answers = (next: boolean) => {
    isUp = next
  }
  return { front, answers }
}

/** Bitcoin of regtest by bcoin. */
export async function startRealBitcoin(clock: () => Date, xpub: string): Promise<TestChain> {
  const url = await run(process.execPath, [path.join(here, 'bitcoin.cjs'), folder])
  const { front, answers } = await standBefore(url)
  const network = { ...NETWORK, bech32: 'bcrt' }
  const payer = HDKey.fromMasterSeed(randomBytes(32))
  const wallet = p2wpkh(payer.publicKey as Uint8Array, network)
  const own = wallet.address ?? ''
  const control = async (...words: (string | number)[]) => {
    const answer = await fetch(`${url}/control/${words.join('/')}`)
    if (answer.status !== 200) throw new Error(await answer.text())
    return await answer.json()
  }
  const mine = async (blocks = 1, at = clock()) => void (await control('mine', own, blocks, Math.floor(at.getTime() / 1000)))
  const height = async () => Number(await (await fetch(`${url}/blocks/tip/height`)).text())
  // The new kind of addresses works from block 432 on, and what is mined can be spent after 100 more.
  await mine(600)
  const tip = await height()
  type Coin = { txid: string; index: number; value: number; height: number }
  const coins: Coin[] = (await control('coins', own)).filter((each: Coin) => tip - each.height > 150)
  const sent = new Map<string, string>()
  return {
    ...{ mine, height, answers },
    variables: { BITCOIN_ESPLORA_URL: front, BITCOIN_XPUB: xpub, BITCOIN_NETWORK: 'regtest' },
    async pay(address, units) {
      const coin = coins.pop()
      if (!coin || !wallet.script) throw new Error('The payer has no coins left')
      const outputs = [units].flat()
      const transaction = new Transaction()
      const amount = BigInt(coin.value)
      transaction.addInput({ txid: coin.txid, index: coin.index, witnessUtxo: { script: wallet.script, amount } })
      for (const each of outputs) transaction.addOutputAddress(address, each, network)
      // A node relays nothing below a satoshi a byte.
      const fee = 5000n + 50n * BigInt(outputs.length)
      transaction.addOutputAddress(own, amount - outputs.reduce((sum, each) => sum + each, 0n) - fee, network)
      transaction.sign(payer.privateKey as Uint8Array)
      transaction.finalize()
      sent.set(transaction.id, transaction.hex)
      await control('send', transaction.hex)
      return transaction.id
    },
    replace: async (transaction) => void (await control('drop', transaction)),
    reorganise: async (depth) => void (await control('reorganise', depth)),
    resend: async (transaction) => void (await control('send', sent.get(transaction) ?? '')),
  }
}

/** A token without any rule: decimals() is 6, transfer() adds to the receiver and writes the log, balanceOf() reads it. */
const TOKEN = [
  '0x60003560e01c8063313ce56714602857806370a08231146033578063a9059cbb14604057600080fd',
  '5b600660005260206000f3',
  '5b6004355460005260206000f3',
  '5b6024358060043554016004355560005260043533',
  '7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3',
  '600160005260206000f3',
].join('')
/** A wallet that passes on what it is sent to the address in the call. */
const FORWARD = '0x6000600060006000346000355af100'

const hex = (value: bigint | number) => `0x${value.toString(16)}`
const word = (value: string) => value.replace('0x', '').padStart(64, '0')
const USDC = `0x${'c0'.repeat(20)}`
const OTHER = `0x${'0e'.repeat(20)}`
const CONTRACT = `0x${'ee'.repeat(20)}`

/** Ethereum by anvil, with two tokens and a contract wallet. */
export async function startRealEthereum(clock: () => Date, xpub: string): Promise<TestChain> {
  const port = await freePort()
  const binary = path.join(
    folder,
    `node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`,
  )
  const words = [
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--no-mining',
    '--chain-id',
    '31337',
    '--gas-price',
    '0',
    '--base-fee',
    '0',
  ]
  await run(binary, words)
  const url = `http://127.0.0.1:${port}`
  const { front, answers } = await standBefore(url)
  const rpc = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    for (let tries = 0; ; tries++) {
      const answer = await fetch(url, post).catch(() => undefined)
      const said = answer && ((await answer.json()) as { result?: unknown; error?: { message: string } })
      if (said && !said.error) return said.result as string
      if (said?.error) throw new Error(`${method}: ${said.error.message}`)
      if (tries > 100) throw new Error('anvil does not answer')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const height = async () => Number(await rpc('eth_blockNumber'))
  let lastSeconds = 0
  const mine = async (blocks = 1) => {
    const latest = (await rpc('eth_getBlockByNumber', 'latest', false)) as unknown as { timestamp: string }
    lastSeconds = Math.max(Number(latest.timestamp) + 1, Math.floor(clock().getTime() / 1000), lastSeconds)
    await rpc('evm_setNextBlockTimestamp', lastSeconds)
    await rpc('anvil_mine', hex(blocks), '0x1')
  }
  for (const [address, code] of [
    [USDC, TOKEN],
    [OTHER, TOKEN],
    [CONTRACT, FORWARD],
  ])
    await rpc('anvil_setCode', address, code)
  await rpc('anvil_autoImpersonateAccount', true)
  await mine(30)
  const sent = new Map<string, Record<string, string>>()
  const send = async (call: Record<string, string>) => {
    const hash = await rpc('eth_sendTransaction', call)
    sent.set(hash, call)
    return hash
  }
  return {
    ...{ mine, height, answers },
    variables: { ETHEREUM_RPC_URL: front, ETHEREUM_XPUB: xpub, ETHEREUM_CHAIN_ID: '31337', USDC_CONTRACT: USDC },
    async pay(address, units, asset: Asset = 'ethereum') {
      const [value = 0n] = [units].flat()
      // Money that its owner moves on.
      if (value < 0n)
        return await send({
          from: address,
          to: CONTRACT,
          value: hex(-value),
          gas: hex(100_000),
          gasPrice: '0x0',
          data: word(OTHER),
        })
      const from = `0x${randomBytes(20).toString('hex')}`
      await rpc('anvil_setBalance', from, hex(10n ** 24n))
      const call = { from, gas: hex(200_000), gasPrice: '0x0' }
      if (asset === 'ethereum') return await send({ ...call, to: address, value: hex(value) })
      if (asset === 'contract') return await send({ ...call, to: CONTRACT, value: hex(value), data: `0x${word(address)}` })
      const data = `0xa9059cbb${word(address)}${word(hex(value))}`
      return await send({ ...call, to: asset === 'usdc' ? USDC : OTHER, data })
    },
    replace: async (transaction) => void (await rpc('anvil_dropTransaction', `0x${transaction}`).catch(() => undefined)),
    reorganise: async (depth) => void (await rpc('anvil_reorg', depth, [])),
    async resend(transaction) {
      const call = sent.get(transaction)
      // What the payer had was set in a block that may be gone.
      await rpc('anvil_setBalance', call?.['from'], hex(10n ** 24n))
      await rpc('eth_sendTransaction', call)
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
