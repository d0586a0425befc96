import type { Env, SignedInUser } from '../../env.ts'
import { requireRoom } from '../rooms/members.ts'
import * as store from './store.ts'

/** Marks everything up to `seq` or the newest message. Throws Refusal. */
export async function markRead(env: Env, user: SignedInUser, roomId: string, seq?: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user, roomId, env.clock())
  return tell(env, user, roomId, await store.raiseRead(env.db, roomId, user.id, seq ?? null, env.clock()))
}

/** Throws as `requireRoom` does. */
export async function markDelivered(env: Env, user: SignedInUser, roomId: string, seq: number): Promise<Record<string, never>> {
  await requireRoom(env.db, user, roomId, env.clock())
  return tell(env, user, roomId, await store.raiseDelivered(env.db, roomId, user.id, seq, env.clock()))
}

/** Members who are not shown the read mark learn of the delivered mark alone. */
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
