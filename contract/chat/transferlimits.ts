const KIB = 1024
const MIB = KIB * KIB

export const TRANSFER_LIMITS = {
  /** The specification's: exactly 100 * 1024 * 1024 bytes is refused. */
  fileBytes: 100 * MIB - 1,
  /** Of a file, before sealing. */
  chunkBytes: 16 * KIB,
  /** What the server is told of a size is rounded up to it. */
  toldStepBytes: MIB,
  offerSeconds: 24 * 60 * 60,
  /** Of one account, unended, sent. */
  liveMax: 50,
  attemptsMax: 10_000,
  answerBytes: 256,
  signalBytes: 24 * KIB,
  /** Of an account in 24 hours. */
  relayedBytes: 1024 * MIB,
} as const

/** What the server is told of a size. */
export const toldBytesOf = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / TRANSFER_LIMITS.toldStepBytes) * TRANSFER_LIMITS.toldStepBytes

export const chunksOf = (sizeBytes: number): number => Math.ceil(sizeBytes / TRANSFER_LIMITS.chunkBytes)
