import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { isBlocked, isFollowed, placeOf, type Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'
import { refreshPeers } from '../trust/peers.ts'
import { catchUp } from './catchUp.ts'
import { postCommit } from './readyRoom.ts'

/** A random delay spreads devices that become due together. */
const WAIT_MAX_MS = 60 * 60_000

/** Renews the keys of rooms in which this browser only reads [Note: R7]. */
export function keepHealing(env: Env, report: (work: Promise<void>) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout>
  const wait = () => {
    if (!isStopped) timer = setTimeout(() => report(healReading(env).finally(wait)), Math.random() * WAIT_MAX_MS)
  }
  wait()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Throws the first failure after all rooms were tried. */
export async function healReading(env: Env): Promise<void> {
  const failures: unknown[] = []
  for (const chatRoomId of await env.crypto.roomsToHeal({ now: env.clock().getTime() })) {
    const room = roomById(chatRoomId)
    // A commit would show this browser [Note: R5].
    if (!room || room.isClosed || isBlocked(room) || !isFollowed(room) || room.lock !== 'none') continue
    try {
      await heal(env, room)
    } catch (error) {
      if (isRefused(error, 'key_bytes_reached')) break
      if (!isRefused(error, 'request_unanswered')) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function heal(env: Env, room: Room): Promise<void> {
  if ((await refreshPeers(env, room)).size > 0) return
  await catchUp(env, room)
  const now = env.clock().getTime()
  // The missed entries may have removed this device.
  const { need } = await env.crypto.roomNeed({ ...placeOf(room), now })
  if (need !== 'ready' && need !== 'commit') return
  const outcome = await postCommit(env, room, await env.crypto.commitRoom(placeOf(room)))
  if (outcome !== 'taken') await env.crypto.putHealingOff({ ...placeOf(room), now })
}
