import { SAID } from './saidlimits.ts'

const KIB = 1024
const MIB = KIB * KIB

export const TRANSFER_LIMITS = {
  fileBytes: SAID.transferBytes,
  chunkBytes: 16 * KIB,
  toldStepBytes: MIB,
  offerSeconds: 24 * 60 * 60,
  /** An account's offers. */
  liveMax: 50,
  attemptsMax: 10_000,
  answerBytes: 256,
  signalBytes: 24 * KIB,
  /** In 24 hours. */
  relayedBytes: 1024 * MIB,
} as const

/** What the server is told of a size. */
export const toldBytesOf = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / TRANSFER_LIMITS.toldStepBytes) * TRANSFER_LIMITS.toldStepBytes

export const chunksOf = (sizeBytes: number): number => Math.ceil(sizeBytes / TRANSFER_LIMITS.chunkBytes)
