import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { bindAnswerTo, EPOCH_TRIES, proveAnswer } from '../calls/boundAnswer.ts'
import { codeOf } from '../calls/codeOf.ts'
import { askConnection } from './askConnection.ts'
import { forget, isCurrent, type LiveTransfer, type Offered, placeIn, sendReject, show } from './liveTransfer.ts'
import { begin, failAttempt, linkOf, watch } from './transferAttempts.ts'
import { stopFor } from './transferEnd.ts'

/** The sender's browser answers by itself: the person has offered. */
export async function takeAccept(one: LiveTransfer, ring: Offered): Promise<void> {
  // Before its certificate is proved, an attempt may be made up.
  const isNew = one.link?.isAgreed ? ring.attempt > one.attempt : ring.attempt !== one.attempt
  if (!one.isMine || !isNew) return
  forget(one, 'watch')
  // The one before it has found no way.
  if (one.link && !one.link.isConnected()) one.tries += 1
  one.link?.close()
  one.link = null
  one.attempt = ring.attempt
  one.ring = ring
  one.epochTries = 0
  try {
    const address = await askConnection(one.env, one.consent)
    if (!isCurrent(one, ring.attempt)) return
    if ('refusal' in address) {
      sendReject(one, 'failed')
      return stopFor(one, address.refusal)
    }
    one.isRelayOnly = address.isRelayOnly
    // A question that the person has open stays until it is answered.
    show(one, { stage: 'connecting', refusal: null })
    await answerRing(one)
  } catch (error) {
    failAttempt(one, ring.attempt, error)
  }
}

async function answerRing(one: LiveTransfer): Promise<void> {
  const { env, transferId, peerId: to, attempt, ring, consent } = one
  if (!ring) return
  const { own, signal } = await bindAnswerTo(env, placeIn(one), ring)
  if (!isCurrent(one, attempt)) return
  one.link = linkOf(one, own)
  const leavesTor = consent.leavesTor === true
  env.socket.send({ type: 'transfer-answer', data: { transferId, to, attempt, signal, ...(leavesTor && { leavesTor }) } })
  watch(one)
  await begin(one)
}

/** At the receiver. */
export async function takeAnswer(one: LiveTransfer, answer: { attempt: number; device: string; signal: string }): Promise<void> {
  const { env, attempt, link } = one
  if (one.isMine || answer.attempt !== attempt || !link || link.isAnswered) return
  link.isAnswered = true
  try {
    await proveAnswer(env, placeIn(one), answer)
  } catch (error) {
    link.isAnswered = false
    if (codeOf(error) !== 'epoch' || one.epochTries >= EPOCH_TRIES) return failAttempt(one, attempt, error)
    if (!isCurrent(one, attempt)) return
    one.epochTries += 1
    sendReject(one, 'epoch')
    return
  }
  if (!isCurrent(one, attempt)) return
  watch(one)
  await begin(one)
}

/** At the sender: the room has moved on. */
export async function answerAnew(one: LiveTransfer): Promise<void> {
  if (!one.isMine || one.epochTries >= EPOCH_TRIES) return
  one.epochTries += 1
  const { attempt } = one
  const room = roomById(one.chatRoomId)
  try {
    if (room) await catchUp(one.env, room)
    if (isCurrent(one, attempt)) await answerRing(one)
  } catch (error) {
    failAttempt(one, attempt, error)
  }
}
