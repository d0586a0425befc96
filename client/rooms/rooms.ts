import { type LogEntry, roomsApi } from '../../contract/rooms.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { inTurn } from '../net/turns.ts'
import { fetchLists, fetchNamed } from '../trust/named.ts'
import { noteOwnNews } from '../trust/own.ts'
import { refreshPeers } from '../trust/peers.ts'
import { fetchMissing } from './missing.ts'
import { askingRestart } from './otherstate.ts'
import { placeOf, type Room } from './room.ts'

/** How often a new group may be made between asking for the group and asking for the log. */
const ENTER_TRIES = 3

/**
 * Follows a room's log to its end: live entries and replay both enter here. Fetches what is missing.
 * Returns the place that this device has reached. Throws CryptoFailure('log') where the server's log leads nowhere.
 * A request that waits for the person's answer is not followed: whoever asked could see by it when this browser is online [Note: R5].
 */
export async function catchUp(env: Env, room: Room, live: LogEntry[] = []): Promise<number> {
  if (room.state === 'pending') return (await env.crypto.roomRecord(room.id))?.cursor ?? 0
  return inTurn(env, `room ${room.id}`, () => askingRestart(room, () => follow(env, room, live)))
}

async function follow(env: Env, room: Room, live: LogEntry[]): Promise<number> {
  // The sender's key has to be known before a message is judged: the verdict is stored for good.
  await refreshPeers(env, room)
  let entries = live
  let lastSeq = live.length > 0 ? 0 : Number.POSITIVE_INFINITY
  let reached = -1
  let idle = 0
  let asked: Record<string, number> = {}
  for (;;) {
    const outcome = await env.crypto.receiveLog({ ...placeOf(room), entries, now: env.clock().getTime(), asked })
    const { mustEnter, hasGap } = outcome
    noteOwnNews(outcome)
    if (Object.keys(outcome.unknownLists).length > 0) {
      await fetchLists(env, room, outcome.unknownLists)
      asked = { ...asked, ...outcome.unknownLists }
      continue
    }
    idle = outcome.cursor > reached ? 0 : idle + 1
    // Each page must lead further, or into a group that has just been made: else this would not end.
    if (idle > (mustEnter ? ENTER_TRIES : 0))
      throw new CryptoFailure('log', "The server's record of this room does not fit together")
    await fetchNamed(env, room, outcome)
    reached = await fetchMissing(env, room, outcome)
    if (!mustEnter && !hasGap && reached >= lastSeq) return reached
    const page = await env.api(roomsApi.log, { chatRoomId: room.id, after: reached })
    if (page.entries.length === 0) return reached
    entries = page.entries
    lastSeq = page.lastSeq
  }
}
