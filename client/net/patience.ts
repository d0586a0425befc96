import { PERIODS } from '../../contract/ground/limits.ts'

/** How long this page waits, in ms. */
export interface Patience {
  /** Without a byte of an answer. `body`: to a request of many bytes, whose progress nobody sees. */
  readSilenceMs: number
  writeSilenceMs: number
  bodySilenceMs: number
  /** Without a byte of a file that comes. */
  pieceSilenceMs: number
  wholeAnswerMs: number
  /** Between two pings, and for the answer to one. */
  beatMs: number
  answerMs: number
  /** For a socket to open; 0: as long as the browser does. */
  openMs: number
  /** Before the next attempt to connect. undefined: it waits for somebody. */
  pauseMs: (attempts: number) => number | undefined
  /** Requests for the rest of a file that may bring nothing, one after another. */
  emptyTries: number
  /** For a newer version of this page to be here. */
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

/**
 * A circuit takes up to 30 s to be built, brings 50 kB/s, and may die without a word. A dead one is found 30 to 40 s after the
 * last byte.
 */
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

/** By the page's own address: a page that waits for its first answer knows nothing else. */
export const isOnionOrigin = (): boolean => globalThis.location?.hostname?.endsWith('.onion') ?? false

export const patience = (): Patience => (isOnionOrigin() ? ONION : DIRECT)
