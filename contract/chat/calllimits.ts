const KIB = 1024

export const CALL_LIMITS = {
  /** From ringing to "no answer". */
  ringSeconds: 45,
  ringGraceSeconds: 2,
  overSeconds: 2 * 60,
  beatMs: 10_000,
  /** An end that is silent for longer, while the other is not, has left. */
  silenceMs: 25_000,
  /** A page or socket comes back within it. */
  goneMs: 6000,
  leftSeconds: 2 * 60,
  /** Calls of one caller at once. */
  liveMax: 20,
  /** A sealed session description. */
  signalBytes: 24 * KIB,
  /** Sealed candidates of one moment. */
  candidateBytes: 8 * KIB,
  answerBytes: 256,
  attemptsMax: 1000,
  lineSecondsMax: 7 * 24 * 60 * 60,
  relaySeconds: 10 * 60,
  relayTestSeconds: 60,
} as const

export const CALL_TYPES = ['voice', 'video'] as const
export type CallType = (typeof CALL_TYPES)[number]
