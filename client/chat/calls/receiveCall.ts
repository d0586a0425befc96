import type { CallEndReason } from '../../../contract/chat/callframes.ts'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { FrameOf, ServerData } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { isBlocked, isFollowed, personIdOfDirect } from '../../rooms/list/room.ts'
import { type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'
import { willBeRelayed } from './address.ts'
import { answerAnew, takeAnotherRing, takeAnswer } from './answer.ts'
import { nextAttempt } from './attempts.ts'
import { beginCall } from './begun.ts'
import { isUnderwayIn } from './callLines.ts'
import { callStore } from './callState.ts'
import { accept, acceptCall, refuseRing } from './calls.ts'
import { NOT_TAKEN, overWords } from './callWords.ts'
import { reportBug } from './codeOf.ts'
import { finishCall, isEnded, overOf } from './finish.ts'
import { afterwards, isLive, type LiveCall, liveCall, sendEnd, sendReject } from './liveCall.ts'
import { noMedia } from './media.ts'
import { relayOf } from './relay.ts'
import { ringHere } from './ring.ts'
import { showMedia } from './shownMedia.ts'
import { knownHere } from './thisTab.ts'
import { followUnplugged } from './turns.ts'

export type CallFrame = FrameOf<
  'call-offer' | 'call-answer' | 'call-signal' | 'ice-candidate' | 'call-reject' | 'call-end' | 'call-success'
>

export async function receiveCall(env: Env, frame: CallFrame): Promise<void> {
  if (frame.type === 'call-offer') return takeRing(env, frame.data)
  const call = liveCall()
  // Another tab's, or one that is over.
  if (!call || frame.data.callId !== call.callId) return
  if (frame.type === 'call-success') return onSuccess(call)
  if (frame.type === 'call-end') return onEnd(call, frame.data)
  if (frame.data.from !== call.peerId) return
  if (frame.type === 'call-reject') return onReject(call, frame.data)
  if (frame.data.attempt !== call.attempt) return
  if (frame.type === 'call-answer') return call.isCaller ? takeAnswer(call, frame.data) : undefined
  call.link?.takeSignal(frame.type === 'call-signal' ? frame.data.signal : frame.data.candidate)
}

/** The words are the specification's. */
function onSuccess(call: LiveCall): void {
  if (!call.isCaller || call.isRung) return
  call.isRung = true
  if (call.attempt > 1) return
  showToast({ tone: 'good', title: 'Call Started Successfully', text: '' })
  void relayOf(call).catch(() => undefined)
}

async function takeRing(env: Env, { callId, from, device, signal, callType, attempt }: ServerData['call-offer']): Promise<void> {
  // A browser that sleeps shows it on its lock screen.
  if (from === null || device === null || signal === null || callType === null) return
  const ring = { attempt, device, commit: signal }
  if (attempt > 1 && liveCall()?.callId !== callId && (await isTaken(env, callId))) return
  // Another call may have begun, or this one ended, since it was heard.
  const call = liveCall()
  if (call?.callId === callId) return from === call.peerId ? takeAnotherRing(call, ring) : undefined
  if (isEnded(callId)) return
  const room = roomOf(from)
  if (!room) return
  const rung = { env, callId, room, peerId: from, isCaller: false, callType, attempt, ring }
  if (!call) return ringFor(beginCall(rung))
  if (isSimultaneous(call, from)) return callId < call.callId ? yieldTo(call, rung) : undefined
  sendReject({ env, callId, peerId: from, attempt }, 'busy')
}

/** Every tab of the session hears another attempt. */
const isTaken = async (env: Env, callId: string): Promise<boolean> =>
  knownHere(env.clock().getTime())?.callId === callId || (await isUnderwayIn(callId))

const roomOf = (userId: string): RoomRow | undefined =>
  [...roomsStore.getState().rooms.values()].find(
    (room) => isFollowed(room) && !isBlocked(room) && personIdOfDirect(room) === userId,
  )

const isSimultaneous = (call: LiveCall, from: string): boolean =>
  call.isCaller && call.peerId === from && !call.isAccepted && call.attempt === 1

function ringFor(call: LiveCall): void {
  ringHere(call)
  willBeRelayed(call.env).then((isRelayed) => isLive(call) && callStore.setState({ isRelayed }), reportBug)
  // The server ends it before.
  afterwards(call, 'ring', (CALL_LIMITS.ringSeconds + 5) * 1000, () => finishCall(call))
}

/** Both have pressed the button. */
async function yieldTo(own: LiveCall, rung: Parameters<typeof beginCall>[0]): Promise<void> {
  const { env, media, consent, isRelayOnly } = own
  if (!own.isOffered) {
    finishCall(own)
    ringFor(beginCall(rung))
    return acceptCall(env, own.callType === 'video', consent)
  }
  // The devices stay open.
  own.media = noMedia()
  own.isOffered = false
  sendEnd(own, 'ended')
  finishCall(own)
  const call = beginCall({ ...rung, consent })
  Object.assign(call, { media, isRelayOnly })
  callStore.setState({ phase: 'connecting', isInCall: true })
  followUnplugged(call)
  showMedia(call)
  try {
    await accept(call)
  } catch (error) {
    if (!isLive(call)) return
    sendReject(call, 'failed')
    finishCall(call, { over: overOf('failed', call) })
    throw error
  }
}

async function onReject(call: LiveCall, { reason, attempt }: ServerData['call-reject']): Promise<void> {
  if (reason === 'epoch') return attempt === call.attempt ? answerAnew(call) : undefined
  if (!call.isCaller) return
  if (reason === 'again') return attempt === call.attempt || !call.link?.isAnswered ? nextAttempt(call) : undefined
  if (call.isAccepted) return
  const over = reason === 'failed' ? { why: reason, words: NOT_TAKEN(call.peerId) } : overOf(reason, call)
  finishCall(call, { over, unanswered: reason })
}

function onEnd(call: LiveCall, { from, reason }: ServerData['call-end']): void {
  if (from !== null && from !== call.peerId) return
  const isRinging = !call.isCaller && !call.isAccepted
  if (reason === 'answered') {
    if (!isRinging) return
    finishCall(call)
    showToast({ tone: 'plain', title: 'Answered elsewhere', text: overWords('answered', call.peerId) })
    return
  }
  // A missed call has its line in the chat.
  if (isRinging) finishCall(call)
  else finishCall(call, { over: overOf(reason === 'lost' ? 'left' : reason, call), unanswered: unansweredBy(reason) })
}

const unansweredBy = (reason: CallEndReason) => (reason === 'no_answer' ? reason : 'failed')

export function refuseCall({ id, code, error }: ServerData['refused']): void {
  const call = liveCall()
  if (!call || id !== call.callId) return
  if (!call.isAccepted && call.isCaller) refuseRing(call, code, error)
  else if (code === 'call_over') finishCall(call, { over: overOf('lost', call), unanswered: 'failed' })
}
