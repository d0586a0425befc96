import { z } from 'zod'
import { NodeError } from './chain.ts'
import type { Upstream } from './upstream.ts'

const quantity = z.string().regex(/^0x[0-9a-f]{1,64}$/i)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/i)
const address = z.string().regex(/^0x[0-9a-f]{40}$/i)
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i)

/** What is read of the answers to the methods that are called: the rest of them reaches nobody. */
const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  eth_chainId: quantity,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  // The functions that are called answer one number.
  eth_call: hash,
  eth_getLogs: z.array(
    z.object({
      ...{ address, data: bytes, topics: z.array(hash).max(4) },
      ...{ blockNumber: quantity, transactionHash: hash, logIndex: quantity },
    }),
  ),
  eth_getBlockByNumber: z.object({
    ...{ hash, timestamp: quantity },
    transactions: z.array(z.union([hash, z.object({ hash, to: address.nullish(), value: quantity })])),
  }),
  eth_getTransactionByHash: z.object({ to: address.nullable() }).nullable(),
  eth_getTransactionReceipt: z.object({ blockNumber: quantity }).nullable(),
}

/** Calls a node of Ethereum by JSON-RPC. Throws NodeError, and ZodError for an answer that is none to the method. */
export function openEthereumNode(rpc: string, upstream: Upstream) {
  let lastId = 0
  return async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const shape = ANSWERS[method]
    if (!shape) throw new Error(`Nothing is known of the answers to ${method}`)
    lastId += 1
    const answer = await upstream.post(rpc, { jsonrpc: '2.0', id: lastId, method, params: params ?? [] })
    if (typeof answer === 'object' && answer !== null && 'result' in answer) return shape.parse(answer.result)
    throw new NodeError(`The node of Ethereum refused ${method}`)
  }
}
