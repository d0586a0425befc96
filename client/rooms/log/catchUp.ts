import { type LogEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { CryptoFailure, type StoredMessage } from '../../worker/crypto.ts'
import { isFollowed, placeOf, type Room } from '../list/room.ts'
import { isShut, unlessLocked } from '../list/roomLocks.ts'
import { fetchLists, fetchNamed } from '../trust/fetchNamed.ts'
import { noteOwnNews } from '../trust/ownDevices.ts'
import { refreshPeers } from '../trust/peers.ts'
import { fetchMissing } from './fetchMissing.ts'
import { askingRestart } from './otherState.ts'
import { showForks } from './showForks.ts'

/** Limit of repetitions while new groups appear between the requests for the group and for the log. */
const ENTER_TRIES = 3

/** What a catch-up has reached. */
export interface CaughtUp {
  /** The seq that this device had reached before, and has reached now. */
  after: number
  cursor: number
  /** The messages from `after` to `cursor`; null if more has changed in the vault than these. */
  opened: StoredMessage[] | null
  isJoined: boolean
}

/**
 * Follows a room's log to its end, for live entries and replay. Fetches what is missing. Throws CryptoFailure('log') if the
 * server's log is inconsistent. Skips requests that the person has not answered, because the sender could see when this browser
 * is online [Note: R5].
 */
export async function catchUp(env: Env, room: Room, live: LogEntry[] = []): Promise<CaughtUp> {
  // Of a locked room nothing is read: it waits at the server [Note: L1].
  if (isShut(room)) return readTo(0)
  if (!isFollowed(room)) return readTo((await env.crypto.roomRecord(room.id))?.cursor ?? 0)
  const follows = () => unlessLocked(env, room, () => askingRestart(room, () => follow(env, room, live)))
  return inTurn(env, `room ${room.id}`, async () => (await follows()) ?? readTo(0))
}

/** More has changed than one step tells: the vault is read again. */
const readTo = (cursor: number): CaughtUp => ({ after: cursor, cursor, opened: null, isJoined: false })

async function follow(env: Env, room: Room, live: LogEntry[]): Promise<CaughtUp> {
  let entries = live
  let lastSeq = live.length > 0 ? 0 : Number.POSITIVE_INFINITY
  let reached = -1
  let idle = 0
  let asked: Record<string, number> = {}
  let peers = room.peers
  for (let round = 1; ; round++) {
    const outcome = await env.crypto.receiveLog({ ...placeOf(room), entries, now: env.clock().getTime(), asked, peers })
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
    // Each round must advance the cursor or enter a newly created group; otherwise this loop would not end.
    if (idle > (mustEnter ? ENTER_TRIES : 0))
      throw new CryptoFailure('log', 'The server’s record of this chat does not fit together')
    await fetchNamed(env, room, outcome)
    // Messages named lists by their hashes that are known only now.
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
