import type { Live } from '../keys/live.ts'
import { messagesOf } from '../vault/storedMessage.ts'
import { type OwnPath, type RoomRecord, recordWrite, roomRecords } from '../vault/storedRoom.ts'
import { type Place, withRoom } from './roomState.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SENDER_HEALS_AFTER_MS = DAY_MS
const SENDER_HEALS_AFTER_MESSAGES = 50
/** Each epoch costs new browsers some work and the server a commit, so a device that only reads heals less often. */
const READER_HEALS_AFTER_MS = 7 * DAY_MS
const READER_TRIES_AGAIN_AFTER_MS = DAY_MS

/** This device's newest path. Records of older builds have none; the newest commit that the device knew takes its place. */
export const ownPathOf = ({ ownPath, lastCommitAt }: RoomRecord): OwnPath => ownPath ?? { at: lastCommitAt, seq: 0 }

/** True if `at` is more than `ms` ago or ahead: after a wrong clock was corrected, healing must not be put off. */
const isPast = (at: string, ms: number, now: number): boolean => Math.abs(now - Date.parse(at)) > ms

/** The record's fields for a new path of this device, made in its own commit or by the key package with which it was added. */
export const pathMade = (now: number, seq: number) =>
  ({ ownPath: { at: new Date(now).toISOString(), seq }, ownMessages: 0 }) satisfies Partial<RoomRecord>

/**
 * True if this device renews its keys before it sends [Note: R7]. Only a path of its own shuts out an attacker who copied its
 * state, so commits of other devices do not count.
 */
export function sendsHealing(record: RoomRecord, now: number): boolean {
  if (!record.isHealed || record.ownMessages >= SENDER_HEALS_AFTER_MESSAGES) return true
  return isPast(ownPathOf(record).at, SENDER_HEALS_AFTER_MS, now)
}

/** The rooms in which this device has only read for 7 days, while messages came, and now renews its keys [Note: R7]. */
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

/** Notes that another device committed first: this one retries the next day, so that devices do not compete all day. */
export function putHealingOff(live: Live, { chatRoomId, peerIds, now }: Place & { now: number }): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async ({ record }) => {
    if (!record) return
    const ownPath = { ...ownPathOf(record), triedAt: new Date(now).toISOString() }
    await live.vault.write([recordWrite(chatRoomId, { ...record, ownPath })])
  })
}
