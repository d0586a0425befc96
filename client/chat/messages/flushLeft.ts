import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { isBlocked } from '../../rooms/list/room.ts'
import { isShut, roomById } from '../../rooms/list/roomList.ts'
import { isFlushing, waitOf } from './outbox.ts'
import { flush } from './send.ts'

/** Sends what a tab that has ended has left behind. One that sends takes less time. */
export async function flushLeft(env: Env): Promise<void> {
  if (connectionStore.getState().phase !== 'open') return
  for (const id of await env.crypto.roomsWithOutbox()) {
    const room = roomById(id)
    if (!room || isShut(room) || isBlocked(room) || waitOf(id) || isFlushing(env, room)) continue
    const due = (await env.crypto.outbox(id)).find(({ failure, isHeld, content }) => !failure && !isHeld && content)
    // The order is the time, in millionths of a second.
    if (due && due.order < (Date.now() - PERIODS.leftBehindMs) * 1000) await flush(env, room)
  }
}
