import type { CommitDraft, RoomGroup } from '../../../contract/chat/rooms.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import type { Leaf } from '../group/commitRules.ts'
import { type Committed, commitChange } from '../group/commits.ts'
import { openForks, untoldLists } from '../group/forks.ts'
import { roomGroupId } from '../group/groupid.ts'
import { sendsHealing } from '../group/healGroup.ts'
import { createNotesGroup, createRoomGroup, groupInfoMembers, joinByGroupInfo, keyPackageMember } from '../group/joining.ts'
import { accountKeysOf, everyAccount, listedIn, type MemberAccounts, unlistedIn, versionsOf } from '../group/members.ts'
import { epochOf, groupIdOf, writeGroup } from '../group/mls.ts'
import { namesOfAccounts } from '../group/namedLists.ts'
import { pendingCommit, pendingWrite } from '../group/pending.ts'
import { type OpenRoom, type Place, withRoom } from '../group/roomState.ts'
import { type Live, leafDevice } from '../keys/live.ts'
import { requireGeneration } from '../lists/generations.ts'
import { manifestHash } from '../lists/hashes.ts'
import { sealArchiveKey } from '../messages/archive.ts'
import { archiveKeyOf } from '../messages/sealedMessage.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { randomBytes } from '../primitives/seal.ts'
import { type NamedList, recordWrite } from '../vault/storedRoom.ts'
import { checkPlace, newRecord } from './enterRoom.ts'

export interface RoomState {
  need: 'ready' | 'no_device' | 'create' | 'join' | 'commit'
  cursor: number
  /** True while a commit of this device is unconfirmed. */
  isPending: boolean
  /** True if the person must decide a fork first [Note: D2]. */
  isForked: boolean
}

/** Returns the next step towards sending [Note: D3, R7]. Throws 'removed'. */
export function roomNeed(live: Live, { chatRoomId, peerIds, now }: Place & { now: number }): Promise<RoomState> {
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    return stateOf(live, chatRoomId, room, now)
  })
}

export async function stateOf(live: Live, chatRoomId: string, room: OpenRoom, now: number): Promise<RoomState> {
  const { device, identityKey } = live
  if (!listedIn(room.accounts)(identityKey, device.id, device.leafKey))
    throw new CryptoFailure('removed', 'This browser was removed from your account')
  const isPending = (await pendingCommit(live, chatRoomId)) !== undefined
  return { need: needOf(room, now), cursor: room.record?.cursor ?? 0, isPending, isForked: openForks(room.record).length > 0 }
}

function needOf({ record, group, accounts }: OpenRoom, now: number): RoomState['need'] {
  // No other device could read the message. Notes are for oneself [Note: M10].
  if (accounts.others.length > 0 && accounts.others.every(({ manifest }) => manifest.devices.length === 0)) return 'no_device'
  if (!record || record.generation === 0) return 'create'
  if (!group) return 'join'
  if (unlistedIn(group, accounts).length > 0 || !record.transcript) return 'commit'
  // The other members learn these lists by the commit.
  if (untoldLists(record).length > 0) return 'commit'
  return sendsHealing(record, now) ? 'commit' : 'ready'
}

/** Creates the next generation's group [Note: R1, R5]. Throws 'generation_rollback' for a known generation. */
export function createRoom(live: Live, input: Place & { generation: number; keyPackages: string[] }): Promise<CommitDraft> {
  const { chatRoomId, peerIds, generation } = input
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    if ((await requireGeneration(live, chatRoomId, generation)) === generation)
      throw new CryptoFailure('generation_rollback', 'The server returned an older state of this chat than before')
    const posted = await postedAlready(live, room, chatRoomId, { generation, epoch: 0 })
    if (posted) return posted
    const { accounts } = room
    const group = {
      device: leafDevice(live),
      groupId: roomGroupId(randomBytes(16), chatRoomId, generation, accountKeysOf(accounts)),
      authData: namesOfAccounts(accounts, [...untoldLists(room.record), ownList(accounts)]),
      accounts: accountKeysOf(accounts),
      now: new Date(),
    }
    const hasPath = accounts.others.length === 0
    const made = hasPath
      ? await createNotesGroup(group)
      : await createRoomGroup({ ...group, keyPackages: usable(live, accounts, input.keyPackages) })
    return prepare(live, { chatRoomId, room, generation, epoch: 0, made, hasPath })
  })
}

const ownList = ({ own: { userId, version, signed } }: MemberAccounts): NamedList => ({
  ...{ userId, version },
  hash: manifestHash(signed),
})

