import type { Verdict } from './law.ts'

/** How long and hard a run is: the short form runs in CI. */
export interface Form {
  isShort: boolean
  /** Factor on the time bounds, which assume an idle machine. The short form runs on shared ones and allows twice the time. */
  patience: number
  /** How often a browser is killed, and the seed of when. */
  kills?: number
  seed?: number
}

/** The result of a fault, without the checker's verdict. */
export interface Finding {
  /** Number of faults that were injected. */
  faults: number
  /** The figures in one sentence. */
  summary: string
  /** Failed expectations, one sentence each. */
  complaints: string[]
}

export interface Outcome extends Finding {
  verdict: Verdict
  operations: number
}

/** Each fault is one file. Throws `Skipped` if this machine cannot run it. */
export type Fault = (form: Form) => Promise<Outcome>

/** This machine cannot run the fault; the message says why. */
export class Skipped extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'Skipped'
  }
}

/** Returns a complaint if the value is missing or above its bound. */
export function atMost(what: string, value: number | undefined, bound: number, unit: string): string[] {
  if (value !== undefined && value <= bound) return []
  return [`${what}: ${value === undefined ? 'never' : `${value.toFixed(1)} ${unit}`}, at most ${bound} ${unit} are allowed`]
}

/** Returns the complaint if the condition is false. */
export const must = (isSo: boolean, complaint: string): string[] => (isSo ? [] : [complaint])

export const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(1)} s`)
