import type { CallEndReason } from '../../../contract/chat/callframes.ts'
import type { ServerFrame } from '../../../contract/frames.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { type Seat, sendFrame } from '../../ground/realtime/hub.ts'
import { Refusal } from '../../refuse.ts'
import { pushAnswered, pushMissed, type Ring } from '../push/pushRing.ts'
import * as store from './store.ts'

/** A session in a call. */
export interface End {
  userId: string
  session: Buffer
}

export interface Speaker extends End {
  device: string
  seat: Seat
}

export function tellEnd({ hub }: Pick<Env, 'hub'>, { userId, session }: End, frame: ServerFrame): void {
  hub.publish([userId], frame, { [userId]: [session.toString('hex')] })
}

export const endFrame = (callId: string, to: string, reason: CallEndReason, from: string | null = null): ServerFrame => ({
  type: 'call-end',
  data: { callId, to, reason, from },
})

export function stopsRinging(
  { hub }: Pick<Env, 'hub'>,
  { id, calleeId }: Pick<store.Call, 'id' | 'calleeId'>,
  frame: ServerFrame,
  asking?: Seat,
): void {
  for (const seat of hub.seats(calleeId)) if (seat !== asking) sendFrame(seat.socket, frame)
  hub.publishToWaiting(calleeId, endFrame(id, calleeId, 'ended'))
}

export interface Ending {
  reason: CallEndReason
  /** null: the server ends it. */
  by: Speaker | null
}

function tellOpen(env: Env, call: store.Call, { reason, by }: Ending): void {
  const { id, callerId, calleeId, callerSession, calleeSession } = call
  const from = by?.userId ?? null
  if (from !== callerId) tellEnd(env, { userId: callerId, session: callerSession }, endFrame(id, callerId, reason, from))
  const heard = from === calleeId ? endFrame(id, calleeId, 'ended') : endFrame(id, calleeId, reason, from)
  if (calleeSession === null) {
    if (call.isRung) stopsRinging(env, call, heard, by?.seat)
  } else if (from !== calleeId) tellEnd(env, { userId: calleeId, session: calleeSession }, heard)
}

/** With `ringsOnly` one that was answered meanwhile goes on. */
export async function endOnce(env: Env, call: store.Call, ending: Ending, ringsOnly = false): Promise<void> {
  if (await store.endCall(env.db, call.id, ringsOnly, env.clock())) tellEnded(env, call, ending)
}

function tellEnded(env: Env, call: store.Call, ending: Ending): void {
  tellOpen(env, call, ending)
  if (call.answeredAt !== null || !call.isRung) return
  if (ending.by?.userId === call.calleeId) pushAnswered(env, ringOf(call))
  else pushMissed(env, ringOf(call))
}

/** What closed browsers are told of. */
export const ringOf = ({ id, callerId, calleeId }: Pick<store.Call, 'id' | 'callerId' | 'calleeId'>): Ring => ({
  ...{ callId: id, callerId, calleeId },
  chatRoomId: directRoomId(callerId, calleeId),
})

/** Throws Refusal `call_over`. */
export async function requireCall(env: Env, { userId }: End, callId: string, to: string): Promise<store.Call> {
  const call = await store.findOwnCall(env.db, callId, userId, env.clock())
  if (!call || to !== (call.callerId === userId ? call.calleeId : call.callerId)) throw new Refusal('call_over')
  return call
}

export const isCallerOf = (call: store.Call, { userId, session }: End): boolean =>
  call.callerId === userId && call.callerSession.equals(session)

/** The other session of an answered call. Throws Refusal `call_over` for a third one. */
export function otherOf(call: store.Call, speaker: End): End {
  const { callerId, callerSession, calleeId, calleeSession } = call
  if (calleeSession === null) throw new Refusal('call_over')
  if (isCallerOf(call, speaker)) return { userId: calleeId, session: calleeSession }
  if (calleeId === speaker.userId && calleeSession.equals(speaker.session)) return { userId: callerId, session: callerSession }
  throw new Refusal('call_over')
}

/** Returns what tells the others, after COMMIT. */
export async function forgetCalls(env: Env, tx: Queryable, userId: string): Promise<() => void> {
  const calls = await store.deleteOf(tx, userId)
  return () => {
    for (const call of calls) tellEnded(env, call, { reason: 'lost', by: null })
  }
}
