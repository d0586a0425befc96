import { type CommitDraft, logPageShape, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { CryptoFailure, type Mismatch, type RoomState } from '../../worker/crypto.ts'
import { isBlocked, isFollowed, personIdOfDirect, placeOf, type Room } from '../list/room.ts'
import { unlessLocked } from '../list/roomLocks.ts'
import { refreshPeers, refreshStale } from '../trust/peers.ts'
import { nameOf, personById } from '../trust/people.ts'
import { catchUp } from './catchUp.ts'
import { askingRestart, isOtherState } from './otherState.ts'
import { pageNewEpochs } from './pageNewEpochs.ts'

/** Limits commits lost to other devices. */
const TRIES = 8

const WHY_STOPPED: Record<Mismatch, string> = {
  key_changed: 'This person’s key has changed.',
  name_changed: 'This person’s username has changed.',
  key_conflict: 'You know two keys of this person.',
  name_taken: 'This username belongs to somebody else whom you know.',
  numbers_differ: 'The safety numbers differ.',
  key_undecided: 'You have not confirmed this person’s key yet.',
  list_absent: 'The server shows no key of this person.',
}

export type Readiness = { ready: true } | { ready: false; reason: string }

/** Prepares this device for sending [Note: R4, R7]. `mustCommit`: the server accepts nothing before a commit [Note: D3]. */
export function readyRoom(env: Env, room: Room, { mustCommit = false } = {}): Promise<Readiness> {
  return askingRestart(room, () => ready(env, room, mustCommit))
}

/** undefined: the shown lists fit the pins. Throws RefusedList. */
export async function whyStopped(env: Env, room: Room): Promise<string | undefined> {
  const [mismatch] = (await refreshPeers(env, room)).values()
  return mismatch && `${WHY_STOPPED[mismatch]} Nothing is sent until ${mismatch === 'list_absent' ? 'it does' : 'you decide'}.`
}

/** The next sender creates a missing group. */
export async function enterRoom(env: Env, room: Room): Promise<void> {
  if (!isFollowed(room) || room.isClosed) return
  const { need } = await env.crypto.roomNeed({ ...placeOf(room), now: env.clock().getTime() })
  if (need === 'join') await readyRoom(env, room)
}

/**
 * The server has deleted the pages with the current archive key [Note: L1]. Without the server the next sender begins the epoch.
 */
export async function renewEpoch(env: Env, room: Room): Promise<void> {
  if (!isFollowed(room) || isBlocked(room) || room.isClosed) return
  try {
    await catchUp(env, room)
    const { need } = await env.crypto.roomNeed({ ...placeOf(room), now: env.clock().getTime() })
    if (need === 'ready') await postCommit(env, room, await env.crypto.commitRoom(placeOf(room)))
    else if (need === 'join' || need === 'commit') await readyRoom(env, room)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

async function ready(env: Env, room: Room, mustCommit: boolean): Promise<Readiness> {
  if (room.isClosed) return { ready: false, reason: 'This account was deleted. Nothing can be sent.' }
  const reason = await whyStopped(env, room)
  if (reason) return { ready: false, reason }
  const ask = () => env.crypto.roomNeed({ ...placeOf(room), now: env.clock().getTime() })
  const first = await ask()
  // The server refuses the message if another device was faster.
  if (!mustCommit && first.need === 'ready' && first.cursor >= room.lastSeq && !first.isPending) return unlessForked(first)
  let isOwed = mustCommit
  let hasFailed = false
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await catchUp(env, room)
    const state = await ask()
    const { need } = state
    if (need === 'ready' && !isOwed) return unlessForked(state)
    if (need === 'no_device')
      return {
        ready: false,
        reason: `${peerName(room)} has no device yet. Your message waits here and goes out when they sign in.`,
      }
    const drafted = await draft(env, room, need === 'ready' ? 'commit' : need, hasFailed)
    if (drafted === 'moved') continue
    if (drafted === 'failed') hasFailed = true
    else isOwed = (await postCommit(env, room, drafted)) === 'stale_manifest'
  }
  return { ready: false, reason: 'This chat is busy. Try again.' }
}

const unlessForked = ({ isForked }: RoomState): Readiness =>
  isForked
    ? { ready: false, reason: 'Two device lists have the same number. Nothing is sent until you decide.' }
    : { ready: true }

export function peerName(room: Room): string {
  const person = personById(personIdOfDirect(room) ?? '')
  return person ? nameOf(person) : 'This person'
}

/**
 * Returns `moved` if another device was faster, `failed` if the group could not be entered. A second failure drafts a new
 * generation [Note: R4].
 */
async function draft(
  env: Env,
  room: Room,
  need: Exclude<RoomState['need'], 'ready' | 'no_device'>,
  hasFailed: boolean,
): Promise<CommitDraft | 'moved' | 'failed'> {
  const place = placeOf(room)
  try {
    if (need === 'commit') return await env.crypto.commitRoom(place)
    if (need === 'create') return await createGroup(env, room)
    const group = await env.api(roomsApi.group, { chatRoomId: room.id })
    return await env.crypto.joinRoom({ ...place, group })
  } catch (error) {
    if (isRefused(error, 'stale_epoch')) return 'moved'
    if (need !== 'join' || !(error instanceof CryptoFailure) || isOtherState(error)) throw error
    return hasFailed ? await draft(env, room, 'create', false) : 'failed'
  }
}

export async function createGroup(env: Env, room: Room): Promise<CommitDraft | 'moved'> {
  const chatRoomId = room.id
  const { generation: current } = await env.api(roomsApi.group, { chatRoomId })
  // A further generation would restart the encryption needlessly.
  if (current > ((await env.crypto.roomRecord(chatRoomId))?.generation ?? 0)) return 'moved'
  const generation = current + 1
  const { packages } = await env.api(roomsApi.claimKeyPackages, { chatRoomId, generation })
  return env.crypto.createRoom({ ...placeOf(room), generation, keyPackages: packages.map(({ keyPackage }) => keyPackage) })
}

/**
 * Returns `stale_epoch` after another commit [Note: R6]. Drops a commit for old device lists, which the server would always refuse.
 */
export async function postCommit(env: Env, room: Room, draft: CommitDraft): Promise<'taken' | 'stale_epoch' | 'stale_manifest'> {
  try {
    await env.api(roomsApi.commit, draft)
    await catchUp(env, room)
    await unlessLocked(env, room, () => pageNewEpochs(env, room))
    return 'taken'
  } catch (error) {
    if (isRefused(error, 'stale_manifest')) {
      await refreshStale(env, room, error.details)
      // Only the response may have been lost.
      await catchUp(env, room)
      await env.crypto.dropCommit({ ...placeOf(room), commit: draft.commit })
      return 'stale_manifest'
    }
    if (!isRefused(error, 'stale_epoch')) throw error
    const missed = logPageShape.safeParse((error.details as { log?: unknown } | undefined)?.log)
    await catchUp(env, room, missed.data?.entries ?? [])
    return 'stale_epoch'
  }
}
