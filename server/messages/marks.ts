import type { Env, SignedInUser } from '../env.ts'
import { idsOf, type Room, requireRoom } from '../rooms/members.ts'
import type { Marks } from '../rooms/status.ts'
import * as store from './store.ts'

/** Everything up to `seq`, or to the newest, was read. Throws Refusal. */
export async function markRead(env: Env, user: SignedInUser, roomId: string, seq?: number): Promise<Record<string, never>> {
  const room = await requireRoom(env.db, user.id, roomId)
  return tell(env, user, room, await store.raiseRead(env.db, roomId, user.id, seq ?? null, env.clock()))
}

/** Everything up to `seq` is kept on a device of the caller. Throws Refusal. */
export async function markDelivered(env: Env, user: SignedInUser, roomId: string, seq: number): Promise<Record<string, never>> {
  const room = await requireRoom(env.db, user.id, roomId)
  return tell(env, user, room, await store.raiseDelivered(env.db, roomId, user.id, seq, env.clock()))
}

function tell(env: Env, user: SignedInUser, room: Room, moved: Marks | undefined): Record<string, never> {
  if (moved) {
    const { deliveredSeq, readSeq } = moved
    env.hub.publish(idsOf(room), { type: 'receipt', data: { chatRoomId: room.id, userId: user.id, deliveredSeq, readSeq } })
  }
  return {}
}
