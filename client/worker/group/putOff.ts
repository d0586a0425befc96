import type { CommitDraft } from '../../../contract/chat/rooms.ts'
import type { Live } from '../keys/live.ts'
import { messagesOf } from '../vault/storedMessage.ts'
import { recordWrite, roomRecords } from '../vault/storedRoom.ts'
import { DAY_MS, isPast, ownPathOf } from './healGroup.ts'
import { pendingCommit, pendingSettled } from './pending.ts'
import { type Place, withRoom } from './roomState.ts'

/** Each epoch costs the server a commit. */
const READER_HEALS_AFTER_MS = 7 * DAY_MS
const READER_TRIES_AGAIN_AFTER_MS = DAY_MS

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

/** The server never accepts it: its device lists are out of date [Note: R6]. */
export function dropCommit(live: Live, { chatRoomId, peerIds, commit }: Place & Pick<CommitDraft, 'commit'>): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async () => {
    const pending = await pendingCommit(live, chatRoomId)
    if (pending?.draft.commit === commit) await live.vault.write([pendingSettled(chatRoomId)])
  })
}
