import type { z } from 'zod'
import type { CallEndReason, callEndShape, callRejectShape } from '../../../contract/chat/callframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { sharePresence } from '../../people/privacy/privacy.ts'
import { areMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { pushAnswered } from '../push/pushRing.ts'
import { endFrame, endOnce, isCallerOf, otherOf, requireCall, ringOf, type Speaker, stopsRinging, tellEnd } from './ends.ts'
import type { Places } from './places.ts'
import * as store from './store.ts'

/** The others are the server's. */
const SAID: readonly CallEndReason[] = ['ended', 'no_answer', 'words', 'failed', 'locked']

/** Who is rung may end it in any browser. Throws Refusal. */
export async function endCall(env: Env, speaker: Speaker, { callId, to, reason }: z.output<typeof callEndShape>): Promise<void> {
  const call = await requireCall(env, speaker, callId, to)
  if (call.answeredAt !== null) otherOf(call, speaker)
  else if (call.calleeId !== speaker.userId && !isCallerOf(call, speaker)) throw new Refusal('call_over')
  const ending = { reason: SAID.includes(reason) ? reason : ('ended' as const), by: speaker }
  await endOnce(env, call, ending, call.answeredAt === null && call.calleeId === speaker.userId)
}

/** `busy` of a callee who hides presence is kept from the caller: it rings on. Throws Refusal. */
export async function rejectCall(
  env: Env,
  speaker: Speaker,
  { callId, to, attempt, reason }: z.output<typeof callRejectShape>,
  { heard }: Places,
): Promise<void> {
  const call = await requireCall(env, speaker, callId, to)
  const rejects: ServerFrame = { type: 'call-reject', data: { callId, to, attempt, reason, from: speaker.userId } }
  if (call.answeredAt !== null) {
    const other = otherOf(call, speaker)
    if (reason !== 'epoch' && reason !== 'again') return await endOnce(env, call, { reason: 'failed', by: speaker })
    heard(callId, speaker.seat)
    if (attempt === call.attempt) tellEnd(env, other, rejects)
    return
  }
  if (call.calleeId !== speaker.userId || reason === 'epoch' || reason === 'again') throw new Refusal('call_over')
  if (reason !== 'busy' || (await showsPresence(env, speaker.userId, to))) {
    if (!(await store.endCall(env.db, callId, true, env.clock()))) return
    tellEnd(env, { userId: to, session: call.callerSession }, rejects)
    pushAnswered(env, ringOf(call))
  } else await store.stopRinging(env.db, callId)
  stopsRinging(env, call, endFrame(callId, speaker.userId, 'ended'), speaker.seat)
}

const showsPresence = async ({ db }: Env, userId: string, viewerId: string): Promise<boolean> =>
  (await areMutual(db, userId, viewerId)) && (await sharePresence(db, userId, viewerId))
