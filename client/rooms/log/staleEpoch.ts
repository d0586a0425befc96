import { z } from 'zod'
import type { Env } from '../../env.ts'
import { type ApiError, isRefused } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { isBlocked, isFollowed, type Room } from '../list/room.ts'
import { roomById, setBehind } from '../list/roomList.ts'
import { refreshStale } from '../trust/peers.ts'
import { catchUp } from './catchUp.ts'
import { readyRoom } from './readyRoom.ts'

const needsCommitShape = z.object({ needsCommit: z.literal(true) })

/**
 * Reads what a stale_epoch refusal lacks. Returns true if the room needs a commit without a removed device: `readyRoom` with
 * `mustCommit` [Note: D3].
 */
export async function onStaleEpoch(env: Env, room: Room, { details }: ApiError): Promise<boolean> {
  const mustCommit = needsCommitShape.safeParse(details).success
  if (mustCommit) await refreshStale(env, room, details)
  else await catchUp(env, room)
  return mustCommit
}

/** Tells the other members of a fork by a commit that names this browser's device lists [Note: D2]. */
export async function tellForks(env: Env, { id }: Room): Promise<void> {
  const room = roomById(id)
  if (!room?.forks.some(({ isTold }) => !isTold) || room.isClosed || !mayCommit(room)) return
  try {
    await readyRoom(env, room)
  } catch (error) {
    // The next log entry brings another attempt.
    if (!(error instanceof CryptoFailure) && !mustWait(error)) throw error
  }
}

/** [Note: R5] */
export const mayCommit = (room: Room): boolean => isFollowed(room) && !isBlocked(room)

/** A new browser without history reads only by MLS [Note: H1]. Throws the first failure after all rooms. */
export async function enterEverywhere(env: Env, rooms: Room[]): Promise<void> {
  if ((await env.crypto.ownStanding()).keepsHistory) return
  const failures: unknown[] = []
  for (const room of rooms) {
    await enterWhereOutside(env, room).catch((error: unknown) => {
      // The next run tries again.
      setBehind([room.id])
      if (!mustWait(error)) failures.push(error)
    })
  }
  if (failures.length > 0) throw failures[0]
}

async function enterWhereOutside(env: Env, room: Room): Promise<void> {
  const record = await env.crypto.roomRecord(room.id)
  const isOutside = record?.standing === 'outside' && record.generation > 0
  if (isOutside && mayCommit(room)) await readyRoom(env, room)
}

const mustWait = (error: unknown): boolean => isRefused(error, 'key_bytes_reached') || isRefused(error, 'request_unanswered')
