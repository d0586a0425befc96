import type { Ground } from './ground.ts'
import { inDatabase } from './ground.ts'
import { type Program, startBare, startProduct } from './program.ts'
import { envelopeFor, type Pair, seedPairs } from './seed.ts'
import { openSocket } from './sockets.ts'
import { openWire, requestOf } from './wire.ts'

/** A server of the send figure, with the connections of its senders and receivers. */
export interface Contestant {
  name: string
  pid: number
  postgresPid: number
  /** Of that pair's sender; resolves when the server has acknowledged the message. */
  send(pair: number, id: string): Promise<void>
  /** Told the id of every message that comes out at its receiver; a floor has no receivers. */
  hear: ((id: string) => void) | undefined
  hasReceivers: boolean
  /** How many messages its database holds. */
  stored(): Promise<number>
  stop(): Promise<void>
}

/** The product: the sender by HTTP, the receiver at a socket, as its own client does it. */
export async function enterProduct(ground: Ground, count: number): Promise<Contestant> {
  const databaseUrl = await ground.freshDatabase()
  const pairs = await seedPairs(databaseUrl, count)
  const program = await startProduct(databaseUrl)
  const posting = await postTo(program, pairs)
  const sockets = await Promise.all(pairs.map(({ receiver }) => openSocket(program.port, '/ws', receiver.cookie)))
  const contestant: Contestant = {
    name: 'Conclave',
    pid: program.pid,
    postgresPid: ground.postgresPid(),
    send: posting.send,
    hear: undefined,
    hasReceivers: true,
    stored: () => countRows(databaseUrl, 'messages'),
    async stop() {
      posting.close()
      for (const socket of sockets) socket.terminate()
      await program.stop()
    },
  }
  for (const socket of sockets) {
    socket.on('message', (raw) => {
      const text = raw.toString()
      if (text.startsWith('{"type":"message"')) contestant.hear?.(/"id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '')
    })
  }
  return contestant
}

/** The floor: the same bytes to a bare Fastify, which stores them with one batched INSERT. */
export async function enterFloor(ground: Ground, count: number): Promise<Contestant> {
  const databaseUrl = await ground.freshDatabase()
  const pairs = await seedPairs(databaseUrl, count)
  const program = await startBare('floor.ts', [databaseUrl])
  const { send, close } = await postTo(program, pairs)
  return {
    name: 'the floor',
    pid: program.pid,
    postgresPid: ground.postgresPid(),
    send,
    hear: undefined,
    hasReceivers: false,
    stored: () => countRows(databaseUrl, 'floor_messages'),
    async stop() {
      close()
      await program.stop()
    },
  }
}

export const countRows = async (databaseUrl: string, table: string): Promise<number> =>
  Number((await inDatabase(databaseUrl, `select count(*) from ${table}`))[0]?.['count'])

/** One connection a sender, and the same envelope each time: making random bytes is not what is measured. */
async function postTo({ port }: Program, pairs: Pair[]) {
  const senders = await Promise.all(
    pairs.map(async (pair) => ({ ...pair, wire: await openWire(port), content: envelopeFor(pair.groupId) })),
  )
  return {
    async send(at: number, id: string) {
      const sender = senders[at % senders.length]
      if (!sender) throw new Error('There is no pair')
      const body = JSON.stringify({ id, chatRoomId: sender.chatRoomId, content: sender.content, messageType: 'text' })
      const { status, body: answer } = await sender.wire.ask(requestOf('POST', '/api/messages', sender.sender.cookie, body))
      if (status !== 200) throw new Error(`A message was answered ${status}: ${answer.toString().slice(0, 300)}`)
    },
    close() {
      for (const { wire } of senders) wire.close()
    },
  }
}
