import type { Env, SignedInUser } from '../../env.ts'
import type { Seat } from '../../ground/realtime/hub.ts'
import type { FrameHandlers } from '../../ground/realtime/listen.ts'
import { Refusal } from '../../refuse.ts'
import { hashOf } from '../chatlocks/chatGate.ts'
import { answerCall } from './answer.ts'
import { noteBeat } from './beat.ts'
import { endCall, rejectCall } from './end.ts'
import type { Speaker } from './ends.ts'
import { passCandidate, passSignal } from './pass.ts'
import type { Places } from './places.ts'
import { ringCall } from './ring.ts'

type CallFrame = 'call-offer' | 'call-answer' | 'call-signal' | 'ice-candidate' | 'call-reject' | 'call-end' | 'call-beat'

export const callFrames = (env: Env, places: Places): Pick<FrameHandlers, CallFrame> => ({
  async 'call-offer'(user, offer, asking) {
    requireTorKept(env, asking, offer)
    return await ringCall(env, speakerOf(user, asking), lowered(offer), places)
  },
  async 'call-answer'(user, answer, asking) {
    requireTorKept(env, asking, answer)
    return await answerCall(env, speakerOf(user, asking), lowered(answer), places)
  },
  async 'call-signal'(user, signal, asking) {
    await passSignal(env, speakerOf(user, asking), lowered(signal), places)
    return undefined
  },
  async 'ice-candidate'(user, { targetUserId, ...sent }, asking) {
    const { to, ...rest } = lowered({ ...sent, to: targetUserId })
    await passCandidate(env, speakerOf(user, asking), { ...rest, targetUserId: to }, places)
    return undefined
  },
  async 'call-reject'(user, reject, asking) {
    await rejectCall(env, speakerOf(user, asking), lowered(reject), places)
    return undefined
  },
  async 'call-end'(user, end, asking) {
    await endCall(env, speakerOf(user, asking), lowered(end))
    return undefined
  },
  async 'call-beat'(user, { callId }, asking) {
    await noteBeat(env, speakerOf(user, asking), callId.toLowerCase(), places)
    return undefined
  },
})

/** Throws Refusal. */
function speakerOf(user: SignedInUser, seat: Seat): Speaker {
  if (user.deviceId === null) throw new Refusal('device_required')
  return { userId: user.id, session: hashOf(user), device: user.deviceId, seat }
}

/** PostgreSQL and the hub have ids in lower case. */
const lowered = <Sent extends { callId: string; to: string }>(sent: Sent): Sent => ({
  ...sent,
  ...{ callId: sent.callId.toLowerCase(), to: sent.to.toLowerCase() },
})

/** Throws Refusal. */
function requireTorKept({ onion }: Env, { comesByOnion }: Seat, { leavesTor }: { leavesTor?: boolean | undefined }): void {
  if (comesByOnion && (leavesTor !== true || onion.isRequired)) throw new Refusal('call_leaves_tor')
}
