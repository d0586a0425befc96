import { z } from 'zod'
import type { Env } from '../../env.ts'
import type { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { roomOfRow } from '../list/listedRoom.ts'
import { everyRow } from '../list/loadRooms.ts'
import { isFollowed, placeOf, type Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'
import { refreshStale } from '../trust/peers.ts'
import { catchUp } from './catchUp.ts'
import { readyRoom } from './readyRoom.ts'

const needsCommitShape = z.object({ needsCommit: z.literal(true) })

/**
 * Handles a message refused with stale_epoch: reads the missed entries, or fetches the device lists that the refusal names.
 * Returns true if a device was removed and the room needs a commit without it; `readyRoom` then needs `mustCommit` [Note: D3].
 */
export async function onStaleEpoch(env: Env, room: Room, { details }: ApiError): Promise<boolean> {
  const mustCommit = needsCommitShape.safeParse(details).success
  if (mustCommit) await refreshStale(env, room, details)
  else await catchUp(env, room)
  return mustCommit
}

/**
 * After a device was removed here, commits in each room that this browser has joined and that still contains the device. In other
 * rooms the next sender commits. A failure in one room does not stop the others; throws the first failure at the end.
 */
export async function commitEverywhere(env: Env): Promise<void> {
  const failures: unknown[] = []
  const ownId = await env.crypto.ownId()
  for (const row of await everyRow(env)) {
    await commitWhereNeeded(env, roomOfRow(ownId, row).room).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Tells the other members of a fork that they may not have seen, by a commit that names the device lists which this browser knows
 * [Note: D2]. Nothing else goes out in that room.
 */
export async function tellForks(env: Env, { id }: Room): Promise<void> {
  const room = roomById(id)
  if (!room?.forks.some(({ isTold }) => !isTold) || room.isClosed || !isFollowed(room)) return
  try {
    await readyRoom(env, room)
  } catch (error) {
    // This person has been told, and the next entry of the log brings another attempt.
    if (!(error instanceof CryptoFailure)) throw error
  }
}

async function commitWhereNeeded(env: Env, room: Room): Promise<void> {
  if (room.isClosed || !isFollowed(room) || (await env.crypto.roomRecord(room.id))?.standing !== 'joined') return
  const { need } = await env.crypto.roomNeed({ ...placeOf(room), now: env.clock().getTime() })
  if (need === 'commit') await readyRoom(env, room)
}

/**
 * Enters all rooms at once on a new browser of an account without history, because the browser can read only by MLS [Note: H1].
 * Earlier messages stay on the other browsers.
 */
export async function enterEverywhere(env: Env, rooms: Room[]): Promise<void> {
  if ((await env.crypto.ownStanding()).keepsHistory) return
  for (const room of rooms) {
    const record = await env.crypto.roomRecord(room.id)
    const isOutside = record?.standing === 'outside' && record.generation > 0
    if (isOutside && isFollowed(room)) await readyRoom(env, room)
  }
}
