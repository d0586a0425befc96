import type { Envelope } from '../../../contract/chat/envelope.ts'
import type { CommitEntry } from '../../../contract/chat/rooms.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { removedIn } from '../lists/peers.ts'
import type { LogPlace, NamedAt, RoomRecord } from '../vault/storedRoom.ts'
import { groupIdHolds } from './groupid.ts'
import { accountKeysOf, everyAccount, type MemberAccount, type MemberAccounts, unlistedIn } from './members.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'
import type { CommitNames } from './namedLists.ts'

/** How many places are kept of versions that this device has seen, and of versions that only commits have claimed. */
const SEEN_MAX = 100
const CLAIMED_MAX = 20

/** The room's record with the device lists that the commit at `seq` names [Note: H3]. */
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

/** Adds the seq of a version's first naming. A version above `newest` is an unverified claim, which hides no other version. */
function withVersion(before: NamedAt[], newest: number, next: NamedAt): NamedAt[] {
  const covers = (one: NamedAt, other: NamedAt) =>
    one.seq <= other.seq && (one.version === other.version || (one.version >= other.version && one.version <= newest))
  if (before.some((one) => covers(one, next))) return before
  const kept = [...before.filter((one) => !covers(next, one)), next]
  const seen = kept.filter(({ version }) => version <= newest).sort((a, b) => a.version - b.version)
  return [...seen.slice(-SEEN_MAX), ...kept.filter(({ version }) => version > newest).slice(-CLAIMED_MAX)]
}

/**
 * The standing of a message at `seq` that a device of this account has signed [Note: H3]. `refused`: an earlier commit names a
 * device list without that device. `removed_since`: the device was removed, and no commit shows that the message came after that.
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

/** The log's current generation, group and epoch, from the group that this device follows. */
export const groupPlace = (generation: number, group: Group): LogPlace => ({
  generation,
  groupId: toBase64(groupIdOf(group)),
  epoch: epochOf(group),
})

/**
 * The log's generation, group and epoch after a commit. It only rises: an older commit that the server repeats changes nothing.
 */
export function placeBehind(before: LogPlace | undefined, { generation, groupId, epoch }: CommitEntry): LogPlace {
  const isOlder = before && (generation < before.generation || (generation === before.generation && epoch < (before.epoch ?? 0)))
  return isOlder ? before : { generation, groupId, epoch: epoch + 1 }
}

/**
 * Adds the newest device lists to the record if all leaves of the group are listed: a later message signed by a removed device
 * then cannot be from before its removal.
 */
export function withMembers(record: RoomRecord, accounts: MemberAccounts, seq: number, group: Group): RoomRecord {
  if (unlistedIn(group, accounts).length > 0) return record
  return withNamed(record, accounts, seq, everyAccount(accounts))
}

/**
 * True if an envelope was sealed in the log's current group and epoch, for this room, generation and set of accounts [Note: H3].
 */
export function isSealedAt(
  place: LogPlace | undefined,
  { groupId, epoch }: Envelope,
  chatRoomId: string,
  accounts: MemberAccounts,
): boolean {
  if (!place || place.groupId !== groupId || (place.epoch ?? epoch) !== epoch) return false
  return groupIdHolds(fromBase64(groupId), chatRoomId, place.generation, accountKeysOf(accounts))
}
