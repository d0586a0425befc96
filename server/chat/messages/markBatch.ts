import { inTime } from '../../ground/db/askTogether.ts'
import { type Database, isConnectionLost } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { type Mark, type RaiseResult, raiseMarks } from './store-marks.ts'

export interface MarkBatch {
  /** Resolves after COMMIT. Throws Refusal `unavailable` when the queue is full. */
  raise(mark: Mark): Promise<RaiseResult>
  drain(): Promise<void>
}

/** One that waits for a lock keeps the rows of the others from messages. */
const FLUSH_MARKS = 64
const FLUSHES = 4
/** A slower flush waits for a lock or the disk. */
const SLOW_MS = 50
const WAITING_MARKS = 4096
/** Only a dead connection outlasts PostgreSQL's own timeouts. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  mark: Mark
  settle: (result: RaiseResult) => void
  fail: (error: unknown) => void
}

/** Makes a queue: marks that arrive during a flush are flushed together, one of a member and room at a time. */
export function makeMarkBatch({ pool, clock }: { pool: Database['pool']; clock: () => Date }): MarkBatch {
  let waiting: Entry[] = []
  const busy = new Set<string>()
  /** Start times in ms. */
  const underWay = new Map<Promise<void>, number>()
  let isAwaited = false
  let isDraining = false

  function start(): void {
    if (waiting.length === 0 || underWay.size >= FLUSHES) return
    const newestMs = Math.max(...underWay.values())
    const leftMs = newestMs + SLOW_MS - performance.now()
    if (leftMs > 0) {
      startIn(leftMs)
      return
    }
    const flush = take()
    if (flush.length === 0) return
    const work: Promise<void> = write(flush).finally(() => {
      underWay.delete(work)
      for (const entry of flush) busy.delete(keyOf(entry))
      start()
    })
    underWay.set(work, performance.now())
    start()
  }

  /** Without another mark nobody else would begin the next flush. */
  function startIn(ms: number): void {
    if (isAwaited) return
    isAwaited = true
    setTimeout(() => {
      isAwaited = false
      start()
    }, ms).unref()
  }

  function take(): Entry[] {
    const flush: Entry[] = []
    const left: Entry[] = []
    for (const entry of waiting) {
      const key = keyOf(entry)
      if (flush.length === FLUSH_MARKS || busy.has(key)) left.push(entry)
      else {
        busy.add(key)
        flush.push(entry)
      }
    }
    waiting = left
    return flush
  }

  async function write(flush: Entry[]): Promise<void> {
    try {
      const results = await commit(flush)
      flush.forEach(({ settle }, at) => void settle(results[at]))
    } catch (error) {
      // Each mark is raised alone, so that only the culprit fails again.
      if (flush.length > 1 && !isConnectionLost(error)) for (const entry of flush) await write([entry])
      else for (const { fail } of flush) fail(error)
    }
  }

  const commit = (flush: Entry[]): Promise<RaiseResult[]> =>
    inTime(
      raiseMarks(
        pool,
        flush.map(({ mark }) => mark),
        clock(),
      ),
      DEAD_MS,
    )

  return {
    raise(mark) {
      if (waiting.length >= WAITING_MARKS || isDraining)
        return Promise.reject(new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS }))
      return new Promise((settle, fail) => {
        waiting.push({ mark, settle, fail })
        start()
      })
    },
    async drain() {
      isDraining = true
      while (underWay.size > 0) await Promise.all(underWay.keys())
    },
  }
}

const keyOf = ({ mark }: Entry): string => `${mark.chatRoomId} ${mark.userId}`
