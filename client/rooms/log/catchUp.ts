import { type LogEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { connectionStore } from '../../net/status.ts'
import { CryptoFailure, type StoredMessage } from '../../worker/crypto.ts'
import { loadMarks } from '../list/marks.ts'
import { isFollowed, isNotes, placeOf, type Room } from '../list/room.ts'
import { isShut } from '../list/roomList.ts'
import { unlessLocked } from '../list/roomLocks.ts'
import { fetchLists, fetchNamed } from '../trust/fetchNamed.ts'
import { noteOwnNews } from '../trust/ownDevices.ts'
import { refreshPeers } from '../trust/peers.ts'
import { fetchMissing } from './fetchMissing.ts'
import { askingRestart } from './otherState.ts'
import { showForks } from './showForks.ts'

/** New groups may appear between the requests for group and log. */
const ENTER_TRIES = 3

export interface CaughtUp {
  after: number
  cursor: number
  /** The messages from `after` to `cursor`; null if the vault has other changes. */
  opened: StoredMessage[] | null
  isJoined: boolean
}

/**
 * Throws CryptoFailure('log') for an inconsistent log. Skips unanswered requests, whose senders could see this browser online
 * [Note: R5].
 */
export async function catchUp(env: Env, room: Room, live: LogEntry[] = []): Promise<CaughtUp> {
  // A locked room's log waits at the server [Note: L1].
  if (isShut(room)) return readTo(0)
  if (!isFollowed(room)) return readTo((await env.crypto.roomRecord(room.id))?.cursor ?? 0)
  const follows = () => unlessLocked(env, room, () => askingRestart(room, () => follow(env, room, live)))
  const caughtUp = await inTurn(env, `room ${room.id}`, async () => (await follows()) ?? readTo(0))
  if (isNotes(room)) await loadMarks(env)
  return caughtUp
}

const readTo = (cursor: number): CaughtUp => ({ after: cursor, cursor, opened: null, isJoined: false })

async function follow(env: Env, room: Room, live: LogEntry[]): Promise<CaughtUp> {
  let entries = live
  let lastSeq = live.length > 0 ? 0 : Number.POSITIVE_INFINITY
  let reached = -1
  let idle = 0
  let asked: Record<string, number> = {}
  let peers = room.peers
  for (let round = 1; ; round++) {
    const { ingress: route } = connectionStore.getState()
    const outcome = await env.crypto.receiveLog({ ...placeOf(room), entries, now: env.clock().getTime(), asked, peers, route })
    if (outcome.needsPeers) {
      await refreshPeers(env, room)
      peers = []
      continue
    }
    const { mustEnter, hasGap, after, opened, isJoined, forks, newerManifests } = outcome
    noteOwnNews(outcome)
    showForks(room, forks)
    if (Object.keys(outcome.unknownLists).length > 0) {
      await fetchLists(env, room, outcome.unknownLists)
      asked = { ...asked, ...outcome.unknownLists }
      continue
    }
    idle = outcome.cursor > reached ? 0 : idle + 1
    // Each round must advance the cursor or enter a new group, or the loop would not end.
    if (idle > (mustEnter ? ENTER_TRIES : 0))
      throw new CryptoFailure('log', 'The server’s record of this chat does not fit together')
    await fetchNamed(env, room, outcome)
    if (Object.keys(newerManifests).length > 0)
      showForks(room, (await env.crypto.receiveLog({ ...placeOf(room), entries: [], now: env.clock().getTime() })).forks)
    reached = await fetchMissing(env, room, outcome)
    if (!mustEnter && !hasGap && reached >= lastSeq) {
      const isAll = round === 1 && outcome.missing.length === 0 && reached === outcome.cursor && outcome.from <= reached
      return isAll ? { after, cursor: reached, opened, isJoined } : readTo(reached)
    }
    const page = await env.api(roomsApi.log, { chatRoomId: room.id, after: reached })
    if (page.entries.length === 0) return readTo(reached)
    entries = page.entries
    lastSeq = page.lastSeq
  }
}
