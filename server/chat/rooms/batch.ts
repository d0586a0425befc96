import { setImmediate as turn } from 'node:timers/promises'
import { inTime } from '../../ground/db/askTogether.ts'
import { type Database, isConnectionLost } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import type { AppendResult, NewMessage } from './append.ts'
import { appendMessages } from './store-append.ts'

export interface Batch {
  /** Resolves after COMMIT. Throws Refusal `unavailable` when the queue is full. */
  append(message: NewMessage): Promise<AppendResult>
  drain(): Promise<void>
  waiting(): number
}

interface Options {
  pool: Database['pool']
  clock: () => Date
  onFlush?: ((size: number) => void) | undefined
  fault?: ((point: string) => void | Promise<void>) | undefined
  bounds?: Partial<typeof BOUNDS>
}

const BOUNDS = {
  flushMessages: 256,
  /** Flushes start without a wait up to this load. */
  smallMessages: 4,
  /** New messages that are worth a flush beside a large one. */
  besideMessages: 32,
  /** A slower flush waits for a lock or the disk. */
  slowMs: 50,
  waitingMessages: 2048,
  /** UTF-16 units. Bounds the memory while PostgreSQL is stopped. */
  waitingChars: 32 * 1024 * 1024,
}
/** Concurrent flushes: small ones, and with a large one. */
const [SMALL_FLUSHES, FLUSHES] = [4, 2]
/** Only a dead connection outlasts PostgreSQL's own timeouts. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  message: NewMessage
  appended: Promise<AppendResult>
  settle: (appended: AppendResult) => void
  fail: (error: unknown) => void
}

/**
 * Makes a queue without a timer: messages that arrive during a flush are flushed together. A second flush starts beside a large
 * one if that is slow or many messages wait. Flushes share no room and no sender, so none waits for another's locks.
 */
export function makeBatch({ pool, clock, onFlush, fault, bounds }: Options): Batch {
  const { flushMessages, smallMessages, besideMessages, slowMs, waitingMessages, waitingChars } = { ...BOUNDS, ...bounds }
  // A message that is sent twice is appended once and answers both callers.
  const accepted = new Map<string, Entry>()
  let waiting: Entry[] = []
  /** Waiting messages whose room or sender a running flush has. */
  let heldUp = 0
  let chars = 0
  const busy = new Set<string>()
  /** Start times in ms. */
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

  /** Calls `end` before the answers, so that the database works on. */
  async function write(flush: Entry[], end: () => void): Promise<void> {
    try {
      const appended = await commit(flush.map((entry) => entry.message))
      end()
      flush.forEach((entry, at) => void settle(entry, appended[at]))
    } catch (error) {
      // Each message is appended alone, so that only the culprit fails again.
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
    // A statement that is on its way can no longer be stopped.
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
