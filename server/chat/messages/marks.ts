import type { Env, SignedInUser } from '../../env.ts'
import { requireRoom } from '../rooms/members.ts'
import * as store from './store.ts'

/** Marks everything up to `seq`, or up to the newest message, as read. Throws Refusal. */
export async function markRead(env: Env, user: SignedInUser, roomId: string, seq?: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user, roomId, env.clock())
  return tell(env, user, roomId, await store.raiseRead(env.db, roomId, user.id, seq ?? null, env.clock()))
}

/** Marks everything up to `seq` as stored on a device of the caller. Throws Refusal. */
export async function markDelivered(env: Env, user: SignedInUser, roomId: string, seq: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user, roomId, env.clock())
  return tell(env, user, roomId, await store.raiseDelivered(env.db, roomId, user.id, seq, env.clock()))
}

/**
 * Publishes the marks to the members, except those who have declined the caller's request. Whoever is not shown how far the caller has
 * read is told of what the caller has received, and nothing where that has not changed.
 */
function tell(env: Env, user: SignedInUser, chatRoomId: string, moved: store.MovedMarks | undefined): Record<string, never> {
  if (moved) {
    const { deliveredSeq, readSeq, audience, hasDelivered } = moved
    const mark = { chatRoomId, userId: user.id, deliveredSeq }
    const those = (sees: boolean) => audience.filter(({ seesReading }) => seesReading === sees).map(({ userId }) => userId)
    env.hub.publish(those(true), { type: 'receipt', data: { ...mark, readSeq } })
    if (hasDelivered) env.hub.publish(those(false), { type: 'receipt', data: { ...mark, readSeq: 0 } })
  }
  return {}
}
