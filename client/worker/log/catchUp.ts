import type { LogEntry } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { epochOf, type Group, groupIdOf } from '../group/mls.ts'
import { derivedKeyWrite, type Reading } from '../messages/archive.ts'
import type { NamedVersions } from '../messages/namedVersions.ts'
import { archiveKeyOf } from '../messages/sealedMessage.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'

export type Route = 'onion' | 'direct'

export type MessageEntry = Extract<LogEntry, { kind: 'message' }>

export interface CatchUp extends Reading {
  /** The device's clock, ms. */
  now: number
  /** The connection's way in, where the page knows it. */
  route: Route | undefined
  record: RoomRecord
  group: Group | undefined
  messages: StoredMessage[]
  writes: Write[]
  /** True if an own message came back: storing takes the outbox's lock. */
  hasSettled: boolean
  /** True if this device signed an entry that its vault lacks [Note: V2]. */
  isCopied: boolean
  named: NamedVersions
}

/** Gives up the MLS state; reads by the archive [Note: R4]. */
export async function leave(at: CatchUp): Promise<void> {
  const { group, record } = at
  record.standing = 'outside'
  at.group = undefined
  if (group) await keepEpochKey(at, group)
}

/** Stores the archive key of the group's epoch. */
export async function keepEpochKey(at: CatchUp, group: Group): Promise<void> {
  const place = { groupId: toBase64(groupIdOf(group)), epoch: epochOf(group) }
  at.writes.push(derivedKeyWrite(at.chatRoomId, place, await archiveKeyOf(group)))
}

/** Returns the notice that the room's group restarted [Note: R4]. */
export const restartNotice = (chatRoomId: string, seq: number, at: string): StoredMessage => ({
  id: `restart-${seq}`,
  chatRoomId,
  seq,
  senderId: '',
  at,
  body: { kind: 'notice', text: 'Encryption restarted' },
})
