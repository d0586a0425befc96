import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { hashOf } from '../chatlocks/chatGate.ts'
import type { Raised } from './store-marks.ts'

type Done = Record<string, never>

/** Marks everything up to `seq` or the newest message. Throws Refusal. */
export const markRead = (env: Env, user: SignedInUser, chatRoomId: string, seq = Number.MAX_SAFE_INTEGER): Promise<Done> =>
  raise(env, user, chatRoomId, seq, true)

/** Throws as `markRead` does. */
export const markDelivered = (env: Env, user: SignedInUser, chatRoomId: string, seq: number): Promise<Done> =>
  raise(env, user, chatRoomId, seq, false)

async function raise(env: Env, user: SignedInUser, chatRoomId: string, seq: number, isRead: boolean): Promise<Done> {
  const raised = await env.marks.raise({ chatRoomId, userId: user.id, seq, isRead, session: hashOf(user) })
  if (typeof raised === 'string') throw new Refusal(raised)
  if (raised) tell(env, user, chatRoomId, raised)
  return {}
}

/** Members who are not shown the read mark learn of the delivered mark alone. */
function tell(env: Env, user: SignedInUser, chatRoomId: string, raised: Raised): void {
  const { deliveredSeq, readSeq, audience, hasDelivered } = raised
  const mark = { chatRoomId, userId: user.id, deliveredSeq }
  const those = (sees: boolean) => audience.filter(({ seesReading }) => seesReading === sees).map(({ userId }) => userId)
  env.hub.publish(those(true), { type: 'receipt', data: { ...mark, readSeq } })
  if (hasDelivered) env.hub.publish(those(false), { type: 'receipt', data: { ...mark, readSeq: 0 } })
}
