import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { Envelope } from '../../contract/envelope.ts'
import type { CommitEntry } from '../../contract/rooms.ts'
import type { LogPlace, NamedAt, RoomRecord } from '../vault/rooms.ts'
import type { CommitNames } from './carried.ts'
import { groupIdHolds } from './groupid.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'
import { accountKeysOf, everyAccount, type MemberAccount, type MemberAccounts, removedIn, unlistedIn } from './peers.ts'

/** Of versions that this device has seen, and of such that a commit claims and nobody has shown yet. */
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

/** Keeps the places where each version was named first. A version above `newest` is a claim: it hides no other. */
function withVersion(before: NamedAt[], newest: number, next: NamedAt): NamedAt[] {
  const covers = (one: NamedAt, other: NamedAt) =>
    one.seq <= other.seq && (one.version === other.version || (one.version >= other.version && one.version <= newest))
  if (before.some((one) => covers(one, next))) return before
  const kept = [...before.filter((one) => !covers(next, one)), next]
  const seen = kept.filter(({ version }) => version <= newest).sort((a, b) => a.version - b.version)
  return [...seen.slice(-SEEN_MAX), ...kept.filter(({ version }) => version > newest).slice(-CLAIMED_MAX)]
}

/**
 * What becomes of a message at `seq` that a device of this account has signed [Note: H3]. `refused`: a commit before it names a
 * device list without that device. `removed_since`: the device was removed, and nothing says that it was before.
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

/** Where the log stands for a device that follows its group. */
export const groupPlace = (generation: number, group: Group): LogPlace => ({
  generation,
  groupId: toBase64(groupIdOf(group)),
  epoch: epochOf(group),
})

/** Where the log stands behind a commit. It only goes up: an older commit that the server repeats changes nothing. */
export function placeBehind(before: LogPlace | undefined, { generation, groupId, epoch }: CommitEntry): LogPlace {
  const isOlder = before && (generation < before.generation || (generation === before.generation && epoch < (before.epoch ?? 0)))
  return isOlder ? before : { generation, groupId, epoch: epoch + 1 }
}

/**
 * The record of a device that follows its group: none of its leaves is removed, so from here on nothing that a removed device
 * signed can be of its time.
 */
export function withMembers(record: RoomRecord, accounts: MemberAccounts, seq: number, group: Group): RoomRecord {
  if (unlistedIn(group, accounts).length > 0) return record
  return withNamed(record, accounts, seq, everyAccount(accounts))
}

/** True of an envelope that was sealed where the log stands, for a group of this room, generation and set of accounts [Note: H3]. */
export function isSealedAt(
  place: LogPlace | undefined,
  { groupId, epoch }: Envelope,
  chatRoomId: string,
  accounts: MemberAccounts,
): boolean {
  if (!place || place.groupId !== groupId || (place.epoch ?? epoch) !== epoch) return false
  return groupIdHolds(fromBase64(groupId), chatRoomId, place.generation, accountKeysOf(accounts))
}
