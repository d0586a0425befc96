import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { afterAll } from 'vitest'

/** A chain of this machine, for tests. The ones in memory speak the wire of a node; the real ones are in `server/money/coins/chains/`. */
export interface TestChain {
  /** What the server's settings name. */
  variables: Record<string, string>
  height(): Promise<number>
  /**
   * Pays units of an asset, several outputs by one transaction where the chain has that. `contract`: Ethereum's own coin from a
   * contract. Returns the transaction.
   */
  pay(address: string, units: bigint | bigint[], asset?: Asset): Promise<string>
  /** `at`: what the blocks say of their time, which on Bitcoin may be earlier than it was. */
  mine(blocks?: number, at?: Date): Promise<void>
  /** Another transaction takes the place of one that is in no block. Bitcoin only. */
  replace(transaction: string): Promise<void>
  /** Replaces so many blocks by longer, empty ones. What was in them is lost. */
  reorganise(depth: number): Promise<void>
  /** The node does not know the last blocks, until the returned function is called. Absent in a real chain. */
  fallsBehind?(depth: number): Promise<() => void>
  /** Brings back a transaction that a reorganisation took out. */
  resend?(transaction: string): Promise<void>
  /** Whether the node answers. */
  answers(isUp: boolean): void
}

export type Asset = 'bitcoin' | 'ethereum' | 'usdc' | 'other' | 'contract'

export interface Transfer {
  transaction: string
  address: string
  units: bigint[]
  asset: Asset
}

export interface Block {
  hash: string
  seconds: number
  transfers: Transfer[]
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const isStatus = (found: unknown): found is { status: number; json: unknown; headers?: OutgoingHttpHeaders } =>
  typeof found === 'object' && found !== null && 'status' in found && 'json' in found

/** Serves HTTP on this machine until the file's tests are over. Returns the address. */
export async function serveHere(answer: (request: IncomingMessage, body: string) => unknown): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const found = await answer(request, Buffer.concat(parts).toString())
    if (found === undefined) return void response.writeHead(404).end('Not found')
    if (found instanceof Error) return void response.writeHead(Number(found.message)).end('<html>')
    if (isStatus(found)) return void response.writeHead(found.status, found.headers).end(JSON.stringify(found.json))
    response.writeHead(200).end(typeof found === 'string' ? found : JSON.stringify(found))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Blocks and a mempool, without any rule of a real chain. */
export function makeLedger(clock: () => Date, genesis: string) {
  const blocks: Block[] = [{ hash: genesis, seconds: 0, transfers: [] }]
  let waiting: Transfer[] = []
  const all = new Map<string, Transfer>()
  const state = { isUp: true }
  const mine = (count: number, take: boolean, at = clock()) => {
    for (let made = 0; made < count; made++) {
      const transfers = take ? waiting : []
      if (take) waiting = []
      blocks.push({ hash: hashOf(randomUUID()), seconds: Math.floor(at.getTime() / 1000), transfers })
    }
  }
  const chain = {
    height: async () => blocks.length - 1,
    async pay(address: string, units: bigint | bigint[], asset: Asset) {
      const transfer = { transaction: hashOf(randomUUID()), address, units: [units].flat(), asset }
      all.set(transfer.transaction, transfer)
      waiting.push(transfer)
      return transfer.transaction
    },
    mine: async (count = 1, at?: Date) => mine(count, true, at),
    async replace(transaction: string) {
      waiting = waiting.filter((each) => each.transaction !== transaction)
    },
    async reorganise(depth: number) {
      blocks.splice(blocks.length - depth, depth)
      mine(depth + 1, false)
    },
    async fallsBehind(depth: number) {
      const hidden = blocks.splice(blocks.length - depth, depth)
      return () => void blocks.push(...hidden)
    },
    async resend(transaction: string) {
      const transfer = all.get(transaction)
      if (transfer) waiting.push(transfer)
    },
    answers: (isUp: boolean) => {
      state.isUp = isUp
    },
  }
  return { chain, blocks, state, waiting: () => waiting, all: () => [...all.values()] }
}
