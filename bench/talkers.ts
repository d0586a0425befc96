import type WebSocket from 'ws'
import { type Contestant, countRows } from './contestant.ts'
import { messageTo, openEjabberd, receiptTo } from './ejabberd.ts'
import { type Ground, inDatabase } from './ground.ts'
import { startProduct } from './program.ts'
import { envelopeFor, type Pair, seedPairsFor } from './seed.ts'
import { openSocket } from './sockets.ts'
import { openWire, requestOf, type Wire } from './wire.ts'

const RECEIPT_MS = 15_000
/** Counts the messages that both members have read. Builds of before name a message's room by its id. */
async function countReadByBoth(databaseUrl: string): Promise<number> {
  const [column] = await inDatabase(
    databaseUrl,
    `select from information_schema.columns where table_name = 'messages' and column_name = 'chat_room_id'`,
  )
  const isItsRoom = column ? 'r.id = m.chat_room_id' : 'r.number = m.room'
  return await countRows(
    databaseUrl,
    `messages m join chat_rooms r on ${isItsRoom} where not exists (
      select from chat_participants p where p.chat_room_id = r.id and least(p.read_seq, p.delivered_seq) < m.seq)`,
  )
}

/**
 * Starts the product with both of each pair at their sockets. As in a page with the chat open, the receiver marks a message as read,
 * which marks it as delivered too. Sending resolves when the sender has the receipt as well as the acknowledgement.
 */
export async function enterTalk(ground: Ground, count: number, folder?: string): Promise<Contestant> {
  const databaseUrl = await ground.freshDatabase(folder)
  const pairs = await seedPairsFor(databaseUrl, count, folder)
  const program = await startProduct(databaseUrl, {}, folder)
  const talks = await Promise.all(pairs.map((pair) => openTalk(program.port, pair)))
  const contestant: Contestant = {
    name: folder ?? 'Conclave',
    pid: program.pid,
    postgresPid: ground.postgresPid(),
    onDelivered: undefined,
    async send(at, id) {
      await talks[at % talks.length]?.send(id)
    },
    stored: () => countReadByBoth(databaseUrl),
    async stop() {
      for (const talk of talks) talk.close()
      await program.stop()
    },
  }
  for (const talk of talks) talk.onDelivered = (id) => contestant.onDelivered?.(id)
  return contestant
}

interface Talk {
  send(id: string): Promise<void>
  onDelivered: ((id: string) => void) | undefined
  close(): void
}

async function openTalk(port: number, { sender, receiver, chatRoomId, groupId }: Pair): Promise<Talk> {
  const [posting, marking] = [await openWire(port), await openWire(port)]
  const [here, there] = [await openSocket(port, '/ws', sender.cookie), await openSocket(port, '/ws', receiver.cookie)]
  const content = envelopeFor(groupId)
  const receipts = makeReceipts()
  const talk: Talk = {
    onDelivered: undefined,
    async send(id) {
      const body = JSON.stringify({ id, chatRoomId, content, messageType: 'text', isBrief: true })
      const answer = await askFor(posting, requestOf('POST', '/api/messages', sender.cookie, body))
      await receipts.wait(seqIn(answer))
    },
    close() {
      for (const wire of [posting, marking]) wire.close()
      for (const socket of [here, there]) socket.terminate()
    },
  }
  onFrame(there, 'message', (text) => {
    talk.onDelivered?.(/"id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '')
    const mark = requestOf(
      'POST',
      `/api/messages/${chatRoomId}/mark-read`,
      receiver.cookie,
      JSON.stringify({ seq: Number(seqIn(text)) }),
    )
    askFor(marking, mark).catch(receipts.fail)
  })
  onFrame(here, 'receipt', (text) => receipts.take(/"readSeq":(\d+)/.exec(text)?.[1] ?? ''))
  return talk
}

function onFrame(socket: WebSocket, type: string, take: (text: string) => void): void {
  const start = `{"type":"${type}"`
  socket.on('message', (raw) => {
    const text = raw.toString()
    if (text.startsWith(start)) take(text)
  })
}

async function askFor(wire: Wire, request: Buffer): Promise<string> {
  const { status, body } = await wire.ask(request)
  if (status !== 200) throw new Error(`Answered ${status}: ${body.toString().slice(0, 300)}`)
  return body.toString()
}

const seqIn = (text: string): string => /"seq":(\d+)/.exec(text)?.[1] ?? ''

const ASKS = "<request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/>"
const [RECEIVED, DISPLAYED] = ['received-', 'displayed-']

/** The same of ejabberd: the receiver answers each message with a receipt (XEP-0184) and a marker (XEP-0333), both kept by mod_mam. */
export async function enterEjabberdTalk(count: number): Promise<Contestant> {
  const { program, postgres, senders, receivers, stop } = await openEjabberd(count, { isOnline: true, isAcknowledged: true })
  const receipts = makeReceipts()
  const contestant: Contestant = {
    name: 'ejabberd, talking',
    pid: program.pid,
    postgresPid: postgres.pid,
    onDelivered: undefined,
    async send(at, id) {
      const both = [receipts.wait(RECEIVED + id), receipts.wait(DISPLAYED + id)]
      await Promise.all([senders[at]?.say(messageTo(at, id, ASKS)), ...both])
    },
    // A message, its receipt and its marker, each for both.
    stored: async () => (await countRows(postgres.url, 'archive')) / 6,
    stop,
  }
  for (const sender of senders) sender.onMessage = receipts.take
  for (const [at, receiver] of receivers.entries())
    receiver.onMessage = (id) => {
      contestant.onDelivered?.(id)
      receiver.tell(
        receiptTo(at, RECEIVED + id, `<received xmlns='urn:xmpp:receipts' id='${id}'/>`),
        receiptTo(at, DISPLAYED + id, `<displayed xmlns='urn:xmpp:chat-markers:0' id='${id}'/>`),
      )
    }
  return contestant
}

/** Receipts by a key of their message. One may come before anybody waits for it. */
function makeReceipts() {
  const early = new Set<string>()
  const waiting = new Map<string, { resolve: () => void; reject: (error: unknown) => void }>()
  return {
    wait(key: string): Promise<void> {
      if (early.delete(key)) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`No receipt of ${key}`)), RECEIPT_MS)
        waiting.set(key, {
          resolve() {
            clearTimeout(late)
            resolve()
          },
          reject(error) {
            clearTimeout(late)
            reject(error)
          },
        })
      })
    },
    take(key: string): void {
      const waiter = waiting.get(key)
      if (!waiter) early.add(key)
      waiting.delete(key)
      waiter?.resolve()
    },
    fail(error: unknown): void {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    },
  }
}
