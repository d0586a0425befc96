import type { ArchiveKey, CommitDraft } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { forgetClaims, hasClaimed } from '../../identity/devices/keypackages.ts'
import { requireLive } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { tellLocked } from '../chatlocks/chatGate.ts'
import { openSince } from '../chatlocks/times.ts'
import { keyBytesReached, requireAnswered, takenBy } from './keyBytes.ts'
import { findStale, keptKeys, newestManifests, staleManifest } from './manifests.ts'
import { idsOf, type Room, requireRoom } from './members.ts'
import { readLog, shownCommit } from './rooms.ts'
import * as rooms from './store.ts'
import * as archive from './store-archivekeys.ts'
import * as store from './store-commits.ts'

/**
 * Appends a commit [Note: R6]; the same bytes keep their seq. Throws Refusal: `stale_epoch` with the missed entries,
 * `stale_manifest` with the newest versions.
 */
export async function appendCommit(env: Env, user: SignedInUser, draft: CommitDraft): Promise<{ seq: number }> {
  const { chatRoomId, groupId, epoch } = draft
  const outcome = await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, chatRoomId, env.clock())
    await rooms.lockRoom(tx, chatRoomId)
    const room = await requireRoom(tx, user, chatRoomId, env.clock())
    const taken = await store.findCommit(tx, chatRoomId, groupId, epoch)
    if (taken) return taken.senderId === user.id && taken.commit === draft.commit ? { seq: taken.seq } : undefined
    if (room.isClosed) throw new Refusal('account_deleted')
    if (!fits(room, draft)) return undefined
    // A device that was removed meanwhile could reopen the room [Note: D3].
    await requireLive(tx, user)
    const members = idsOf(room)
    if (draft.archiveKeys.some((key) => !members.includes(key.userId) || key.groupId !== groupId || key.epoch !== epoch + 1)) {
      throw invalid('An archive key belongs to a member and to the epoch that the commit starts')
    }
    // What is refused anyway tells a stranger of no device list.
    if (epoch === 0) await requireClaim(tx, user, draft)
    await requireAnswered(tx, user, room)
    // Removing a device locks the room first.
    const manifests = await newestManifests(tx, members)
    const stale = await findStale(tx, user.id, room, { manifests, known: draft })
    if (stale) return { stale }
    if (epoch === 0) await takeGeneration(env, chatRoomId)
    const sealed = new Map(keptKeys(manifests, draft.archiveKeys).map((key) => [key.userId, key]))
    const counted = takenBy(env, user, draft.commit, draft.welcome, draft.groupInfo, ...sealsOf([...sealed.values()]))
    const row = await store.appendCommit(tx, user.id, draft, counted, env.clock())
    if (!row) throw keyBytesReached(env)
    await archive.addArchiveKeys(tx, inSlot(room, 'committer', [...sealed.values()]))
    if (epoch === 0) await forgetClaims(tx, chatRoomId, draft.generation)
    return {
      seq: row.seq,
      fresh: { audience: await rooms.findAudience(tx, chatRoomId, user.id, openSince(env.clock())), commit: shownCommit(row) },
    }
  })
  if (!outcome) {
    throw new Refusal('stale_epoch', {
      details: { log: await readLog(env, user, chatRoomId, draft.afterSeq, LIMITS.logPageMax) },
    })
  }
  if (outcome.stale) throw await staleManifest(env, user.id, outcome.stale)
  await env.fault?.('commit:committed')
  if (outcome.fresh) {
    const { audience, commit } = outcome.fresh
    env.hub.publish(audience.userIds, { type: 'commit', data: commit }, audience.open)
    tellLocked(env, chatRoomId, audience.open)
  }
  return { seq: outcome.seq }
}

/** Throws as `requireRoom` does. */
export async function readArchiveKeys(env: Env, user: SignedInUser, roomId: string, groupId: string, epochs: string) {
  await requireRoom(env.db, user, roomId, env.clock())
  const asked = { roomId, userId: user.id, groupId, epochs: epochs.split(',').map(Number), perSlot: LIMITS.archiveKeysPerSlot }
  return { keys: await archive.findArchiveKeys(env.db, asked) }
}

/** Adds keys to a committer's [Note: H1]. Throws Refusal. */
export async function addArchiveKeys(
  env: Env,
  user: SignedInUser,
  roomId: string,
  keys: ArchiveKey[],
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, roomId, env.clock())
    // Switching the history off takes this lock, then deletes the keys.
    await rooms.lockRoom(tx, roomId)
    const room = await requireRoom(tx, user, roomId, env.clock())
    await requireLive(tx, user)
    if (keys.some((key) => key.userId !== user.id)) throw invalid('These are archive keys of another account')
    const started = await archive.startedEpochs(tx, roomId, [...new Set(keys.map((key) => key.groupId))])
    if (keys.some((key) => !started.has(`${key.groupId} ${key.epoch}`))) throw invalid('The room had no such epoch')
    const manifests = await newestManifests(tx, [user.id])
    const newest = manifests.get(user.id)?.historyKeyId
    if (keys.some(({ historyKeyId }) => historyKeyId !== newest)) throw invalid('The account has another history key')
    const kept = keptKeys(manifests, keys)
    if (!(await archive.addOwnKeys(tx, inSlot(room, 'own_device', kept), takenBy(env, user, ...sealsOf(kept)))))
      throw keyBytesReached(env)
  })
  return {}
}

interface GroupInfoOf {
  chatRoomId: string
  groupId: string
  epoch: number
  groupInfo: string
}

/** Replaces a wrong GroupInfo [Note: R2]. Throws Refusal. */
export async function replaceGroupInfo(env: Env, user: SignedInUser, found: GroupInfoOf): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, found.chatRoomId, env.clock())
    await rooms.lockRoom(tx, found.chatRoomId)
    const room = await requireRoom(tx, user, found.chatRoomId, env.clock())
    await requireLive(tx, user)
    if (room.groupId !== found.groupId || room.epoch !== found.epoch) throw new Refusal('stale_epoch')
    const taken = takenBy(env, user, found.groupInfo)
    if (!(await store.setGroupInfo(tx, found.chatRoomId, found.groupInfo, taken))) throw keyBytesReached(env)
  })
  return {}
}

function fits(room: Room, { generation, groupId, epoch }: CommitDraft): boolean {
  if (generation === room.generation + 1) return epoch === 0 && groupId !== room.groupId
  return room.generation > 0 && generation === room.generation && groupId === room.groupId && epoch === room.epoch
}

/** Requires a claim of the generation's packages [Note: R8]. */
async function requireClaim(tx: Queryable, user: SignedInUser, { chatRoomId, generation }: CommitDraft): Promise<void> {
  const { id, deviceId } = user
  if (deviceId === null || !(await hasClaimed(tx, { chatRoomId, generation, claimedBy: id, claimingDevice: deviceId })))
    throw invalid('Claim the key packages of this generation first')
}

/** Throws Refusal `too_many_requests`. The room's limit also binds two accounts that take turns. */
async function takeGeneration(env: Env, chatRoomId: string): Promise<void> {
  await env.limits.take('generations', chatRoomId)
  await env.limits.take('generationsADay', chatRoomId)
}

const sealsOf = (keys: ArchiveKey[]): string[] => keys.map(({ sealed }) => sealed)

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })

const inSlot = ({ number }: Room, sealedBy: 'committer' | 'own_device', keys: ArchiveKey[]) =>
  keys.map((key) => ({ room: number, sealedBy, ...key }))
