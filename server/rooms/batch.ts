import { type Db, isConnectionLost, isDatabaseAway } from '../db/connect.ts'
import { inTime } from '../db/together.ts'
import { Refusal } from '../refuse.ts'
import type { AppendResult, NewMessage } from './append.ts'
import { appendMessages } from './store-append.ts'

/** An append's result with the time of storage. */
export interface Appended extends AppendResult {
  createdAt: Date
}

/** A queue that commits simultaneous messages together. */
export interface Batch {
  /** Resolves after COMMIT, or rejects with the cause. Throws Refusal `unavailable` if too many messages wait already. */
  append(message: NewMessage): Promise<Appended>
  /** Finishes the accepted messages and refuses all later ones. */
  drain(): Promise<void>
  /** Returns the number of accepted messages that no flush has taken yet. */
  waiting(): number
}

interface Options {
  db: Db
  clock: () => Date
  /** Called with the size of each flush. */
  onFlush?: ((size: number) => void) | undefined
  /** Called at named points, where a test can make it fail. */
  fault?: ((point: string) => void | Promise<void>) | undefined
  bounds?: Partial<typeof BOUNDS>
}

const BOUNDS = {
  flushMessages: 256,
  /** A slower flush is waiting for a lock or for the disk. */
  slowMs: 50,
  waitingMessages: 2048,
  /** UTF-16 units of waiting content. This bounds the memory while PostgreSQL is stopped. */
  waitingChars: 32 * 1024 * 1024,
}
const FLUSHES = 2
/** Longer than PostgreSQL's own timeouts, so that only a silently dead connection reaches it. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  message: NewMessage
  appended: Promise<Appended>
  settle: (appended: Appended) => void
  fail: (error: unknown) => void
}

/**
 * Makes a queue in front of the log. It has no timer: messages that arrive during a flush wait and are flushed together. A second
 * flush starts beside the first if the first is slow or if enough messages for a full flush wait, so that one locked room does
 * not stop the others. The two share no room and no sender, so neither waits for the other's locks, and each room keeps the order
 * of arrival.
 */
export function makeBatch({ db, clock, onFlush, fault, bounds }: Options): Batch {
  const { flushMessages, slowMs, waitingMessages, waitingChars } = { ...BOUNDS, ...bounds }
  // Keyed by room, sender and id: a message that is sent twice meanwhile is appended once, and both callers get the result.
  const accepted = new Map<string, Entry>()
  let waiting: Entry[] = []
  let chars = 0
  const busy = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let startedMs = 0
  let isDraining = false

  function start(): void {
    while (isTimely()) {
      const flush = take()
      if (flush.length === 0) return
      startedMs = performance.now()
      onFlush?.(flush.length)
      const work = write(flush).finally(() => {
        underWay.delete(work)
        for (const { message } of flush) {
          busy.delete(message.chatRoomId)
          busy.delete(message.senderId)
          accepted.delete(keyOf(message))
        }
        start()
      })
      underWay.add(work)
    }
  }

  function isTimely(): boolean {
    if (underWay.size === 0) return true
    return underWay.size < FLUSHES && (waiting.length >= flushMessages || performance.now() - startedMs > slowMs)
  }

  function take(): Entry[] {
    const flush: Entry[] = []
    const left: Entry[] = []
    for (const entry of waiting) {
      const { chatRoomId, senderId } = entry.message
      const isFree = flush.length < flushMessages && !busy.has(chatRoomId) && !busy.has(senderId)
      ;(isFree ? flush : left).push(entry)
    }
    waiting = left
    for (const { message } of flush) {
      busy.add(message.chatRoomId).add(message.senderId)
      chars -= message.content.length
    }
    return flush
  }

  async function write(flush: Entry[]): Promise<void> {
    try {
      const appended = await commit(flush.map((entry) => entry.message))
      flush.forEach((entry, at) => void settle(entry, appended[at]))
    } catch (error) {
      // The whole transaction failed. The messages are appended one by one, so that only the one that caused it fails again.
      if (flush.length === 1 || isConnectionLost(error)) for (const { fail } of flush) fail(error)
      else await writeEach(flush)
    }
  }

  async function writeEach(flush: Entry[]): Promise<void> {
    // After a lock timeout in a room, its other messages fail without waiting again.
    const stuck = new Map<string, unknown>()
    for (const entry of flush) {
      const { chatRoomId } = entry.message
      try {
        if (stuck.has(chatRoomId)) throw stuck.get(chatRoomId)
        const [appended] = await commit([entry.message])
        settle(entry, appended)
      } catch (error) {
        if (isDatabaseAway(error)) stuck.set(chatRoomId, error)
        entry.fail(error)
      }
    }
  }

  async function commit(messages: NewMessage[]): Promise<Appended[]> {
    const now = clock()
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
    const written = db.transaction(async (tx) => {
      const results = await appendMessages(tx, messages, { now, month })
      await fault?.('message:written')
      return results
    })
    const results = await inTime(written, DEAD_MS)
    return results.map((result) => ({ ...result, createdAt: now }))
  }

  return {
    append(message) {
      const key = keyOf(message)
      const same = accepted.get(key)
      if (same) return same.appended.then(asKnown)
      const isFull = waiting.length >= waitingMessages || chars + message.content.length > waitingChars
      if (isFull || isDraining) return Promise.reject(new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS }))
      const entry = newEntry(message)
      accepted.set(key, entry)
      waiting.push(entry)
      chars += message.content.length
      start()
      return entry.appended
    },
    async drain() {
      isDraining = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
    waiting: () => waiting.length,
  }
}

const keyOf = ({ chatRoomId, senderId, id }: NewMessage): string => `${chatRoomId} ${senderId} ${id}`

const asKnown = (appended: Appended): Appended => (appended.verdict === 'stored' ? { ...appended, verdict: 'known' } : appended)

function newEntry(message: NewMessage): Entry {
  let settle: Entry['settle'] = () => undefined
  let fail: Entry['fail'] = () => undefined
  const appended = new Promise<Appended>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  return { message, appended, settle, fail }
}

function settle(entry: Entry, appended: Appended | undefined): void {
  if (appended) entry.settle(appended)
  else entry.fail(new Error('A message was not answered'))
}
