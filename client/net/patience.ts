import { PERIODS } from '../../contract/ground/limits.ts'

export interface Patience {
  readSilenceMs: number
  writeSilenceMs: number
  /** A large request shows no progress. */
  bodySilenceMs: number
  pieceSilenceMs: number
  wholeAnswerMs: number
  beatMs: number
  answerMs: number
  /** 0: no limit. */
  openMs: number
  /** undefined: wait for somebody. */
  pauseMs: (attempts: number) => number | undefined
  /** Downloads without a byte. */
  emptyTries: number
  updateMs: number
}

const DIRECT: Patience = {
  readSilenceMs: PERIODS.readSilenceMs,
  writeSilenceMs: PERIODS.writeSilenceMs,
  bodySilenceMs: PERIODS.uploadSilenceMs,
  pieceSilenceMs: PERIODS.uploadSilenceMs,
  wholeAnswerMs: PERIODS.wholeAnswerMs,
  beatMs: PERIODS.heartbeatMs,
  answerMs: PERIODS.heartbeatMs + 5000,
  openMs: 0,
  pauseMs: (attempts) => (attempts < PERIODS.reconnectAttempts ? PERIODS.reconnectMs : undefined),
  emptyTries: 1,
  updateMs: 20_000,
}

/** Decision 0123. */
const ONION: Patience = {
  readSilenceMs: 60_000,
  writeSilenceMs: 90_000,
  bodySilenceMs: 240_000,
  pieceSilenceMs: 45_000,
  wholeAnswerMs: 900_000,
  beatMs: 10_000,
  answerMs: 25_000,
  openMs: 60_000,
  pauseMs: (attempts) => Math.min(PERIODS.reconnectMs * 2 ** Math.max(0, attempts - PERIODS.reconnectAttempts + 1), 30_000),
  emptyTries: 4,
  updateMs: 240_000,
}

/** Known before `hello`. */
export const isOnionOrigin = (): boolean => globalThis.location?.hostname?.endsWith('.onion') ?? false

export const patience = (): Patience => (isOnionOrigin() ? ONION : DIRECT)
