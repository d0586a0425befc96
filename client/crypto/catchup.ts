import { toBase64 } from '../../contract/bytes.ts'
import type { LogEntry } from '../../contract/rooms.ts'
import type { StoredMessage } from '../vault/messages.ts'
import type { RoomRecord } from '../vault/rooms.ts'
import type { Write } from '../vault/vault.ts'
import { derivedKeyWrite, type Reading } from './archive.ts'
import { archiveKeyOf } from './message.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'
import type { NamedVersions } from './versions.ts'

export type MessageEntry = Extract<LogEntry, { kind: 'message' }>

/** One catch-up along a room's log: what was read of it, and what is stored together at its end. */
export interface CatchUp extends Reading {
  /** The device's clock, in ms. */
  now: number
  record: RoomRecord
  group: Group | undefined
  messages: StoredMessage[]
  writes: Write[]
  /** An own message came back: what changes the outbox waits for its lock. */
  hasSettled: boolean
  /** The log holds what this very device has signed and its vault does not know [Note: V2]. */
  isCopied: boolean
  named: NamedVersions
}

/** Gives up the MLS state: the rest is read by the archive, and this device enters again before it sends [Note: R4]. */
export async function leave(at: CatchUp): Promise<void> {
  const { group, record } = at
  record.standing = 'outside'
  at.group = undefined
  if (group) await keepEpochKey(at, group)
}

/** Keeps the archive key of the group's epoch: what this device does not open by the group, it opens by that key later. */
export async function keepEpochKey(at: CatchUp, group: Group): Promise<void> {
  const place = { groupId: toBase64(groupIdOf(group)), epoch: epochOf(group) }
  at.writes.push(derivedKeyWrite(place, await archiveKeyOf(group)))
}

/** The line in the conversation where its group began anew [Note: R4]. */
export const restartNotice = (chatRoomId: string, seq: number, at: string): StoredMessage => ({
  id: `restart-${seq}`,
  chatRoomId,
  seq,
  senderId: '',
  at,
  body: { kind: 'notice', text: 'Encryption restarted' },
})