function usable(live: Live, accounts: MemberAccounts, keyPackages: string[]): Uint8Array[] {
  const isListed = listedIn(accounts)
  const byDevice = new Map<string, Uint8Array>()
  for (const text of keyPackages) {
    const bytes = fromBase64(text)
    const member = memberOf(bytes)
    if (!member || member.deviceId === live.device.id || byDevice.has(member.deviceId)) continue
    if (isListed(member.accountKey, member.deviceId, member.leafKey)) byDevice.set(member.deviceId, bytes)
  }
  return [...byDevice.values()]
}

function memberOf(keyPackage: Uint8Array): Omit<Leaf, 'leafIndex'> | undefined {
  try {
    return keyPackageMember(keyPackage)
  } catch (error) {
    // The server may return anything as a key package.
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Joins by GroupInfo, replacing an old own leaf [Note: R2, R4]. */
export function joinRoom(live: Live, { chatRoomId, peerIds, group: served }: Place & { group: RoomGroup }): Promise<CommitDraft> {
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    const { generation, epoch, groupId } = served
    await requireGeneration(live, chatRoomId, generation)
    if (!served.groupInfo || !groupId) throw new CryptoFailure('group_info', 'The server returned no state of this chat')
    const groupInfo = fromBase64(served.groupInfo)
    const shown = await groupInfoMembers(groupInfo)
    checkPlace(chatRoomId, served, shown.groupId, room.accounts)
    if (shown.epoch !== epoch || (room.record?.groupId === groupId && epoch < room.record.epoch))
      throw new CryptoFailure('group_info', 'The server’s state of this chat is out of date')
    const posted = await postedAlready(live, room, chatRoomId, { generation, epoch, groupId })
    if (posted) return posted
    const made = await joinByGroupInfo({
      device: leafDevice(live),
      groupInfo,
      replaceOwnLeaf: live.device.leafKey,
      authData: namesOfAccounts(room.accounts, untoldLists(room.record)),
      accounts: accountKeysOf(room.accounts),
      now: new Date(),
    })
    return prepare(live, { chatRoomId, room, generation, epoch, made, hasPath: true })
  })
}

/** Removes unlisted leaves, or heals with an empty commit [Note: D3, R7]. */
export function commitRoom(live: Live, { chatRoomId, peerIds }: Place): Promise<CommitDraft> {
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    const { group, record, accounts } = room
    if (!group || !record) throw new CryptoFailure('outside', 'This device is not in this chat yet')
    const { generation } = record
    const epoch = epochOf(group)
    const posted = await postedAlready(live, room, chatRoomId, { generation, epoch, groupId: toBase64(groupIdOf(group)) })
    if (posted) return posted
    const removeLeaves = unlistedIn(group, accounts)
    const authData = namesOfAccounts(accounts, untoldLists(record))
    const made = await commitChange({ group, removeLeaves, addKeyPackages: [], authData })
    return prepare(live, { chatRoomId, room, generation, epoch, made, hasPath: true })
  })
}

/** The log may have a pending commit: a second one would make it unreadable here [Note: R6]. */
async function postedAlready(
  live: Live,
  { record }: OpenRoom,
  chatRoomId: string,
  place: { generation: number; epoch: number; groupId?: string },
): Promise<CommitDraft | undefined> {
  const draft = (await pendingCommit(live, chatRoomId))?.draft
  const isHere = draft?.generation === place.generation && draft.epoch === place.epoch
  if (!draft || !isHere || (place.groupId !== undefined && draft.groupId !== place.groupId)) return undefined
  return { ...draft, afterSeq: record?.cursor ?? 0 }
}

interface Preparation {
  chatRoomId: string
  room: OpenRoom
  generation: number
  epoch: number
  made: Omit<Committed, 'welcome'> & { welcome?: Uint8Array | undefined }
  hasPath: boolean
}

async function prepare(live: Live, { chatRoomId, room, generation, epoch, made, hasPath }: Preparation): Promise<CommitDraft> {
  const groupId = toBase64(groupIdOf(made.group))
  const archiveKey = await archiveKeyOf(made.group)
  const place = { groupId, epoch: epoch + 1 }
  const seals = await Promise.all(everyAccount(room.accounts).map((account) => sealArchiveKey(account, place, archiveKey)))
  const draft: CommitDraft = {
    chatRoomId,
    generation,
    groupId,
    epoch,
    commit: toBase64(made.commit),
    ...(made.welcome && { welcome: toBase64(made.welcome) }),
    groupInfo: toBase64(made.groupInfo),
    archiveKeys: seals.filter((key) => key !== undefined),
    manifestVersions: versionsOf(room.accounts),
    afterSeq: room.record?.cursor ?? 0,
  }
  await live.vault.write([
    pendingWrite({ draft, hasPath, group: writeGroup(made.group) }),
    ...(room.record ? [] : [recordWrite(chatRoomId, newRecord({ generation: 0, groupId: null, epoch: 0, lastSeq: 0 }))]),
  ])
  return draft
}
