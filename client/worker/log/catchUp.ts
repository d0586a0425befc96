import type { LogEntry } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { epochOf, type Group, groupIdOf } from '../group/mls.ts'
import { derivedKeyWrite, type Reading } from '../messages/archive.ts'
import type { NamedVersions } from '../messages/namedVersions.ts'
import { archiveKeyOf } from '../messages/sealedMessage.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'

export type MessageEntry = Extract<LogEntry, { kind: 'message' }>

/** One catch-up with a room's log: the state read so far, and the changes that are stored together at its end. */
export interface CatchUp extends Reading {
  /** The device's clock, in ms. */
  now: number
  record: RoomRecord
  group: Group | undefined
  messages: StoredMessage[]
  writes: Write[]
  /** True if an own message came back in the log: storing this catch-up then takes the outbox's lock. */
  hasSettled: boolean
  /** True if the log has an entry that this very device signed and its vault does not know [Note: V2]. */
  isCopied: boolean
  named: NamedVersions
}

/** Gives up the MLS state: this device then reads by the archive, and enters again before it sends [Note: R4]. */
export async function leave(at: CatchUp): Promise<void> {
  const { group, record } = at
  record.standing = 'outside'
  at.group = undefined
  if (group) await keepEpochKey(at, group)
}

/** Stores the archive key of the group's epoch, which later opens the messages that this device did not open by MLS. */
export async function keepEpochKey(at: CatchUp, group: Group): Promise<void> {
  const place = { groupId: toBase64(groupIdOf(group)), epoch: epochOf(group) }
  at.writes.push(derivedKeyWrite(at.chatRoomId, place, await archiveKeyOf(group)))
}

/** The notice in the conversation at which its group restarted [Note: R4]. */
export const restartNotice = (chatRoomId: string, seq: number, at: string): StoredMessage => ({
  id: `restart-${seq}`,
  chatRoomId,
  seq,
  senderId: '',
  at,
  body: { kind: 'notice', text: 'Encryption restarted' },
})
