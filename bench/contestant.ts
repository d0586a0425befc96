import type { Ground } from './ground.ts'
import { inDatabase } from './ground.ts'
import { type Program, startBare, startProduct } from './program.ts'
import { envelopeFor, type Pair, seedPairs, seedPairsFor } from './seed.ts'
import { openSocket } from './sockets.ts'
import { openWire, requestOf } from './wire.ts'

/** One server of the figures of sending and talking, with the connections of its senders and receivers. */
export interface Contestant {
  name: string
  pid: number
  postgresPid: number
  /** Sends as the sender of that pair. Resolves when the message is acknowledged; of talk, when both receipts are back. */
  send(pair: number, id: string): Promise<void>
  /** Called with the id of every message that reaches its receiver. */
  onDelivered: ((id: string) => void) | undefined
  /** The number of messages in its database; of talk, of those that both have read. */
  stored(): Promise<number>
  stop(): Promise<void>
}

/** Starts the product, of another folder where one is named. Senders use HTTP and receivers a socket, as its own client does. */
export async function enterProduct(ground: Ground, count: number, folder?: string): Promise<Contestant> {
  const databaseUrl = await ground.freshDatabase(folder)
  const pairs = await seedPairsFor(databaseUrl, count, folder)
  const program = await startProduct(databaseUrl, {}, folder)
  return await enter(folder ?? 'Conclave', ground, program, pairs, () => countRows(databaseUrl, 'messages'))
}

/** Starts the floor: a bare Fastify server that stores the same bytes by one batched statement, and sends one frame by ws. */
export async function enterFloor(ground: Ground, count: number): Promise<Contestant> {
  const databaseUrl = await ground.freshDatabase()
  const pairs = await seedPairs(databaseUrl, count)
  const program = await startBare('floor.ts', [databaseUrl])
  return await enter('the floor', ground, program, pairs, () => countRows(databaseUrl, 'floor_messages'))
}

async function enter(name: string, ground: Ground, program: Program, pairs: Pair[], stored: () => Promise<number>) {
  const posting = await postTo(program, pairs)
  const sockets = await Promise.all(pairs.map(({ receiver }) => openSocket(program.port, '/ws', receiver.cookie)))
  const contestant: Contestant = {
    name,
    pid: program.pid,
    postgresPid: ground.postgresPid(),
    send: posting.send,
    onDelivered: undefined,
    stored,
    async stop() {
      posting.close()
      for (const socket of sockets) socket.terminate()
      await program.stop()
    },
  }
  for (const socket of sockets) {
    socket.on('message', (raw) => {
      const text = raw.toString()
      if (text.startsWith('{"type":"message"')) contestant.onDelivered?.(/"id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '')
    })
  }
  return contestant
}

export const countRows = async (databaseUrl: string, from: string): Promise<number> =>
  Number((await inDatabase(databaseUrl, `select count(*) from ${from}`))[0]?.['count'])

/** Opens one connection per sender. All messages carry the same envelope, so that making random bytes costs no time. */
async function postTo({ port }: Program, pairs: Pair[]) {
  const senders = await Promise.all(
    pairs.map(async (pair) => ({ ...pair, wire: await openWire(port), content: envelopeFor(pair.groupId) })),
  )
  return {
    async send(at: number, id: string) {
      const sender = senders[at % senders.length]
      if (!sender) throw new Error('There is no pair')
      const body = JSON.stringify({
        id,
        chatRoomId: sender.chatRoomId,
        content: sender.content,
        messageType: 'text',
        isBrief: true,
      })
      const { status, body: answer } = await sender.wire.ask(requestOf('POST', '/api/messages', sender.sender.cookie, body))
      if (status !== 200) throw new Error(`A message was answered ${status}: ${answer.toString().slice(0, 300)}`)
    },
    close() {
      for (const { wire } of senders) wire.close()
    },
  }
}
