import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Pair, SeedUser } from '../bench/seed.ts'
import { writeEnvelope } from '../contract/chat/envelope.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { membersOfDirectRoom } from '../contract/ground/shapes.ts'
import { ask } from './ask.ts'
import { type Decision, decisionOf, decisionOfCommit } from './decisions.ts'
import { readLogPage } from './pages.ts'
import { type Attempt, digestOf, type History, keepMarks, now } from './recorder.ts'
import { openTestSocket, type TestSocket } from './socket.ts'

type Try = () => Promise<Decision>

/** Clients that send, commit, mark and read during a fault. They retry with the same id until the server has decided. */
export interface Load {
  sockets: TestSocket[]
  /** Starts no new work and waits for pending requests. Returns the number of undecided operations and the clients' exceptions. */
  stop(): Promise<{ undecided: number; failures: Error[] }>
}

export interface LoadOptions {
  /** Parallel workers per person. */
  workers?: number
  /** Average pause between two operations of a worker, in ms. */
  restMs?: number
  /** Characters of random padding in each message. */
  fillChars?: number
}

/** One member of a room. It learns the current epoch from refusals alone, so that some of its commits and messages are stale. */
interface Client {
  person: SeedUser
  chatRoomId: string
  /** undefined in a room without encryption. */
  group: { groupId: string; epoch: number } | undefined
  socket: TestSocket
  /** The highest seq that this client has seen. */
  seen: number
}

const SETTLE_MS = 30_000
const PAGE = 50

