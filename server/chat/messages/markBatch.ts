import { inTime } from '../../ground/db/askTogether.ts'
import { type Database, isConnectionLost } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { type Mark, type RaiseResult, raiseMarks } from './store-marks.ts'

export interface MarkBatch {
  /** Resolves after COMMIT. Throws Refusal `unavailable` when the queue is full. */
  raise(mark: Mark): Promise<RaiseResult>
  drain(): Promise<void>
}

const FLUSH_MARKS = 256
const WAITING_MARKS = 4096
/** Only a dead connection outlasts PostgreSQL's own timeouts. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  mark: Mark
  settle: (result: RaiseResult) => void
  fail: (error: unknown) => void
}

/** Makes a queue without a timer: marks that arrive during a flush are flushed together, one of a member and room at a time. */
export function makeMarkBatch({ pool, clock }: { pool: Database['pool']; clock: () => Date }): MarkBatch {
  let waiting: Entry[] = []
  let underWay: Promise<void> | undefined
  let isDraining = false

  function start(): void {
    if (underWay || waiting.length === 0) return
    const flush = take()
    underWay = write(flush).finally(() => {
      underWay = undefined
      start()
    })
  }

  function take(): Entry[] {
    const flush = new Map<string, Entry>()
    const left: Entry[] = []
    for (const entry of waiting) {
      const key = `${entry.mark.chatRoomId} ${entry.mark.userId}`
      if (flush.size === FLUSH_MARKS || flush.has(key)) left.push(entry)
      else flush.set(key, entry)
    }
    waiting = left
    return [...flush.values()]
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
      while (underWay) await underWay
    },
  }
}
