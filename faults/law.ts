import type { Entry } from './recorder.ts'

/** A room in the database after the run, its entries ordered by `seq`. */
export interface StoredRoom {
  id: string
  entries: Entry[]
  lastSeq: number
  lastMessageSeq: number
  /** The room's epoch before the run. */
  firstEpoch: number
  epoch: number
  members: { userId: string; readSeq: number; deliveredSeq: number; unreadCount: number }[]
}

export interface Stored {
  rooms: StoredRoom[]
  /** Sent messages by user id, from the plan's counter. */
  counted: Map<string, number>
}

/** The kinds of violations. */
export const BREACHES = [
  'lost',
  'duplicated',
  'gaps',
  'false acks',
  'reordered',
  'foreign',
  'differing',
  'stale',
  'miscounted',
] as const
type Breach = (typeof BREACHES)[number]

/** The violations by kind, one sentence each. */
export type Verdict = Record<Breach, string[]>
export type Accuse = (breach: Breach, words: string) => void

export const emptyVerdict = (): Verdict => ({
  lost: [],
  duplicated: [],
  gaps: [],
  'false acks': [],
  reordered: [],
  foreign: [],
  differing: [],
  stale: [],
  miscounted: [],
})
