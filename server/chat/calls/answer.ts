import type { z } from 'zod'
import type { callAnswerShape } from '../../../contract/chat/callframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { pushAnswered, pushMissed } from '../push/pushRing.ts'
import { endFrame, ringOf, type Speaker, stopsRinging, tellEnd } from './ends.ts'
import type { Places } from './places.ts'
import * as store from './store.ts'

/** The first session that accepts has the call. Throws Refusal. */
export async function answerCall(
  env: Env,
  speaker: Speaker,
  { callId, to, attempt, signal }: z.output<typeof callAnswerShape>,
  { heard }: Places,
): Promise<ServerFrame | undefined> {
  const { userId, device, seat } = speaker
  const { verdict, rungBy } = await store.answerCall(env.db, { ...speaker, callId, to, attempt }, env.clock())
  if (verdict === 'call_over' || verdict === 'chat_locked') throw new Refusal(verdict)
  if (verdict === 'elsewhere') return endFrame(callId, userId, 'answered')
  if (verdict === 'old' || rungBy === null) return undefined
  const [call, caller] = [
    { id: callId, calleeId: userId },
    { userId: to, session: rungBy },
  ]
  if (verdict === 'minutes') {
    tellEnd(env, caller, endFrame(callId, to, 'minutes'))
    stopsRinging(env, call, endFrame(callId, userId, 'minutes'))
    pushMissed(env, ringOf({ ...call, callerId: to }))
    return undefined
  }
  heard(callId, seat)
  tellEnd(env, caller, { type: 'call-answer', data: { callId, to, attempt, signal, from: userId, device } })
  if (verdict !== 'accepted') return undefined
  stopsRinging(env, call, endFrame(callId, userId, 'answered'), seat)
  pushAnswered(env, ringOf({ ...call, callerId: to }))
  return undefined
}
