import { z } from 'zod'
import { type BitcoinNode, type Transaction, transactionShape } from './bitcoinnode.ts'
import { NodeError } from './chain.ts'
import type { Upstream } from './upstream.ts'

/** "Invalid address or key": the transaction is unknown. */
const UNKNOWN = -5

const answered = z.object({ result: z.unknown(), error: z.object({ code: z.number(), message: z.string() }).nullish() })
const outputs = z.array(z.object({ value: z.number(), scriptPubKey: z.object({ address: z.string().optional() }) }))
const sent = z.object({
  txid: z.string(),
  /** Negative if another transaction of the same money is in a block. */
  confirmations: z.number().int().default(0),
  blockhash: z.string().optional(),
  blocktime: z.number().int().optional(),
})
const walletSent = sent.extend({ blockheight: z.number().int().optional(), decoded: z.object({ vout: outputs }) })
const rawSent = sent.extend({ vout: outputs })

/**
 * Bitcoin Core 22 or later, or Knots, without an index: a wallet without private keys watches each address. The URL names the
 * wallet.
 */
export function openBitcoind(url: string, upstream: Upstream): BitcoinNode {
  let lastId = 0

  async function call<Shape extends z.ZodType>(shape: Shape, method: string, params: unknown[], knowsAll = true) {
    lastId += 1
    const answer = answered.parse(await upstream.post(url, { jsonrpc: '1.0', id: lastId, method, params }, [200, 500]))
    if (!answer.error) return shape.parse(answer.result) as z.output<Shape>
    if (!knowsAll && answer.error.code === UNKNOWN) return undefined
    throw new NodeError(`The node of Bitcoin refused ${method} with ${answer.error.code}`)
  }
  async function ask<Shape extends z.ZodType>(shape: Shape, method: string, ...params: unknown[]): Promise<z.output<Shape>> {
    const found = await call(shape, method, params)
    if (found === undefined) throw new NodeError(`The node of Bitcoin did not answer ${method}`)
    return found
  }

  const isWaiting = async (txid: string) => (await call(z.object({}), 'getmempoolentry', [txid], false)) !== undefined

  /** Returns undefined for a transaction that was replaced or left the pool. */
  async function written(found: z.infer<typeof sent>, vout: z.infer<typeof outputs>, height?: number) {
    const { txid, confirmations, blockhash, blocktime } = found
    if (confirmations < 0 || (confirmations === 0 && !(await isWaiting(txid)))) return undefined
    return transactionShape.parse({
      txid,
      vout: vout.map(({ value, scriptPubKey }) => ({
        // Whole satoshis are exact in a double.
        value: Math.round(value * 1e8),
        scriptpubkey_address: scriptPubKey.address,
      })),
      status:
        confirmations === 0
          ? { confirmed: false }
          : { confirmed: true, block_height: height, block_hash: blockhash, block_time: blocktime },
    })
  }

  async function ofWallet(txid: string): Promise<Transaction | undefined> {
    const found = await call(walletSent, 'gettransaction', [txid, true, true], false)
    return found && (await written(found, found.decoded.vout, found.blockheight))
  }

  return {
    genesis: () => ask(z.string(), 'getblockhash', 0),
    height: () => ask(z.number().int(), 'getblockcount'),
    async watch(address) {
      const { descriptor } = await ask(z.object({ descriptor: z.string() }), 'getdescriptorinfo', `addr(${address})`)
      const [imported] = await ask(z.array(z.object({ success: z.boolean() })), 'importdescriptors', [
        { desc: descriptor, timestamp: 'now' },
      ])
      if (!imported?.success) throw new NodeError('The wallet of Bitcoin does not watch a new address')
    },
    async transactionsOf(address) {
      const known = z.object({ ismine: z.boolean(), iswatchonly: z.boolean().default(false) })
      const { ismine, iswatchonly } = await ask(known, 'getaddressinfo', address)
      if (!ismine && !iswatchonly) throw new NodeError('The wallet of Bitcoin does not watch an address that was given out')
      const received = z.array(z.object({ txids: z.array(z.string()) }))
      const rows = await ask(received, 'listreceivedbyaddress', 0, true, true, address)
      const found = await Promise.all(rows.flatMap(({ txids }) => txids.map(ofWallet)))
      return found.filter((each) => each !== undefined)
    },
    async transaction(txid) {
      const own = await ofWallet(txid)
      if (own) return own
      // The node knows other waiting transactions, and with -txindex those in blocks.
      const raw = await call(rawSent, 'getrawtransaction', [txid, true], false)
      if (!raw) return undefined
      const block = raw.blockhash && (await ask(z.object({ height: z.number() }), 'getblockheader', raw.blockhash))
      return await written(raw, raw.vout, block ? block.height : undefined)
    },
  }
}
