import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'

/** One place of a room's log, as far as the law looks at it. */
export interface Entry {
  kind: 'message' | 'commit'
  roomId: string
  seq: number
  /** A message's own id; of a commit the digest of its bytes. */
  id: string
  senderId: string
  digest: string
  /** The epoch that it was made for; null where a message is plain text. */
  epoch: number | null
}

/** One try to append something. Times are of this process, in ms. */
export interface Attempt extends Omit<Entry, 'seq' | 'epoch'> {
  startedAt: number
  endedAt: number
  /** `unknown`: the connection broke, or the server could not say; it may be stored or not. */
  outcome: 'acknowledged' | 'refused' | 'unknown'
  /** What the acknowledgement answered. */
  seq?: number
  answered?: string
  /** Why it was not acknowledged; `broken` where no answer came. */
  code?: string
}

/** A place of the log that came out of a socket. */
interface Frame {
  userId: string
  /** Each connection has a number of its own. */
  connection: number
  at: number
  entry: Entry
}

/** A page of the log as it was answered. */
interface Page {
  userId: string
  roomId: string
  after: number
  limit: number
  lastSeq: number
  entries: Entry[]
  /** Read after everything was over: both ends must hold the same. */
  isFinal: boolean
}

/** A mark that was acknowledged. */
interface Mark {
  kind: 'read' | 'delivered'
  userId: string
  roomId: string
  seq: number
}

/** A time in which nothing could become durable: the database was stopped, dead or full. */
export interface Silence {
  from: number
  to: number
}

/** Everything that clients did and saw. */
export interface History {
  attempts: Attempt[]
  frames: Frame[]
  pages: Page[]
  marks: Mark[]
  silences: Silence[]
}

export const newHistory = (): History => ({ attempts: [], frames: [], pages: [], marks: [], silences: [] })

export const now = (): number => performance.now()

/** Stands for a text in the history. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** Keeps the time of `work` as one in which an acknowledgement would be false. */
export async function inSilence<T>(history: History, work: () => Promise<T>): Promise<T> {
  const from = now()
  try {
    return await work()
  } finally {
    history.silences.push({ from, to: now() })
  }
}

/** How many operations the history holds. */
export const operationsIn = ({ attempts, frames, pages, marks }: History): number =>
  attempts.length + frames.length + pages.length + marks.length

/** How long after `since` the first message was acknowledged that was sent after it; undefined: none was. */
export function recoveredAfter({ attempts }: History, since: number): number | undefined {
  const ends = attempts.filter((each) => each.outcome === 'acknowledged' && each.startedAt >= since).map((each) => each.endedAt)
  return ends.length === 0 ? undefined : ends.reduce((least, each) => Math.min(least, each)) - since
}
