import type { CallType } from '../../../contract/chat/calllimits.ts'
import { hasRight } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { personIdOfDirect, type Room } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { readyRoom } from '../../rooms/log/readyRoom.ts'
import { markDifferent, readSafety, shareMarks } from '../../rooms/trust/safety.ts'
import { showToast } from '../../ui/toast.ts'
import { type AddressRefusal, askAddress, type Consent, torRefusal } from './address.ts'
import { answerRing, bindAnswer } from './answer.ts'
import { ringOut } from './attempts.ts'
import { beginCall, ringBack, takePart } from './begun.ts'
import { noteUnderway } from './callLines.ts'
import { callStore, resetCall } from './callState.ts'
import { failedTitle, LOCKED_CHAT, NOT_CONNECTED, ownDiffer } from './callWords.ts'
import { codeOf } from './codeOf.ts'
import * as devices from './devices.ts'
import { finishCall, hangUp } from './finish.ts'
import { isLive, type LiveCall, liveCall, sendReject } from './liveCall.ts'
import { MediaFailure, noMedia, stopMedia } from './media.ts'
import { NotReady } from './notReady.ts'
import { isConnected, ringUntil } from './patience.ts'
import { relayOf } from './relay.ts'
import { showMedia, tellState } from './shownMedia.ts'
import { rememberHere } from './thisTab.ts'
import * as turns from './turns.ts'

// What a person can do about a call. `callState.ts` has what is shown. No verb throws: failures are toasts, or stand in `over`.

export type { Consent } from './address.ts'
export type { CallDevice, CallDevices, DeviceKind } from './devices.ts'

export const { chooseDevice, setNoiseSuppression, shareScreen, stopShare, toggleAudio, toggleVideo } = turns
export const { listDevices } = devices

/** Opens the devices, commits, rings. `refusal` says what the person must allow first. */
export async function startCall(env: Env, room: Room, callType: CallType, consent: Consent = {}): Promise<void> {
  const peerId = personIdOfDirect(room)
  const { user } = accountStore.getState()
  if (liveCall() || !peerId || (user && !hasRight(user.subscriptionTier, 'call'))) return
  const call = beginCall({ env, callId: crypto.randomUUID(), room, peerId, isCaller: true, callType, consent })
  try {
    if (!(await isConnected(call))) throw new NotReady(NOT_CONNECTED)
    const address = await askAddress(env, consent)
    if (!isLive(call)) return
    if ('refusal' in address) return refuse(call, address.refusal, room)
    call.isRelayOnly = address.isRelayOnly
    const readiness = await readyRoom(env, room)
    if (!readiness.ready) throw new NotReady(readiness.reason)
    if (!isLive(call) || !(await turns.takeMedia(call, callType))) return
    // The person may have been asked for the devices for long.
    if (!(await isConnected(call))) throw new NotReady(NOT_CONNECTED)
    takePart(call)
    call.isOffered = true
    if (!(await ringOut(call))) {
      call.isOffered = false
      throw new NotReady(NOT_CONNECTED)
    }
    if (!isLive(call)) return
    callStore.setState({ phase: 'calling' })
    ringBack(call)
    ringUntil(call)
    noteUnderway(call)
    rememberHere(call)
  } catch (error) {
    failToStart(call, error)
  }
}

function refuse(call: LiveCall, refusal: AddressRefusal, room: Room): void {
  finishCall(call)
  callStore.setState({ refusal, pending: { room, callType: call.callType } })
}

export function dismissRefusal(): void {
  callStore.setState({ refusal: null, pending: null })
}

export function refuseRing(call: LiveCall, code: string, words: string): void {
  call.isOffered = false
  const room = roomById(call.chatRoomId)
  if (code === 'call_leaves_tor' && room) refuse(call, torRefusal({}) ?? 'leaves_tor', room)
  else failToStart(call, new NotReady(words))
}

