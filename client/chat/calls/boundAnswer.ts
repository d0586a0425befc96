import type { Env } from '../../env.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { readyRoom, whyStopped } from '../../rooms/log/readyRoom.ts'
import { makeCertificate, type OwnCertificate } from '../../rtc/certificate.ts'
import type { Crypto } from '../../worker/crypto.ts'
import { codeOf } from './codeOf.ts'
import { NotReady } from './notReady.ts'

/** Answers of one attempt. */
export const EPOCH_TRIES = 3

type Place = Omit<Parameters<Crypto['ringCall']>[0], 'fingerprint'>

/** Answers a ring or an accept. Throws CryptoFailure, or NotReady. */
export async function bindAnswerTo(
  env: Env,
  place: Place,
  ring: { device: string; commit: string },
): Promise<{ own: OwnCertificate; signal: string }> {
  const room = roomById(place.chatRoomId)
  const reason = room && (await whyStopped(env, room))
  if (reason) throw new NotReady(reason)
  const own = await makeCertificate()
  const bound = { ...place, fingerprint: own.fingerprint, callerDevice: ring.device, commit: ring.commit }
  const signal = await env.crypto.answerCall(bound).catch(async (error: unknown) => {
    if (codeOf(error) !== 'outside') throw error
    const readiness = room && (await readyRoom(env, room))
    if (readiness?.ready === false) throw new NotReady(readiness.reason)
    return env.crypto.answerCall(bound)
  })
  return { own, signal }
}

/** Throws CryptoFailure. */
export async function proveAnswer(env: Env, place: Place, answer: { device: string; signal: string }): Promise<void> {
  const bound = { ...place, calleeDevice: answer.device, answer: answer.signal }
  await env.crypto.acceptAnswer(bound).catch(async (error: unknown) => {
    // The commit may be on its way to this browser.
    const room = codeOf(error) === 'epoch' ? roomById(place.chatRoomId) : undefined
    if (!room) throw error
    await catchUp(env, room)
    await env.crypto.acceptAnswer(bound)
  })
}
