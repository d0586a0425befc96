import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import type { LogOutcome } from '../../worker/crypto.ts'
import { isBlocked, placeOf, type Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'
import { auditCommits, fetchArchiveKeys } from './archiveKeys.ts'
import { loadOlderPage } from './olderPage.ts'
import { pageNewEpochs } from './pageNewEpochs.ts'

/** Returns the seq that this device has reached. */
export async function fetchMissing(env: Env, room: Room, outcome: LogOutcome): Promise<number> {
  const { missing, unaudited, cursor, from, mustEnter } = outcome
  if (missing.length > 0) await fetchArchiveKeys(env, room, missing)
  // A repair would show this browser [Note: R5].
  if (unaudited.length > 0 && !isBlocked(roomById(room.id) ?? room)) {
    await auditCommits(env, room, unaudited)
    await pageNewEpochs(env, room)
  }
  const reached = mustEnter
    ? // Without a Welcome the browser reads the archive.
      await enter(env, room)
    : { cursor, from }
  if (reached.from > reached.cursor) await loadOlderPage(env, room, reached.from)
  return reached.cursor
}

async function enter(env: Env, room: Room) {
  const group = await env.api(roomsApi.group, { chatRoomId: room.id })
  const place = { ...placeOf(room), group, now: env.clock().getTime() }
  const entered = await env.crypto.enterRoom(place)
  if (entered.asksCommitAt === undefined) return entered
  const { entries } = await env.api(roomsApi.log, { chatRoomId: room.id, after: entered.asksCommitAt - 1, limit: 1 })
  return await env.crypto.enterRoom({ ...place, creation: entries[0] ?? null })
}
