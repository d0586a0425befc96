import type { Env, SignedInUser } from '../env.ts'
import { requireRoom } from '../rooms/members.ts'
import * as store from './store.ts'

/** Marks everything up to `seq`, or up to the newest message, as read. Throws Refusal. */
export async function markRead(env: Env, user: SignedInUser, roomId: string, seq?: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user.id, roomId)
  return tell(env, user, roomId, await store.raiseRead(env.db, roomId, user.id, seq ?? null, env.clock()))
}

/** Marks everything up to `seq` as stored on a device of the caller. Throws Refusal. */
export async function markDelivered(env: Env, user: SignedInUser, roomId: string, seq: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user.id, roomId)
  return tell(env, user, roomId, await store.raiseDelivered(env.db, roomId, user.id, seq, env.clock()))
}

/** Publishes the marks to the members, except those who have declined the caller's request. */
function tell(env: Env, user: SignedInUser, chatRoomId: string, moved: store.MovedMarks | undefined): Record<string, never> {
  if (moved) {
    const { deliveredSeq, readSeq, audience } = moved
    env.hub.publish(audience, { type: 'receipt', data: { chatRoomId, userId: user.id, deliveredSeq, readSeq } })
  }
  return {}
}
