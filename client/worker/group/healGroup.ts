import type { Live } from '../keys/live.ts'
import { messagesOf } from '../vault/storedMessage.ts'
import { type OwnPath, type RoomRecord, recordWrite, roomRecords } from '../vault/storedRoom.ts'
import { type Place, withRoom } from './roomState.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SENDER_HEALS_AFTER_MS = DAY_MS
const SENDER_HEALS_AFTER_MESSAGES = 50
/** Each epoch costs the server a commit. */
const READER_HEALS_AFTER_MS = 7 * DAY_MS
const READER_TRIES_AGAIN_AFTER_MS = DAY_MS

/** Records of older builds have none: the newest known commit stands in. */
export const ownPathOf = ({ ownPath, lastCommitAt }: RoomRecord): OwnPath => ownPath ?? { at: lastCommitAt, seq: 0 }

/** A future `at` counts too: a corrected clock must not put healing off. */
const isPast = (at: string, ms: number, now: number): boolean => Math.abs(now - Date.parse(at)) > ms

/** The path is of an own commit, or of the key package that added this device. */
export const pathMade = (now: number, seq: number) =>
  ({ ownPath: { at: new Date(now).toISOString(), seq }, ownMessages: 0 }) satisfies Partial<RoomRecord>

/** True if this device renews its keys before it sends [Note: R7]. */
export function sendsHealing(record: RoomRecord, now: number): boolean {
  if (!record.isHealed || record.ownMessages >= SENDER_HEALS_AFTER_MESSAGES) return true
  return isPast(ownPathOf(record).at, SENDER_HEALS_AFTER_MS, now)
}

/** Rooms that this device has only read for 7 days while messages came [Note: R7]. */
export async function roomsToHeal({ vault }: Live, { now }: { now: number }): Promise<string[]> {
  const due: string[] = []
  for (const [chatRoomId, record] of await roomRecords(vault)) {
    const { at, seq, triedAt } = ownPathOf(record)
    if (record.standing !== 'joined' || !isPast(at, READER_HEALS_AFTER_MS, now)) continue
    if (triedAt && !isPast(triedAt, READER_TRIES_AGAIN_AFTER_MS, now)) continue
    if ((await messagesOf(vault, chatRoomId, { after: seq, limit: 1 })).length > 0) due.push(chatRoomId)
  }
  return due
}

/** Another device committed first: wait a day, so that devices do not compete. */
export function putHealingOff(live: Live, { chatRoomId, peerIds, now }: Place & { now: number }): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async ({ record }) => {
    if (!record) return
    const ownPath = { ...ownPathOf(record), triedAt: new Date(now).toISOString() }
    await live.vault.write([recordWrite(chatRoomId, { ...record, ownPath })])
  })
}
