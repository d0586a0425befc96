import type { Entry } from './recorder.ts'

/** What the database holds of a room when everything is over, in the order of `seq`. */
export interface StoredRoom {
  id: string
  entries: Entry[]
  lastSeq: number
  lastMessageSeq: number
  /** The epoch at its beginning, and now. */
  firstEpoch: number
  epoch: number
  members: { userId: string; readSeq: number; deliveredSeq: number; unreadCount: number }[]
}

export interface Stored {
  rooms: StoredRoom[]
  /** How many messages the plan's counter says that each person sent. */
  counted: Map<string, number>
}

/** The ways to break the law. */
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

/** Each breach with one sentence for each time that it was found. */
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
