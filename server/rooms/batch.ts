import { type Db, isConnectionLost, isDatabaseAway } from '../db/connect.ts'
import { inTime } from '../db/together.ts'
import { Refusal } from '../refuse.ts'
import type { Meeting, Posting } from './posting.ts'
import { appendPostings } from './store-append.ts'

/** What became of a posting, and when. */
export interface Placed extends Meeting {
  createdAt: Date
}

/** Messages that are sent at the same time share one COMMIT. */
export interface Batch {
  /** Resolves after COMMIT, or with the reason why not. Throws Refusal `unavailable` where too many wait already. */
  append(posting: Posting): Promise<Placed>
  /** What was accepted finishes; whatever comes after is refused. */
  drain(): Promise<void>
  /** Postings that no flush has taken yet. */
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
  flushPostings: 256,
  /** A flush that takes longer waits for a lock or for the disk. */
  slowMs: 50,
  waitingPostings: 2048,
  /** UTF-16 units of content that may wait: with PostgreSQL stopped, memory is bounded by this. */
  waitingChars: 32 * 1024 * 1024,
}
const FLUSHES = 2
/** Longer than PostgreSQL's own limits: only a connection that is dead in silence reaches it. */
const DEAD_MS = 60_000
const RETRY_SECONDS = 2

interface Entry {
  posting: Posting
  placed: Promise<Placed>
  settle: (placed: Placed) => void
  fail: (error: unknown) => void
}

/**
 * A queue in front of the log. No timer: what arrives while a flush is under way waits for it, and goes together. A second
 * flush starts beside the first where that one is slow or where enough for a whole one waits: a room that somebody keeps
 * locked does not stop the others. The two share no room and no sender, so neither waits for the other's locks, and a
 * room's order is that of arrival.
 */
export function makeBatch({ db, clock, onFlush, fault, bounds }: Options): Batch {
  const { flushPostings, slowMs, waitingPostings, waitingChars } = { ...BOUNDS, ...bounds }
  // By (room, sender, id): the same message sent twice meanwhile is one posting with two who ask.
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
        for (const { posting } of flush) {
          busy.delete(posting.chatRoomId)
          busy.delete(posting.senderId)
          accepted.delete(keyOf(posting))
        }
        start()
      })
      underWay.add(work)
    }
  }

  function isTimely(): boolean {
    if (underWay.size === 0) return true
    return underWay.size < FLUSHES && (waiting.length >= flushPostings || performance.now() - startedMs > slowMs)
  }

  function take(): Entry[] {
    const flush: Entry[] = []
    const left: Entry[] = []
    for (const entry of waiting) {
      const { chatRoomId, senderId } = entry.posting
      const isFree = flush.length < flushPostings && !busy.has(chatRoomId) && !busy.has(senderId)
      ;(isFree ? flush : left).push(entry)
    }
    waiting = left
    for (const { posting } of flush) {
      busy.add(posting.chatRoomId).add(posting.senderId)
      chars -= posting.content.length
    }
    return flush
  }

  async function write(flush: Entry[]): Promise<void> {
    try {
      const placed = await commit(flush.map((entry) => entry.posting))
      flush.forEach((entry, at) => void settle(entry, placed[at]))
    } catch (error) {
      // One transaction fails as a whole: alone, only the one that is to blame fails again.
      if (flush.length === 1 || isConnectionLost(error)) for (const { fail } of flush) fail(error)
      else await writeEach(flush)
    }
  }

  async function writeEach(flush: Entry[]): Promise<void> {
    // Who waited in vain for a room's lock does not wait for it again and again.
    const stuck = new Map<string, unknown>()
    for (const entry of flush) {
      const { chatRoomId } = entry.posting
      try {
        if (stuck.has(chatRoomId)) throw stuck.get(chatRoomId)
        const [placed] = await commit([entry.posting])
        settle(entry, placed)
      } catch (error) {
        if (isDatabaseAway(error)) stuck.set(chatRoomId, error)
        entry.fail(error)
      }
    }
  }

  async function commit(postings: Posting[]): Promise<Placed[]> {
    const now = clock()
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
    const written = db.transaction(async (tx) => {
      const met = await appendPostings(tx, postings, { now, month })
      await fault?.('message:written')
      return met
    })
    const meetings = await inTime(written, DEAD_MS)
    return meetings.map((meeting) => ({ ...meeting, createdAt: now }))
  }

  return {
    append(posting) {
      const key = keyOf(posting)
      const same = accepted.get(key)
      if (same) return same.placed.then(asKnown)
      const isFull = waiting.length >= waitingPostings || chars + posting.content.length > waitingChars
      if (isFull || isDraining) return Promise.reject(new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS }))
      const entry = newEntry(posting)
      accepted.set(key, entry)
      waiting.push(entry)
      chars += posting.content.length
      start()
      return entry.placed
    },
    async drain() {
      isDraining = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
    waiting: () => waiting.length,
  }
}

const keyOf = ({ chatRoomId, senderId, id }: Posting): string => `${chatRoomId} ${senderId} ${id}`

const asKnown = (placed: Placed): Placed => (placed.verdict === 'stored' ? { ...placed, verdict: 'known' } : placed)

function newEntry(posting: Posting): Entry {
  let settle: Entry['settle'] = () => undefined
  let fail: Entry['fail'] = () => undefined
  const placed = new Promise<Placed>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  return { posting, placed, settle, fail }
}

function settle(entry: Entry, placed: Placed | undefined): void {
  if (placed) entry.settle(placed)
  else entry.fail(new Error('A posting was not answered'))
}
