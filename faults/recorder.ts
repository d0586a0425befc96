import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'

/** An entry of a room's log, in the checker's form. */
export interface Entry {
  kind: 'message' | 'commit'
  roomId: string
  seq: number
  /** The message id, or the digest of the commit's bytes. */
  id: string
  senderId: string
  digest: string
  /** The epoch that the entry was made for; null if the message is plain text. */
  epoch: number | null
}

/** One request to append an entry. Times are in ms, by the clock of this process. */
export interface Attempt extends Omit<Entry, 'seq' | 'epoch'> {
  startedAt: number
  endedAt: number
  /** `unknown`: the connection broke or the server answered 5xx, so the entry may be stored or not. */
  outcome: 'acknowledged' | 'refused' | 'unknown'
  /** The seq in the acknowledgement. */
  seq?: number
  answered?: string
  /** Code of the refusal; `broken` if no answer came. */
  code?: string
}

/** An entry that a socket has received. */
interface Frame {
  userId: string
  /** Number of the connection, unique in the run. */
  connection: number
  at: number
  entry: Entry
}

/** A page of the log as a client has received it. */
interface Page {
  userId: string
  roomId: string
  after: number
  limit: number
  lastSeq: number
  entries: Entry[]
  /** True if its texts reach the bytes of a page: it may end before its limit. */
  isFull: boolean
  /** True after the run: both members must have read the same log. */
  isFinal: boolean
}

/** A mark that a client knows of: it was acknowledged, or came in a receipt or a room list. */
export interface Mark {
  kind: 'read' | 'delivered'
  userId: string
  roomId: string
  seq: number
  knownAt: number
  /** When the room list was asked for; undefined for other marks. */
  askedAt?: number
}

/** A period when nothing could become durable: the database was stopped, dead or full. */
export interface Silence {
  from: number
  to: number
}

/** Everything that clients have sent and received. */
export interface History {
  attempts: Attempt[]
  frames: Frame[]
  pages: Page[]
  marks: Mark[]
  silences: Silence[]
}

export const newHistory = (): History => ({ attempts: [], frames: [], pages: [], marks: [], silences: [] })

/** Records both marks of a member. */
export function keepMarks(history: History, { readSeq, deliveredSeq }: MarkSeqs, of: Omit<Mark, 'kind' | 'seq'>): void {
  history.marks.push({ kind: 'read', seq: readSeq, ...of }, { kind: 'delivered', seq: deliveredSeq, ...of })
}

interface MarkSeqs {
  readSeq: number
  deliveredSeq: number
}

export const now = (): number => performance.now()

/** A short digest that identifies a text in the history. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** Records the duration of `work` as a period when any acknowledgement is false. */
export async function inSilence<T>(history: History, work: () => Promise<T>): Promise<T> {
  const from = now()
  try {
    return await work()
  } finally {
    history.silences.push({ from, to: now() })
  }
}

/** The number of operations in the history. */
export const operationsIn = ({ attempts, frames, pages, marks }: History): number =>
  attempts.length + frames.length + pages.length + marks.length

/** Time from `since` to the first acknowledgement of an entry sent after it, in ms; undefined if there is none. */
export function recoveredAfter({ attempts }: History, since: number): number | undefined {
  const ends = attempts.filter((each) => each.outcome === 'acknowledged' && each.startedAt >= since).map((each) => each.endedAt)
  return ends.length === 0 ? undefined : ends.reduce((least, each) => Math.min(least, each)) - since
}

/** When every one of these rooms had been acknowledged an entry that was sent after `since`; undefined if one was not. */
export function recoveredEverywhere({ attempts }: History, since: number, roomIds: string[]): number | undefined {
  const firstIn = new Map<string, number>()
  for (const { roomId, outcome, startedAt, endedAt } of attempts)
    if (outcome === 'acknowledged' && startedAt >= since)
      firstIn.set(roomId, Math.min(endedAt, firstIn.get(roomId) ?? Number.POSITIVE_INFINITY))
  const slowest = Math.max(...roomIds.map((roomId) => firstIn.get(roomId) ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(slowest) ? slowest : undefined
}
