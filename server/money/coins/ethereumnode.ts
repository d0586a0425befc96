import { z } from 'zod'
import { NodeError } from './chain.ts'
import type { Upstream } from './upstream.ts'

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/i)
const address = z.string().regex(/^0x[0-9a-f]{40}$/i)
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i)

const ANSWERS = {
  eth_chainId: quantity,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_call: hash.transform(BigInt),
  eth_getLogs: z.array(
    z.object({
      ...{ address, data: bytes, topics: z.array(hash).max(4) },
      ...{ blockNumber: quantity.transform(Number), transactionHash: hash, logIndex: quantity.transform(Number) },
    }),
  ),
  eth_getBlockByNumber: z.object({
    ...{ hash, timestamp: quantity },
    transactions: z.array(z.union([hash, z.object({ hash, to: address.nullish(), value: quantity })])),
  }),
  eth_getTransactionByHash: z.object({ to: address.nullable() }).nullable(),
  eth_getTransactionReceipt: z.object({ blockNumber: quantity }).nullable(),
} satisfies Record<string, z.ZodType>

export class RefusedError extends NodeError {}

const STATUSES = [200, 400, 413]
const REASON_CHARS = 200
const refusalShape = z.object({ error: z.object({ message: z.string() }) })

type Answers = { [Method in keyof typeof ANSWERS]: z.output<(typeof ANSWERS)[Method]> }
const SHAPES: { [Method in keyof Answers]: z.ZodType<Answers[Method]> } = ANSWERS

/** Throws NodeError, and ZodError for an answer of another shape. */
export function openEthereumNode(rpc: string, upstream: Upstream) {
  let lastId = 0
  return async <Method extends keyof Answers>(method: Method, ...params: unknown[]): Promise<Answers[Method]> => {
    lastId += 1
    const answer = await upstream.post(rpc, { jsonrpc: '2.0', id: lastId, method, params }, STATUSES)
    if (typeof answer !== 'object' || answer === null || !('result' in answer)) {
      const reason = refusalShape.safeParse(answer).data?.error.message.slice(0, REASON_CHARS)
      throw new RefusedError(`The node of Ethereum refused ${method}${reason === undefined ? '' : `: ${reason}`}`)
    }
    return SHAPES[method].parse(answer.result)
  }
}

export const hexOf = (number: number): string => `0x${number.toString(16)}`
