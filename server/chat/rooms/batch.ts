import { setImmediate as turn } from 'node:timers/promises'
import { inTime } from '../../ground/db/askTogether.ts'
import { type Database, isConnectionLost } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import type { AppendResult, NewMessage } from './append.ts'
import { appendMessages } from './store-append.ts'

/** A queue that commits simultaneous messages together. */
export interface Batch {
  /** Resolves after COMMIT, or rejects with the cause. Throws Refusal `unavailable` if too many messages wait already. */
  append(message: NewMessage): Promise<AppendResult>
  /** Finishes the accepted messages and refuses all later ones. */
  drain(): Promise<void>
  /** Returns the number of accepted messages that no flush has taken yet. */
  waiting(): number
}

interface Options {
  pool: Database['pool']
  clock: () => Date
  /** Called with the size of each flush. */
  onFlush?: ((size: number) => void) | undefined
  /** Called at named points, where a test can make it fail. */
  fault?: ((point: string) => void | Promise<void>) | undefined
  bounds?: Partial<typeof BOUNDS>
}

const BOUNDS = {
  flushMessages: 256,
  /** While no more messages are under way, the next flush does not wait: there is little load then, and nothing gained by waiting. */
  smallMessages: 4,
  /** So many new messages are worth a flush beside a large one: PostgreSQL writes it while this server answers the other. */
  besideMessages: 32,
  /** A slower flush is waiting for a lock or for the disk. */
  slowMs: 50,
  waitingMessages: 2048,
  /** UTF-16 units of waiting content. This bounds the memory while PostgreSQL is stopped. */
  waitingChars: 32 * 1024 * 1024,
}
/** Flushes at once, when they are small, and when one of them is not. */
const [SMALL_FLUSHES, FLUSHES] = [4, 2]
/** Longer than PostgreSQL's own timeouts, so that only a silently dead connection reaches it. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  message: NewMessage
  appended: Promise<AppendResult>
  settle: (appended: AppendResult) => void
  fail: (error: unknown) => void
}

/**
 * Makes a queue in front of the log. It has no timer: messages that arrive during a flush wait and are flushed together. While few
 * are under way, a flush starts beside others, as PostgreSQL writes them to the disk together. Beside larger ones a second starts if
 * the first is slow, so that one locked room does not stop the others, or enough new messages wait, so that PostgreSQL and this server
 * work at the same time. A flush has at most one message of a room and of a sender, and no two flushes share one: neither waits
 * for the other's locks, and each room keeps the order of arrival.
 */
export function makeBatch({ pool, clock, onFlush, fault, bounds }: Options): Batch {
  const { flushMessages, smallMessages, besideMessages, slowMs, waitingMessages, waitingChars } = { ...BOUNDS, ...bounds }
  // Keyed by room, sender and id: a message that is sent twice meanwhile is appended once, and both callers get the result.
  const accepted = new Map<string, Entry>()
  let waiting: Entry[] = []
  /** How many of them a flush that runs holds up: it has their room or their sender. Counted when one begins and when one ends. */
  let heldUp = 0
  let chars = 0
  const busy = new Set<string>()
  /** The flushes that run, oldest first, and when each began. */
  const underWay = new Map<Promise<void>, number>()
  let sent = 0
  let isDraining = false

  function start(): void {
    while (isTimely()) {
      const flush = take()
      if (flush.length === 0) return
      sent += flush.length
      onFlush?.(flush.length)
      const work: Promise<void> = write(flush, () => {
        underWay.delete(work)
        sent -= flush.length
        for (const { message } of flush) {
          busy.delete(message.chatRoomId)
          busy.delete(message.senderId)
          accepted.delete(keyOf(message))
        }
        heldUp = waiting.filter(isHeldUp).length
        start()
      })
      underWay.set(work, performance.now())
    }
  }

  function isTimely(): boolean {
    if (sent <= smallMessages) return underWay.size < SMALL_FLUSHES
    if (underWay.size >= FLUSHES) return false
    const [oldestMs = 0] = underWay.values()
    return waiting.length - heldUp >= besideMessages || performance.now() - oldestMs > slowMs
  }

  const isHeldUp = ({ message }: Entry): boolean => busy.has(message.chatRoomId) || busy.has(message.senderId)

  function take(): Entry[] {
    const flush: Entry[] = []
    const left: Entry[] = []
    for (const entry of waiting) {
      const { chatRoomId, senderId, content } = entry.message
      if (flush.length === flushMessages || isHeldUp(entry)) {
        left.push(entry)
        continue
      }
      flush.push(entry)
      busy.add(chatRoomId).add(senderId)
      chars -= content.length
    }
    waiting = left
    heldUp = left.filter(isHeldUp).length
    return flush
  }

  /** Calls `end` as soon as the database is free, so that it writes the next messages while these are answered. */
  async function write(flush: Entry[], end: () => void): Promise<void> {
    try {
      const appended = await commit(flush.map((entry) => entry.message))
      end()
      flush.forEach((entry, at) => void settle(entry, appended[at]))
    } catch (error) {
      // The whole transaction failed. The messages are appended one by one, so that only the one that caused it fails again.
      if (flush.length === 1 || isConnectionLost(error)) for (const { fail } of flush) fail(error)
      else await writeEach(flush)
      end()
    }
  }

  async function writeEach(flush: Entry[]): Promise<void> {
    for (const entry of flush) {
      try {
        const [appended] = await commit([entry.message])
        settle(entry, appended)
      } catch (error) {
        entry.fail(error)
      }
    }
  }

  async function commit(messages: NewMessage[]): Promise<AppendResult[]> {
    const written = inTime(appendMessages(pool, messages, clock()), DEAD_MS)
    // The statement is on its way then: whether it is committed is up to the database alone.
    const [results] = await Promise.all([written, fault && turn().then(() => fault('message:sent'))])
    return results
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
      while (underWay.size > 0) await Promise.all(underWay.keys())
    },
    waiting: () => waiting.length,
  }
}

const keyOf = ({ chatRoomId, senderId, id }: NewMessage): string => `${chatRoomId} ${senderId} ${id}`

const asKnown = (appended: AppendResult): AppendResult =>
  appended.verdict === 'stored' ? { ...appended, verdict: 'known' } : appended

function newEntry(message: NewMessage): Entry {
  let settle: Entry['settle'] = () => undefined
  let fail: Entry['fail'] = () => undefined
  const appended = new Promise<AppendResult>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  return { message, appended, settle, fail }
}

function settle(entry: Entry, appended: AppendResult | undefined): void {
  if (appended) entry.settle(appended)
  else entry.fail(new Error('A message was not answered'))
}
