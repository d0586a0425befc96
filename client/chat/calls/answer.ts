import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import type { OwnCertificate } from '../../rtc/certificate.ts'
import { linkOf, watch } from './attempts.ts'
import { bindAnswerTo, EPOCH_TRIES, proveAnswer } from './boundAnswer.ts'
import { codeOf } from './codeOf.ts'
import { begin } from './connected.ts'
import { failAttempt } from './finish.ts'
import { isCurrent, isLive, type LiveCall, placeIn, type Ring, sendFrame, sendReject } from './liveCall.ts'
import { setAnswered, showReconnecting } from './patience.ts'
import { rememberHere } from './thisTab.ts'

interface BoundAnswer {
  attempt: number
  own: OwnCertificate
  signal: string
}

/** Says nothing yet, so it may run beside what else Accept takes. Throws CryptoFailure, or NotReady. */
export async function bindAnswer(call: LiveCall): Promise<BoundAnswer | undefined> {
  const { env, attempt, ring } = call
  if (!ring) return undefined
  return { attempt, ...(await bindAnswerTo(env, { ...placeIn(call), attempt }, ring)) }
}

/** Throws CryptoFailure, or NotReady. */
export async function answerRing(call: LiveCall, binding = bindAnswer(call)): Promise<void> {
  const { callId, peerId: to, consent } = call
  let bound = await binding
  // The caller has rung anew since; the answer of an accepted call begins in `takeAnotherRing`.
  while (bound && isLive(call) && !call.isAccepted && bound.attempt !== call.attempt) bound = await bindAnswer(call)
  if (!bound || !isCurrent(call, bound.attempt)) return
  const { attempt, own, signal } = bound
  call.link = linkOf(call, own)
  const leavesTor = consent.leavesTor === true
  sendFrame(call, { type: 'call-answer', data: { callId, to, attempt, signal, ...(leavesTor && { leavesTor }) } })
  setAnswered(call)
  watch(call)
  await begin(call)
}

export async function takeAnswer(call: LiveCall, answer: { attempt: number; device: string; signal: string }): Promise<void> {
  const { env, attempt, link } = call
  if (answer.attempt !== attempt || !link || link.isAnswered) return
  link.isAnswered = true
  try {
    await proveAnswer(env, placeIn(call), answer)
  } catch (error) {
    link.isAnswered = false
    if (codeOf(error) !== 'epoch' || call.epochTries >= EPOCH_TRIES) return failAttempt(call, attempt, error)
    if (!isCurrent(call, attempt)) return
    call.epochTries += 1
    sendReject(call, 'epoch')
    return
  }
  if (!isCurrent(call, attempt)) return
  setAnswered(call)
  watch(call)
  await begin(call)
}

export async function answerAnew(call: LiveCall): Promise<void> {
  if (call.isCaller || !call.isAccepted || call.epochTries >= EPOCH_TRIES) return
  call.epochTries += 1
  const { attempt } = call
  const room = roomById(call.chatRoomId)
  try {
    if (room) await catchUp(call.env, room)
    if (!isCurrent(call, attempt)) return
    call.link?.close()
    await answerRing(call)
  } catch (error) {
    failAttempt(call, attempt, error)
  }
}

export async function takeAnotherRing(call: LiveCall, ring: Ring): Promise<void> {
  if (call.isCaller || ring.attempt <= call.attempt) return
  call.attempt = ring.attempt
  call.ring = ring
  call.epochTries = 0
  if (!call.isAccepted) return
  call.link?.close()
  call.link = null
  showReconnecting(call)
  rememberHere(call)
  await answerRing(call).catch((error: unknown) => failAttempt(call, ring.attempt, error))
}
