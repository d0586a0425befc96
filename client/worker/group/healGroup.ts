import type { OwnPath, RoomRecord } from '../vault/storedRoom.ts'

export const DAY_MS = 24 * 60 * 60 * 1000
const SENDER_HEALS_AFTER_MS = DAY_MS
const SENDER_HEALS_AFTER_MESSAGES = 50

/** Records of older builds have none: the newest known commit stands in. */
export const ownPathOf = ({ ownPath, lastCommitAt }: RoomRecord): OwnPath => ownPath ?? { at: lastCommitAt, seq: 0 }

/** A future `at` counts too: a corrected clock must not put healing off. */
export const isPast = (at: string, ms: number, now: number): boolean => Math.abs(now - Date.parse(at)) > ms

/** The path is of an own commit, or of the key package that added this device. */
export const pathMade = (now: number, seq: number) =>
  ({ ownPath: { at: new Date(now).toISOString(), seq }, ownMessages: 0 }) satisfies Partial<RoomRecord>

/** True if this device renews its keys before it sends [Note: R7]. */
export function sendsHealing(record: RoomRecord, now: number): boolean {
  if (!record.isHealed || record.ownMessages >= SENDER_HEALS_AFTER_MESSAGES) return true
  return isPast(ownPathOf(record).at, SENDER_HEALS_AFTER_MS, now)
}