/** Starts the load. Every second room sends sealed messages, the others plain text. */
export function startLoad(port: number, pairs: Pair[], history: History, options: LoadOptions = {}): Load {
  const { workers = 2, restMs = 40, fillChars = 0 } = options
  let isOver = false
  let isAbandoned = false
  let undecided = 0

  const clients = pairs.flatMap(({ sender, receiver, chatRoomId, groupId }, at) =>
    [sender, receiver].map((person): Client => {
      const group = at % 2 === 0 ? { groupId, epoch: 1 } : undefined
      return { person, chatRoomId, group, socket: openTestSocket(port, person, history), seen: 0 }
    }),
  )

  async function work(client: Client): Promise<void> {
    while (!isOver) {
      const dice = randomInt(100)
      if (dice < 3 && client.group) await commit(client)
      else if (dice < 9) await mark(client)
      else if (dice < 15) await readMarks(client)
      else if (dice < 18) await readPage(client)
      else await write(client, dice >= 80)
      await pause(restMs * (0.5 + Math.random()))
    }
  }

  /** Appends an entry. Retries with the same bytes until the server has acknowledged or refused it. */
  async function append(what: Pick<Attempt, 'kind' | 'roomId' | 'id' | 'senderId' | 'digest'>, first: Try, again: Try = first) {
    for (let turn = first; ; turn = again) {
      const startedAt = now()
      const reply = await turn()
      const attempt: Attempt = { ...what, startedAt, endedAt: now(), outcome: reply.outcome }
      if (reply.outcome === 'acknowledged') Object.assign(attempt, { seq: reply.seq, answered: reply.answered })
      if (reply.outcome !== 'acknowledged') attempt.code = reply.code
      history.attempts.push(attempt)
      if (reply.outcome !== 'unknown') return reply
      if (isAbandoned) {
        undecided += 1
        return reply
      }
      await pause(50 + randomInt(100))
    }
  }

  async function write(client: Client, bySocket: boolean): Promise<void> {
    const { person, chatRoomId, socket, group } = client
    const id = randomUUID()
    const content = group ? sealed(group, fillChars) : `${id} says ${randomText(fillChars)}`
    const what = { kind: 'message' as const, roomId: chatRoomId, id, senderId: person.id, digest: digestOf(content) }
    const draft = { id, chatRoomId, content, messageType: 'text' as const }
    const post = async () =>
      decisionOf(await ask(port, { method: 'POST', path: '/api/messages', cookie: person.cookie, body: draft }))
    const say = () => socket.says(draft)
    const reply = await append(what, bySocket && socket.isOpen() ? say : post, post)
    if (reply.outcome === 'acknowledged') client.seen = Math.max(client.seen, reply.seq)
    if (reply.outcome === 'refused' && reply.code === 'stale_epoch') await catchUp(client)
  }

  async function commit(client: Client): Promise<void> {
    const { person, chatRoomId, group } = client
    if (!group) return
    const { groupId, epoch } = group
    // A commit is as long as a message: on a full disk a shorter row might still fit and be acknowledged rightly.
    const bytes = randomText(128 + fillChars - (fillChars % 4))
    const digest = digestOf(bytes)
    const what = { kind: 'commit' as const, roomId: chatRoomId, id: digest, senderId: person.id, digest }
    const manifestVersions = Object.fromEntries(membersOfDirectRoom(chatRoomId).map((userId) => [userId, 1]))
    const draft = {
      chatRoomId,
      generation: 1,
      groupId,
      epoch,
      commit: bytes,
      groupInfo: bytes,
      archiveKeys: [],
      manifestVersions,
    }
    const path = `/api/rooms/${chatRoomId}/commits`
    const reply = await append(what, async () => {
      const body = { ...draft, afterSeq: client.seen }
      return decisionOfCommit(await ask(port, { method: 'POST', path, cookie: person.cookie, body }), digest)
    })
    if (reply.outcome === 'acknowledged') group.epoch = Math.max(group.epoch, epoch + 1)
    else if (reply.outcome === 'refused') await catchUp(client)
  }

  async function catchUp({ person, chatRoomId, group }: Client): Promise<void> {
    const answer = await ask(port, { method: 'GET', path: `/api/rooms/${chatRoomId}/group`, cookie: person.cookie })
    if (answer?.status === 200 && group) group.epoch = roomsApi.group.output.parse(answer.body).epoch
  }

  async function mark(client: Client): Promise<void> {
    const kind = randomInt(2) === 0 ? 'read' : 'delivered'
    const { person, chatRoomId, seen: seq } = client
    const path = `/api/messages/${chatRoomId}/mark-${kind}`
    const answer = await ask(port, { method: 'POST', path, cookie: person.cookie, body: { seq } })
    if (answer?.status !== 200) return
    // A read mark raises the delivered mark too.
    const seqs = { readSeq: kind === 'read' ? seq : 0, deliveredSeq: seq }
    keepMarks(history, seqs, { userId: person.id, roomId: chatRoomId, knownAt: now() })
  }

  async function readMarks({ person, chatRoomId: roomId }: Client): Promise<void> {
    const askedAt = now()
    const answer = await ask(port, { method: 'GET', path: `/api/rooms?ids=${roomId}`, cookie: person.cookie })
    if (answer?.status !== 200) return
    const times = { roomId, askedAt, knownAt: now() }
    for (const { readSeq, people } of roomsApi.list.output.parse(answer.body).rooms) {
      history.marks.push({ kind: 'read', seq: readSeq, userId: person.id, ...times })
      for (const { id, ...seqs } of people) keepMarks(history, seqs, { userId: id, ...times })
    }
  }

  async function readPage(client: Client): Promise<void> {
    const after = Math.max(0, client.seen - randomInt(PAGE))
    const page = await readLogPage(port, client.person, { roomId: client.chatRoomId, after, limit: PAGE }, history)
    client.seen = Math.max(client.seen, page?.entries.at(-1)?.seq ?? 0)
  }

  const failures: Error[] = []
  const fail = (error: unknown) => void failures.push(error instanceof Error ? error : new Error(String(error)))
  const working = clients.flatMap((client) => Array.from({ length: workers }, () => work(client).catch(fail)))
  return {
    sockets: clients.map(({ socket }) => socket),
    async stop() {
      isOver = true
      const abandon = setTimeout(() => {
        isAbandoned = true
      }, SETTLE_MS)
      await Promise.all(working)
      clearTimeout(abandon)
      for (const { socket } of clients) socket.hangsUp()
      return { undecided, failures }
    },
  }
}

function sealed({ groupId, epoch }: { groupId: string; epoch: number }, fillChars: number): string {
  const body = randomText(96 + fillChars - (fillChars % 4))
  return writeEnvelope({ v: 1, groupId, epoch, mls: randomText(64), archive: randomText(48), body })
}

/** Random base64, which PostgreSQL cannot compress. A length that is a multiple of 4 needs no padding. */
const randomText = (chars: number): string =>
  randomBytes(Math.ceil((chars * 3) / 4))
    .toString('base64')
    .slice(0, chars)

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
