import { type Db, isConnectionLost, isDatabaseAway } from '../db/connect.ts'
import { inTime } from '../db/together.ts'
import { Refusal } from '../refuse.ts'
import type { AppendResult, NewMessage } from './append.ts'
import { appendMessages } from './store-append.ts'

/** An append's result with the instant that it was stored at. */
export interface Appended extends AppendResult {
  createdAt: Date
}

/** Messages that are sent at the same time share one COMMIT. */
export interface Batch {
  /** Resolves after COMMIT, or with the reason why not. Throws Refusal `unavailable` where too many wait already. */
  append(message: NewMessage): Promise<Appended>
  /** What was accepted finishes; whatever comes after is refused. */
  drain(): Promise<void>
  /** How many messages no flush has taken yet. */
  waiting(): number
}

interface Options {
  db: Db
  clock: () => Date
  /** Told the size of each flush. */
  onFlush?: ((size: number) => void) | undefined
  /** Called at named points, so that a test can fail there. */
  fault?: ((point: string) => void | Promise<void>) | undefined
  bounds?: Partial<typeof BOUNDS>
}

const BOUNDS = {
  flushMessages: 256,
  /** A flush that takes longer waits for a lock or for the disk. */
  slowMs: 50,
  waitingMessages: 2048,
  /** UTF-16 units of content that may wait: with PostgreSQL stopped, memory is bounded by this. */
  waitingChars: 32 * 1024 * 1024,
}
const FLUSHES = 2
/** Longer than PostgreSQL's own limits: only a connection that is dead in silence reaches it. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  message: NewMessage
  appended: Promise<Appended>
  settle: (appended: Appended) => void
  fail: (error: unknown) => void
}

/**
 * A queue in front of the log. No timer: what arrives while a flush is under way waits for it, and goes together. A second
 * flush starts beside the first where that one is slow or where enough for a whole one waits: a room that somebody keeps
 * locked does not stop the others. The two share no room and no sender, so neither waits for the other's locks, and a
 * room's order is that of arrival.
 */
export function makeBatch({ db, clock, onFlush, fault, bounds }: Options): Batch {
  const { flushMessages, slowMs, waitingMessages, waitingChars } = { ...BOUNDS, ...bounds }
  // By (room, sender, id): the same message sent twice meanwhile is appended once, and both who ask get that answer.
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
      // The transaction failed as a whole: appended one by one, only the message that caused it fails again.
      if (flush.length === 1 || isConnectionLost(error)) for (const { fail } of flush) fail(error)
      else await writeEach(flush)
    }
  }

  async function writeEach(flush: Entry[]): Promise<void> {
    // Once a room's lock was waited for in vain, its other messages fail without waiting again.
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
