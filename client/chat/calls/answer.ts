import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { readyRoom, whyStopped } from '../../rooms/log/readyRoom.ts'
import { makeCertificate, type OwnCertificate } from '../../rtc/certificate.ts'
import { linkOf, watch } from './attempts.ts'
import { codeOf } from './codeOf.ts'
import { begin } from './connected.ts'
import { failAttempt } from './finish.ts'
import { isCurrent, isLive, type LiveCall, placeIn, type Ring, sendFrame, sendReject } from './liveCall.ts'
import { NotReady } from './notReady.ts'
import { setAnswered, showReconnecting } from './patience.ts'
import { rememberHere } from './thisTab.ts'

const EPOCH_TRIES = 3

interface BoundAnswer {
  attempt: number
  own: OwnCertificate
  signal: string
}

/** Says nothing yet, so it may run beside what else Accept takes. Throws CryptoFailure, or NotReady. */
export async function bindAnswer(call: LiveCall): Promise<BoundAnswer | undefined> {
  const { env, attempt, ring } = call
  if (!ring) return undefined
  const room = roomById(call.chatRoomId)
  const reason = room && (await whyStopped(env, room))
  if (reason) throw new NotReady(reason)
  const own = await makeCertificate()
  const bound = { ...placeIn(call), attempt, fingerprint: own.fingerprint, callerDevice: ring.device, commit: ring.commit }
  const signal = await env.crypto.answerCall(bound).catch(async (error: unknown) => {
    if (codeOf(error) !== 'outside') throw error
    await enterRoom(call)
    return env.crypto.answerCall(bound)
  })
  return { attempt, own, signal }
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

async function enterRoom({ env, chatRoomId }: LiveCall): Promise<void> {
  const room = roomById(chatRoomId)
  const readiness = room && (await readyRoom(env, room))
  if (readiness?.ready === false) throw new NotReady(readiness.reason)
}

export async function takeAnswer(call: LiveCall, answer: { attempt: number; device: string; signal: string }): Promise<void> {
  const { env, attempt, link } = call
  if (answer.attempt !== attempt || !link || link.isAnswered) return
  const bound = { ...placeIn(call), calleeDevice: answer.device, answer: answer.signal }
  link.isAnswered = true
  try {
    await env.crypto.acceptAnswer(bound).catch(async (error: unknown) => {
      // The commit may be on its way to this browser.
      const room = codeOf(error) === 'epoch' ? roomById(call.chatRoomId) : undefined
      if (!room) throw error
      await catchUp(env, room)
      await env.crypto.acceptAnswer(bound)
    })
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
