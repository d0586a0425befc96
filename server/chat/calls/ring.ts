import type { z } from 'zod'
import type { callOfferShape } from '../../../contract/chat/callframes.ts'
import type { ServerData, ServerFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { askTogether } from '../../ground/db/askTogether.ts'
import { type Seat, sendFrame } from '../../ground/realtime/hub.ts'
import { Refusal } from '../../refuse.ts'
import { pushRing } from '../push/pushRing.ts'
import { ringOf, type Speaker, tellEnd } from './ends.ts'
import type { Places } from './places.ts'
import * as store from './store.ts'

/** Answers the caller alike whether somebody is rung or not. Throws Refusal. */
export async function ringCall(
  env: Env,
  speaker: Speaker,
  { callId, to, attempt, callType, signal }: z.output<typeof callOfferShape>,
  { heard }: Places,
): Promise<ServerFrame> {
  await env.limits.take('rings', speaker.userId)
  const ring = { ...speaker, callId, to, attempt, callType, signal }
  const { verdict, isHeard, answeredBy, ...rung } = await store.ringCall(env.db, ring, env.clock())
  if (verdict !== 'rings' && verdict !== 'attempt' && verdict !== 'old') throw new Refusal(verdict)
  heard(callId, speaker.seat)
  const data = { callId, to, attempt, callType: rung.callType, from: speaker.userId, device: speaker.device, signal }
  if (isHeard) {
    env.hub.publish([to], { type: 'call-offer', data })
    env.hub.publishToWaiting(to, { type: 'call-offer', data: nameless(data) })
    pushRing(env, ringOf({ id: callId, callerId: speaker.userId, calleeId: to }))
  } else if (verdict === 'attempt' && answeredBy !== null) {
    tellEnd(env, { userId: to, session: answeredBy }, { type: 'call-offer', data })
  }
  return { type: 'call-success', data: { callId } }
}

/** Rings a browser that comes meanwhile. After a restart all come at once. */
export function ringArrivals(env: Env): (seat: Seat) => Promise<void> {
  const ringing = askTogether(async (userIds) => {
    const found = await store.findRinging(env.db, userIds, env.clock())
    return new Map(userIds.map((userId) => [userId, found.filter(({ calleeId }) => calleeId === userId)]))
  })
  return async (seat) => ringHere(seat, (await ringing(seat.userId)) ?? [])
}

function ringHere({ userId, socket, isWaiting }: Seat, calls: store.Call[]): void {
  for (const call of calls) {
    const { id: callId, attempt, callType, callerId: from, callerDevice: device, signal } = call
    const data = { callId, to: userId, attempt, callType, from, device, signal }
    sendFrame(socket, { type: 'call-offer', data: isWaiting ? nameless(data) : data })
  }
}

/** For a locked browser. */
const nameless = (heard: ServerData['call-offer']): ServerData['call-offer'] => ({
  ...heard,
  ...{ callType: null, from: null, device: null, signal: null },
})
