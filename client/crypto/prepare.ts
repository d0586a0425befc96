import { encodeFields, fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { CommitDraft, RoomGroup } from '../../contract/rooms.ts'
import { sealArchiveKey } from './archive.ts'
import { checkPlace, newRecord, type Place } from './enter.ts'
import { CryptoFailure } from './failure.ts'
import { roomGroupId } from './groupid.ts'
import { createRoom as createGroup, groupInfoMembers, joinByGroupInfo, keyPackageMember } from './joining.ts'
import { type Live, leafDevice } from './live.ts'
import { archiveKeyOf } from './message.ts'
import { commitChange, epochOf, type Group, groupIdOf, members, writeGroup } from './mls.ts'
import { listedIn, type Peer, pairOf, peerOf } from './peers.ts'
import { pendingWrite } from './pending.ts'
import { type OpenRoom, roomWrites, withRoom } from './room.ts'
import { randomBytes } from './seal.ts'

const HEAL_AFTER_MS = 24 * 60 * 60 * 1000
const HEAL_AFTER_MESSAGES = 50

/** What has to happen before this device may send in a room. */
export type RoomNeed = 'ready' | 'no_device' | 'create' | 'join' | 'commit'

/** Says the next step towards sending. Ask again after it [Note: D3, R7]. */
export function roomNeed(live: Live, { chatRoomId, peerId, now }: Place & { now: number }): Promise<RoomNeed> {
  return withRoom(live, chatRoomId, peerId, async ({ record, group }) => {
    const [self, peer] = await Promise.all([peerOf(live, live.userId), peerOf(live, peerId)])
    if (!self || !peer || peer.manifest.devices.length === 0) return 'no_device'
    if (!record || record.generation === 0) return 'create'
    if (!group) return 'join'
    if (unlisted(group, self, peer).length > 0) return 'commit'
    const isOld = now - Date.parse(record.lastCommitAt) > HEAL_AFTER_MS
    return !record.isHealed || isOld || record.ownMessages >= HEAL_AFTER_MESSAGES ? 'commit' : 'ready'
  })
}

/** A new group one generation up, with one key package of each listed device [Note: R1, R5]. */
export function createRoom(live: Live, input: Place & { generation: number; keyPackages: string[] }): Promise<CommitDraft> {
  const { chatRoomId, peerId, generation } = input
  return withRoom(live, chatRoomId, peerId, async (room) => {
    const { self, peer } = await pairOf(live, peerId)
    const isListed = listedIn(self, peer)
    const keyPackages: Uint8Array[] = []
    for (const text of input.keyPackages) {
      const member = keyPackageMember(fromBase64(text))
      if (member && isListed(member.accountKey, member.deviceId)) keyPackages.push(fromBase64(text))
    }
    const made = await createGroup({
      device: leafDevice(live),
      groupId: roomGroupId(randomBytes(16), chatRoomId, generation, self.identityKey, peer.identityKey),
      keyPackages,
      authData: manifestsOf(live, peerId, self, peer),
      accounts: [self.identityKey, peer.identityKey],
      now: new Date(),
    })
    const prepared = await prepare(live, { chatRoomId, peerId, room, generation, epoch: 0, made, hasPath: false })
    // A first group: the record that its commit will move on from.
    if (!room.record) await live.vault.write(roomWrites(chatRoomId, { ...newRecord(EMPTY_GROUP), from: 1 }, undefined))
    return prepared
  })
}

const EMPTY_GROUP: RoomGroup = {
  chatRoomId: '',
  generation: 0,
  groupId: null,
  epoch: 0,
  lastSeq: 0,
  groupInfo: null,
  welcome: null,
}

/** Enters the current group by its GroupInfo, in place of an old leaf of this device [Note: R2, R4]. */
export function joinRoom(live: Live, { chatRoomId, peerId, group: served }: Place & { group: RoomGroup }): Promise<CommitDraft> {
  return withRoom(live, chatRoomId, peerId, async (room) => {
    const { self, peer } = await pairOf(live, peerId)
    if (!served.groupInfo || !served.groupId) throw new CryptoFailure('group_info', 'The server returned no state of this room')
    const groupInfo = fromBase64(served.groupInfo)
    const shown = await groupInfoMembers(groupInfo)
    checkPlace(chatRoomId, served, shown.groupId, self, peer)
    if (shown.epoch !== served.epoch) throw new CryptoFailure('group_info', 'The state of this room is out of date')
    const ownLeaf = shown.members.find((member) => member.deviceId === live.device.id)
    const made = await joinByGroupInfo({
      device: leafDevice(live),
      groupInfo,
      replaceOwnLeaf: ownLeaf && live.device.leafKey,
      authData: manifestsOf(live, peerId, self, peer),
      accounts: [self.identityKey, peer.identityKey],
      now: new Date(),
    })
    return prepare(live, { chatRoomId, peerId, room, generation: served.generation, epoch: served.epoch, made, hasPath: true })
  })
}

/** Removes leaves that no manifest lists, or heals with an empty commit [Note: D3, R7]. */
export function commitRoom(live: Live, { chatRoomId, peerId }: Place): Promise<CommitDraft> {
  return withRoom(live, chatRoomId, peerId, async (room) => {
    const { group, record } = room
    if (!group || !record) throw new CryptoFailure('outside', 'This device is not in the room yet')
    const { self, peer } = await pairOf(live, peerId)
    const removeLeaves = unlisted(group, self, peer)
    const authData = removeLeaves.length > 0 ? manifestsOf(live, peerId, self, peer) : new Uint8Array()
    const made = await commitChange({ group, removeLeaves, addKeyPackages: [], authData })
    return prepare(live, { chatRoomId, peerId, room, generation: record.generation, epoch: epochOf(group), made, hasPath: true })
  })
}

interface Made {
  group: Group
  commit: Uint8Array
  welcome?: Uint8Array | undefined
  groupInfo: Uint8Array
}

interface Preparation extends Place {
  room: OpenRoom
  generation: number
  epoch: number
  made: Made
  hasPath: boolean
}

async function prepare(
  live: Live,
  { chatRoomId, peerId, room, generation, epoch, made, hasPath }: Preparation,
): Promise<CommitDraft> {
  const { self, peer } = await pairOf(live, peerId)
  const groupId = toBase64(groupIdOf(made.group))
  const archiveKey = await archiveKeyOf(made.group)
  const place = { groupId, epoch: epoch + 1 }
  const seals = await Promise.all([
    sealArchiveKey(live.userId, self, place, archiveKey),
    sealArchiveKey(peerId, peer, place, archiveKey),
  ])
  const draft: CommitDraft = {
    chatRoomId,
    generation,
    groupId,
    epoch,
    commit: toBase64(made.commit),
    ...(made.welcome && { welcome: toBase64(made.welcome) }),
    groupInfo: toBase64(made.groupInfo),
    archiveKeys: seals.filter((key) => key !== undefined),
    afterSeq: room.record?.cursor ?? 0,
  }
  await live.vault.write([pendingWrite({ draft, hasPath, group: writeGroup(made.group) })])
  return draft
}

function unlisted(group: Group, self: Peer, peer: Peer): number[] {
  const isListed = listedIn(self, peer)
  return members(group)
    .filter((member) => !isListed(member.accountKey, member.deviceId))
    .map((member) => member.leafIndex)
}

/** Both accounts' signed manifests: whoever applies the commit need not ask for them [Note: D2]. */
function manifestsOf(live: Live, peerId: string, self: Peer, peer: Peer): Uint8Array {
  const field = (userId: string, { signed }: Peer) => encodeFields(userId, signed.content, signed.signature)
  return encodeFields(field(live.userId, self), field(peerId, peer))
}
