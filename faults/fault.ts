import type { Verdict } from './law.ts'

/** How long and hard a run is: the short form runs in CI. */
export interface Form {
  isShort: boolean
  /** Bounds of time are for a machine of its own; the short form, which others share, allows twice. */
  patience: number
}

/** What a fault did, and what it found beside the law. */
export interface Finding {
  /** How many faults there were. */
  faults: number
  /** The figures, in words. */
  summary: string
  /** What did not pass, one sentence each. */
  complaints: string[]
}

export interface Outcome extends Finding {
  verdict: Verdict
  operations: number
}

/** Each fault is one file. It throws `Skipped` where this machine does not allow it. */
export type Fault = (form: Form) => Promise<Outcome>

/** Not possible here; the message says why. */
export class Skipped extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'Skipped'
  }
}

/** A complaint where the number is above its bound, or where there is none. */
export function atMost(what: string, value: number | undefined, bound: number, unit: string): string[] {
  if (value !== undefined && value <= bound) return []
  return [`${what}: ${value === undefined ? 'never' : `${value.toFixed(1)} ${unit}`}, at most ${bound} ${unit} are allowed`]
}

/** A complaint where something is not so. */
export const must = (isSo: boolean, complaint: string): string[] => (isSo ? [] : [complaint])

export const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(1)} s`)
