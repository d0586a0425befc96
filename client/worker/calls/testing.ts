import { type Bytes, utf8 } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { openLiveOf } from '../../testing/opened.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { CallSubject } from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { randomBytes } from '../primitives/seal.ts'
import { openSignal, type SignalKind, sealSignal } from './callFrames.ts'
import { acceptAnswer, answerCall, callWords, ringCall } from './callKeys.ts'

export const newFingerprint = (): string => {
  const hex = [...randomBytes(32)].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase())
  return `sha-256 ${hex.join(':')}`
}

export const sdpOf = (...fingerprints: string[]): Bytes =>
  utf8(['v=0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111', ...fingerprints.map((each) => `a=fingerprint:${each}`), ''].join('\r\n'))

/** One browser in a call. */
export interface End {
  live: Live
  fingerprint: string
}

export async function endOf(person: TestPerson): Promise<End> {
  return { live: await openLiveOf(person), fingerprint: newFingerprint() }
}

/** People who have a chat with each other, and the browsers of Alice, Bob and Eve. */
export async function callers(pairsOf = ({ alice, bob }: People): [TestPerson, TestPerson][] => [[alice, bob]]) {
  const at = await people()
  for (const [one, other] of pairsOf(at)) {
    await one.says(other, 'one')
    await other.says(one, 'two')
    await one.reads(other)
  }
  return { ...at, a: await endOf(at.alice), b: await endOf(at.bob), e: await endOf(at.eve) }
}

type People = Awaited<ReturnType<typeof people>>

export interface Call {
  subject?: CallSubject
  callId: string
  attempt: number
  caller: End
  callee: End
}

type Named = Pick<Call, 'subject' | 'callId' | 'attempt'>
const nameOf = ({ subject = 'call', callId, attempt }: Named) => ({ subject, callId, attempt })

export const placeFor = (call: Named, own: End, other: End) => ({
  chatRoomId: directRoomId(own.live.userId, other.live.userId),
  ...{ peerId: other.live.userId, ...nameOf(call) },
})

export const rings = (call: Call): Promise<string> =>
  ringCall(call.caller.live, { ...placeFor(call, call.caller, call.callee), fingerprint: call.caller.fingerprint })

export const answers = (call: Call, commit: string): Promise<string> =>
  answerCall(call.callee.live, {
    ...placeFor(call, call.callee, call.caller),
    ...{ fingerprint: call.callee.fingerprint, callerDevice: call.caller.live.device.id, commit },
  })

export const accepts = (call: Call, answer: string): Promise<void> =>
  acceptAnswer(call.caller.live, {
    ...placeFor(call, call.caller, call.callee),
    ...{ calleeDevice: call.callee.live.device.id, answer },
  })

export const seals = (call: Named, { live }: End, kind: SignalKind, payload: Bytes) =>
  sealSignal(live, { ...nameOf(call), kind, payload })

export const opens = (call: Named, { live }: End, sealed: string) => openSignal(live, { ...nameOf(call), sealed })

/** A call that the other has accepted; no frame has come yet. */
export async function accepted(caller: End, callee: End, at: Partial<Named> = {}): Promise<Call> {
  const call: Call = { callId: crypto.randomUUID(), attempt: 1, ...at, caller, callee }
  await accepts(call, await answers(call, await rings(call)))
  return call
}

/** A call of which both ends have proved themselves. */
export async function connected(...input: Parameters<typeof accepted>): Promise<Call> {
  const call = await accepted(...input)
  const { caller, callee } = call
  await opens(call, callee, await seals(call, caller, 'offer', sdpOf(caller.fingerprint)))
  await opens(call, caller, await seals(call, callee, 'answer', sdpOf(callee.fingerprint)))
  return call
}

export const wordsAt = ({ callId }: Pick<Call, 'callId'>, { live }: End): Promise<string[]> => callWords(live, callId)
