import type { Envelope } from '../../../contract/chat/envelope.ts'
import type { CommitEntry } from '../../../contract/chat/rooms.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { removedIn } from '../lists/peers.ts'
import type { LogPlace, NamedAt, RoomRecord } from '../vault/storedRoom.ts'
import { groupIdHolds } from './groupid.ts'
import { accountKeysOf, everyAccount, type MemberAccount, type MemberAccounts, unlistedIn } from './members.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'
import type { CommitNames } from './namedLists.ts'

/** How many places of versions seen here, and of versions only claimed, a room keeps. */
const SEEN_MAX = 100
const CLAIMED_MAX = 20

/** Notes the lists that the commit at `seq` names [Note: H3]. */
export function withNamed(
  record: RoomRecord,
  accounts: MemberAccounts,
  seq: number,
  names: Pick<CommitNames, 'userId' | 'version'>[],
): RoomRecord {
  const named = { ...record.named }
  for (const { userId, version } of names) {
    const account = everyAccount(accounts).find((one) => one.userId === userId)
    if (account) named[userId] = withVersion(named[userId] ?? [], account.version, { version, seq })
  }
  return { ...record, named }
}

/** Keeps the first seq of a version. A version above `newest` is a claim, and hides no other. */
function withVersion(before: NamedAt[], newest: number, next: NamedAt): NamedAt[] {
  const covers = (one: NamedAt, other: NamedAt) =>
    one.seq <= other.seq && (one.version === other.version || (one.version >= other.version && one.version <= newest))
  if (before.some((one) => covers(one, next))) return before
  const kept = [...before.filter((one) => !covers(next, one)), next]
  const seen = kept.filter(({ version }) => version <= newest).sort((a, b) => a.version - b.version)
  return [...seen.slice(-SEEN_MAX), ...kept.filter(({ version }) => version > newest).slice(-CLAIMED_MAX)]
}

/**
 * Judges the signer of a message at `seq` [Note: H3]. `refused`: an earlier commit names a list without the device.
 * `removed_since`: no commit shows that the message came after the removal.
 */
export function signerStanding(
  { named = {} }: Pick<RoomRecord, 'named'>,
  account: MemberAccount,
  deviceId: string,
  seq: number,
): 'listed' | 'removed_since' | 'refused' {
  const removed = removedIn(account, deviceId)
  if (removed === undefined) return 'listed'
  const isRefused = (named[account.userId] ?? []).some(
    (one) => one.version >= removed && one.version <= account.version && one.seq < seq,
  )
  return isRefused ? 'refused' : 'removed_since'
}

export const groupPlace = (generation: number, group: Group): LogPlace => ({
  generation,
  groupId: toBase64(groupIdOf(group)),
  epoch: epochOf(group),
})

/** The place only rises: an older commit that the server repeats changes nothing. */
export function placeBehind(before: LogPlace | undefined, { generation, groupId, epoch }: CommitEntry): LogPlace {
  const isOlder = before && (generation < before.generation || (generation === before.generation && epoch < (before.epoch ?? 0)))
  return isOlder ? before : { generation, groupId, epoch: epoch + 1 }
}

/** If all leaves are listed, no later message of a removed device is from before its removal [Note: H3]. */
export function withMembers(record: RoomRecord, accounts: MemberAccounts, seq: number, group: Group): RoomRecord {
  if (unlistedIn(group, accounts).length > 0) return record
  return withNamed(record, accounts, seq, everyAccount(accounts))
}

/** True if the log stands at the envelope's group and epoch. Recomputes the group id [Note: H3]. */
export function isSealedAt(
  place: LogPlace | undefined,
  { groupId, epoch }: Envelope,
  chatRoomId: string,
  accounts: MemberAccounts,
): boolean {
  if (!place || place.groupId !== groupId || (place.epoch ?? epoch) !== epoch) return false
  return groupIdHolds(fromBase64(groupId), chatRoomId, place.generation, accountKeysOf(accounts))
}