function failToStart(call: LiveCall, error: unknown): void {
  if (!isLive(call)) return
  finishCall(call)
  tellFailure(call.callType, error)
}

const isSaid = (error: unknown): error is Error => error instanceof MediaFailure || codeOf(error) !== ''

function tellFailure(callType: CallType, error: unknown): void {
  const text = (isSaid(error) && error.message) || 'Unknown error occurred'
  showToast({ tone: 'bad', title: failedTitle(callType), text })
  if (!isSaid(error)) globalThis.reportError?.(error)
}

/** `withVideo` false: accepts a video call by voice. */
export async function acceptCall(env: Env, withVideo: boolean, consent: Consent = {}): Promise<void> {
  const call = liveCall()
  if (!call || call.isCaller || call.isAccepted || callStore.getState().isInCall || accepting.has(call)) return
  call.consent = consent
  accepting.add(call)
  try {
    const address = await askAddress(env, consent)
    if (!isLive(call)) return
    if ('refusal' in address) return callStore.setState({ refusal: address.refusal, pending: null })
    call.isRelayOnly = address.isRelayOnly
    callStore.setState({ refusal: null, isSilenced: true, isInCall: true })
    void relayOf(call).catch(() => undefined)
    const answer = bindAnswer(call)
    answer.catch(() => undefined)
    if (!(await turns.takeMedia(call, withVideo ? 'video' : 'voice'))) return
    await accept(call, answer)
  } catch (error) {
    if (!isLive(call)) return
    if (codeOf(error) === 'room_locked') return keepRinging(call)
    sendReject(call, 'failed')
    finishCall(call)
    tellFailure(call.callType, error)
  } finally {
    accepting.delete(call)
  }
}

/** Two answers of one attempt bind two certificates, and the caller finds the call forged. */
const accepting = new WeakSet<LiveCall>()

export async function accept(call: LiveCall, answer = bindAnswer(call)): Promise<void> {
  // A locked chat rings on, and nobody takes part in what rings.
  await answer
  if (!isLive(call)) return
  takePart(call)
  await answerRing(call, answer)
}

function keepRinging(call: LiveCall): void {
  stopMedia(call.media)
  call.media = noMedia()
  showMedia(call)
  callStore.setState({ isInCall: false, isSilenced: false })
  showToast({ tone: 'bad', title: failedTitle(call.callType), text: LOCKED_CHAT })
}

export async function declineCall(_env: Env): Promise<void> {
  const call = liveCall()
  if (!call || call.isCaller || call.isAccepted) return
  sendReject(call, 'declined')
  finishCall(call)
}

/** Ringing here goes silent; it rings on elsewhere. */
export const silenceRing = (): void => callStore.setState({ isSilenced: true })

export async function endCall(env: Env): Promise<void> {
  const call = liveCall()
  if (!call) return dismissCall()
  if (!call.isCaller && !call.isAccepted) return declineCall(env)
  hangUp(call, 'ended', { unanswered: 'cancelled' })
}

export function wordsMatch(_env: Env): void {
  const call = liveCall()
  if (!call || !callStore.getState().words) return
  callStore.setState({ isCompared: true })
  tellState(call)
  noteUnderway(call)
}

/** Ends the call and stops sending, as a changed key does. */
export async function wordsDiffer(env: Env): Promise<void> {
  const call = liveCall()
  if (!call) return
  const { peerId } = call
  hangUp(call, 'words', { over: { why: 'words', words: ownDiffer(peerId) } })
  try {
    const { identityKey } = await readSafety(env, peerId)
    await markDifferent(env, peerId, identityKey)
    await shareMarks(env)
  } catch (error) {
    tellFailure(call.callType, error)
  }
}

export const minimiseCall = (isMinimised: boolean): void => callStore.setState({ isMinimised })

/** Closes the view of a call that is over. */
export function dismissCall(): void {
  if (!liveCall()) resetCall()
}
