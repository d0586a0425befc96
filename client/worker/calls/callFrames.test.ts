import { beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeFields, encodeFields, fromBase64, fromUtf8, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { changesKeys } from '../../testing/room.ts'
import { flip } from '../group/testing.ts'
import { type HeldCall, heldCall, holdCall } from '../keys/heldCalls.ts'
import {
  accepted,
  accepts,
  answers,
  type Call,
  callers,
  connected,
  type End,
  endOf,
  newFingerprint,
  opens,
  rings,
  sdpOf,
  seals,
} from './testing.ts'

// Eve is the server, or a browser that does what it should not.

let at: Awaited<ReturnType<typeof callers>>
let a: End
let b: End

beforeAll(async () => {
  at = await callers()
  ;({ a, b } = at)
})

beforeEach(async () => {
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
})

const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const forged = failure('call_forged')
const STATE = utf8('{"video":"off"}')

function held(end: End, { callId }: Pick<Call, 'callId'>): HeldCall {
  const call = heldCall(end.live, { callId })
  if (!call) throw new Error('There is no such call')
  return call
}

/** The end as a patched page would have it. */
async function patched<T>(end: End, call: Call, change: Partial<HeldCall>, work: () => Promise<T>): Promise<T> {
  const before = held(end, call)
  const kept = Object.fromEntries(Object.keys(change).map((name) => [name, before[name as keyof HeldCall]]))
  Object.assign(before, change)
  const done = await work()
  Object.assign(before, kept)
  return done
}

const bodyOf = (frame: string) => decodeFields(fromBase64(frame))
const withField = (frame: string, at: number, field: Uint8Array | string) =>
  toBase64(encodeFields(...bodyOf(frame).map((one, index) => (index === at ? field : one))))

test('A frame with any bit changed opens nothing', async () => {
  const call = await accepted(a, b)
  const offer = await seals(call, a, 'offer', sdpOf(a.fingerprint))
  const bytes = fromBase64(offer)
  for (let at = 0; at < bytes.length; at += 23)
    await expect(opens(call, b, toBase64(flip(bytes, at * 8 + (at % 8))))).rejects.toThrow(forged)
  await opens(call, b, offer)
})

test.each([
  '',
  '%',
  'AAAA',
  toBase64(encodeFields('offer')),
  toBase64(encodeFields('end', '1', '', '')),
  toBase64(new Uint8Array(40)),
])('A frame that is none opens nothing: %s', async (frame) => {
  await expect(opens(await accepted(a, b), b, frame)).rejects.toThrow(forged)
})

test('Whoever holds the call’s key and Alice’s signature swaps no certificate behind what she had bound', async () => {
  const call = await accepted(a, b)
  const other = newFingerprint()
  const own = { ...held(a, call).own }
  const swapped = await patched(a, call, { own: { ...own, fingerprint: readHex(other) } }, () =>
    seals(call, a, 'offer', sdpOf(other)),
  )
  await expect(opens(call, b, swapped)).rejects.toThrow(forged)
  // Her own worker seals no SDP with another certificate.
  await expect(seals(call, a, 'offer', sdpOf(other))).rejects.toThrow(forged)
  await opens(call, b, await seals(call, a, 'offer', sdpOf(a.fingerprint)))
  const theirs = { ...held(b, call).own }
  const answer = await patched(b, call, { own: { ...theirs, fingerprint: readHex(other) } }, () =>
    seals(call, b, 'answer', sdpOf(other)),
  )
  await expect(opens(call, a, answer)).rejects.toThrow(forged)
})

test('A later offer of the same attempt keeps the certificate', async () => {
  const call = await connected(a, b)
  const other = newFingerprint()
  const own = { ...held(a, call).own }
  const swapped = await patched(a, call, { own: { ...own, fingerprint: readHex(other) } }, () =>
    seals(call, a, 'offer', sdpOf(other)),
  )
  await expect(opens(call, b, swapped)).rejects.toThrow(forged)
  await opens(call, b, await seals(call, a, 'offer', sdpOf(a.fingerprint)))
})

const readHex = (fingerprint: string) =>
  new Uint8Array(
    fingerprint
      .slice('sha-256 '.length)
      .split(':')
      .map((byte) => Number.parseInt(byte, 16)),
  )

test.each([
  ['no certificate', () => sdpOf()],
  ['a second certificate', () => sdpOf(a.fingerprint, newFingerprint())],
  ['one by another hash', () => sdpOf(a.fingerprint, `sha-512 ${'AB:'.repeat(63)}AB`)],
  ['one in other letters', () => utf8(`${fromUtf8(sdpOf(a.fingerprint))}A=Fingerprint:${newFingerprint()}\n`)],
  ['one behind a lone carriage return', () => utf8(`${fromUtf8(sdpOf(a.fingerprint))}s=-\ra=fingerprint:${newFingerprint()}`)],
  ['one with a blank in front', () => utf8(`${fromUtf8(sdpOf(a.fingerprint))} a=fingerprint:${newFingerprint()}`)],
  ['bytes that are no text', () => new Uint8Array([0xff, 0xfe])],
])('An SDP with %s is neither sealed nor taken', async (_, sdp) => {
  const call = await accepted(a, b)
  await expect(seals(call, a, 'offer', sdp())).rejects.toThrow()
  // A patched page seals it as a state, and signs the kind that it is not.
  const asOffer = await seals(call, a, 'state', sdp())
  await expect(opens(call, b, withField(withField(asOffer, 0, 'offer'), 2, held(a, call).own.nonce))).rejects.toThrow(forged)
})

test('Every certificate of an SDP may be there more than once, as browsers write it', async () => {
  const call = await accepted(a, b)
  const sdp = sdpOf(
    a.fingerprint,
    a.fingerprint.replace(/[A-F]/g, (letter) => letter.toLowerCase()),
  )
  expect((await opens(call, b, await seals(call, a, 'offer', sdp))).payload).toEqual(sdp)
})

test('A swapped nonce opens nothing, in the offer as in the answer', async () => {
  const call = await accepted(a, b)
  const offer = await seals(call, a, 'offer', sdpOf(a.fingerprint))
  await expect(opens(call, b, withField(offer, 2, new Uint8Array(32)))).rejects.toThrow(forged)
  await expect(opens(call, b, withField(offer, 2, new Uint8Array(31)))).rejects.toThrow(forged)
  await opens(call, b, offer)
  const later = await seals(call, a, 'offer', sdpOf(a.fingerprint))
  await expect(opens(call, b, withField(later, 2, new Uint8Array(32)))).rejects.toThrow(forged)
  await opens(call, b, later)

  const ringing: Call = { callId: crypto.randomUUID(), attempt: 1, caller: a, callee: b }
  const answer = await answers(ringing, await rings(ringing))
  await accepts(ringing, withField(answer, 2, new Uint8Array(32)))
  await expect(opens(ringing, b, await seals(ringing, a, 'offer', sdpOf(a.fingerprint)))).rejects.toThrow(forged)
})

test('A commitment to another nonce or certificate does not fit what Alice shows', async () => {
  const ringing: Call = { callId: crypto.randomUUID(), attempt: 1, caller: a, callee: b }
  await rings(ringing)
  await accepts(ringing, await answers(ringing, toBase64(new Uint8Array(32))))
  await expect(opens(ringing, b, await seals(ringing, a, 'offer', sdpOf(a.fingerprint)))).rejects.toThrow(forged)
})

test('What Bob bound by another hash does not fit what he shows', async () => {
  const ringing: Call = { callId: crypto.randomUUID(), attempt: 1, caller: a, callee: b }
  await accepts(ringing, withField(await answers(ringing, await rings(ringing)), 3, new Uint8Array(32)))
  await opens(ringing, b, await seals(ringing, a, 'offer', sdpOf(a.fingerprint)))
  await expect(opens(ringing, a, await seals(ringing, b, 'answer', sdpOf(b.fingerprint)))).rejects.toThrow(forged)
})

test('A frame is taken once, and none behind it: numbers only grow', async () => {
  const call = await connected(a, b)
  const [first, second] = [await seals(call, a, 'state', STATE), await seals(call, a, 'state', STATE)]
  await opens(call, b, second)
  await expect(opens(call, b, second)).rejects.toThrow(failure('call_replayed'))
  await expect(opens(call, b, first)).rejects.toThrow(failure('call_replayed'))
  await expect(opens(call, b, withField(first, 1, '9'))).rejects.toThrow(forged)
  const both = await seals(call, a, 'candidates', STATE)
  const settled = await Promise.allSettled([opens(call, b, both), opens(call, b, both)])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('An offer of an older attempt, of another call, or sent back to who made it opens nothing', async () => {
  const call = await accepted(a, b)
  const offer = await seals(call, a, 'offer', sdpOf(a.fingerprint))
  const next = await accepted(a, b, { callId: call.callId, attempt: 2 })
  await expect(opens(next, b, offer)).rejects.toThrow(forged)
  await expect(opens(call, b, offer)).rejects.toThrow(failure('call_over'))
  const other = await accepted(a, b)
  await expect(opens(other, b, offer)).rejects.toThrow(forged)
  const mine = await seals(next, a, 'offer', sdpOf(a.fingerprint))
  await expect(opens(next, a, mine)).rejects.toThrow(forged)
  await opens(next, b, mine)
  const state = await seals(next, a, 'state', STATE)
  await expect(opens(next, a, state)).rejects.toThrow(forged)
})

test('Before the first offer nothing else of the caller counts, and only the caller offers', async () => {
  const call = await accepted(a, b)
  const early = await seals(call, a, 'candidates', STATE)
  await expect(opens(call, b, early)).rejects.toThrow(forged)
  await expect(seals(call, b, 'answer', sdpOf(b.fingerprint))).rejects.toThrow(failure('call_over'))
  await opens(call, b, await seals(call, a, 'offer', sdpOf(a.fingerprint)))
  await expect(seals(call, b, 'offer', sdpOf(b.fingerprint))).rejects.toThrow(failure('call_over'))
  await expect(seals(call, a, 'answer', sdpOf(a.fingerprint))).rejects.toThrow(failure('call_over'))
  // A patched page of Bob's offers all the same.
  const offer = await patched(b, call, { isCaller: true }, () => seals(call, b, 'offer', sdpOf(b.fingerprint)))
  await expect(opens(call, a, offer)).rejects.toThrow(forged)
})

test('Frames that come at once are opened one after another: what follows the first offer does not overtake it', async () => {
  const call = await accepted(a, b)
  const frames = [await seals(call, a, 'offer', sdpOf(a.fingerprint)), await seals(call, a, 'candidates', STATE)]
  const opened = await Promise.all(frames.map((frame) => opens(call, b, frame)))
  expect(opened.map(({ kind }) => kind)).toEqual(['offer', 'candidates'])
})

test('Another browser of Alice, which has every key of the chat, speaks for none but itself', async () => {
  const phone = await at.alice.newComputer()
  await phone.says(at.bob, 'three')
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
  const call = await connected(a, b)
  const p = await endOf(phone)
  const { turn, ...copy } = held(a, call)
  const { leafSeed } = p.live.device
  // It signs by its own leaf, in Alice's name and in its own.
  for (const device of [a.live.device.id, p.live.device.id]) {
    const own = { ...copy.own, device }
    holdCall(p.live, { ...structuredClone({ ...copy, leafSeed, own, sent: 50 }), turn })
    await expect(opens(call, b, await seals(call, p, 'state', STATE))).rejects.toThrow(forged)
  }
  await opens(call, b, await seals(call, a, 'state', STATE))
})

test('A browser that is removed in the middle of a call says nothing more in it', async () => {
  const phone = await at.alice.newComputer()
  await phone.says(at.bob, 'three')
  await at.bob.reads(at.alice)
  const p = await endOf(phone)
  const call = await connected(p, b)
  await opens(call, b, await seals(call, p, 'state', STATE))
  await changesKeys(at.alice, { removeDevices: [phone.deviceId] })
  await at.alice.says(at.bob, 'four')
  await at.bob.reads(at.alice)
  await expect(opens(call, b, await seals(call, p, 'state', STATE))).rejects.toThrow(forged)
})

test('A frame of a call in another chat opens nothing, whoever knows the key', async () => {
  const call = await connected(a, b)
  const elsewhere = await patched(a, call, { chatRoomId: 'dm_a_b' }, () => seals(call, a, 'state', STATE))
  await expect(opens(call, b, elsewhere)).rejects.toThrow(forged)
})

test('A frame that is still being opened when a new attempt begins is no forgery: it is over', async () => {
  const call = await connected(a, b)
  const frame = await seals(call, a, 'state', STATE)
  let goesOn: (value: unknown) => void = () => undefined
  held(b, call).turn = new Promise((resolve) => {
    goesOn = resolve
  })
  const opening = opens(call, b, frame)
  const next = { ...call, attempt: 2 }
  await answers(next, await rings(next))
  goesOn(undefined)
  await expect(opening).rejects.toThrow(failure('call_over'))
  await expect(opens(call, b, frame)).rejects.toThrow(failure('call_over'))
})
