import type { Env } from '../../env.ts'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { torRefusal } from './address.ts'
import { seekAnother } from './attempts.ts'
import { beginCall, takePart } from './begun.ts'
import { holdCall, writeOwed } from './callLines.ts'
import { callStore, resetCall } from './callState.ts'
import { finishCall } from './finish.ts'
import { isLive, type LiveCall, liveCall } from './liveCall.ts'
import { stayIn } from './patience.ts'
import { forgetHere, type KnownCall, knownHere } from './thisTab.ts'
import { takeMedia } from './turns.ts'

/** A page that ends lets go of its call before the next one asks. */
const HOLD_MS = 1500

export async function resumeCalls(env: Env): Promise<void> {
  const known = knownHere(env.clock().getTime())
  if (known && !liveCall()) await resume(env, known)
  await writeOwed(env)
}

async function resume(env: Env, known: KnownCall): Promise<void> {
  const room = roomById(known.chatRoomId)
  const peerId = room && personIdOfDirect(room)
  // A tab that was duplicated has the same memory.
  const letGo = await holdCall(known.callId, HOLD_MS)
  letGo?.()
  if (!letGo || !room || !peerId || liveCall() || torRefusal(known.consent)) return forgetHere(known.callId)
  const { callId, isCaller, callType, consent, attempt } = known
  const call = beginCall({ env, callId, room, peerId, isCaller, callType, consent, attempt })
  call.isRelayOnly = known.isRelayOnly
  await comeInto(call, known)
}

async function comeInto(call: LiveCall, { answeredAt, hasCamera, isMuted, startedAt, at }: KnownCall): Promise<void> {
  call.answeredAt = answeredAt
  call.isOffered = true
  call.isAccepted = answeredAt !== null
  const shown = call.isAccepted ? ({ phase: 'reconnecting', reconnectingSince: at } as const) : ({ phase: 'calling' } as const)
  callStore.setState({ ...shown, callStartTime: startedAt })
  takePart(call)
  stayIn(call)
  try {
    await takeMedia(call, hasCamera ? 'video' : 'voice', isMuted)
  } catch {
    // The person hears the other end.
  }
  if (isLive(call)) seekAnother(call)
}

/** The account was closed. */
export function leaveCalls(): void {
  const call = liveCall()
  if (call) finishCall(call)
  resetCall()
}
