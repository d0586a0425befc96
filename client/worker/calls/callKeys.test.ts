import { beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeFields, encodeFields, fromBase64, fromUtf8, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { changesKeys } from '../../testing/room.ts'
import { bindTo } from '../binding.ts'
import { inRoom, storeRoom, withRoom } from '../group/roomState.ts'
import { heldCall } from '../keys/heldCalls.ts'
import { bookWrite, readBook } from '../lists/book.ts'
import { setVerified } from '../lists/safety.ts'
import { LOCKS } from '../vault/roomlocks.ts'
import type { Fork } from '../vault/storedRoom.ts'
import { acceptAnswer, dropCall, ringCall } from './callKeys.ts'
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
  placeFor,
  rings,
  sdpOf,
  seals,
  wordsAt,
} from './testing.ts'

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
const begins = (caller = a, callee = b): Call => ({ callId: crypto.randomUUID(), attempt: 1, caller, callee })

test('Alice calls Bob: what each seals the other opens, and both have the same four words, which a new attempt changes', async () => {
  const call = await connected(a, b)
  const state = utf8('{"video":"off"}')
  expect(await opens(call, a, await seals(call, b, 'state', state))).toEqual({ kind: 'state', payload: state })
  expect(await opens(call, b, await seals(call, a, 'candidates', state))).toEqual({ kind: 'candidates', payload: state })
  const words = await wordsAt(call, a)
  expect(words).toHaveLength(4)
  expect(await wordsAt(call, b)).toEqual(words)
  const again = await connected(a, b, { callId: call.callId, attempt: 2 })
  expect(await wordsAt(again, a)).not.toEqual(words)
  expect(await wordsAt(again, b)).toEqual(await wordsAt(again, a))
})

test('There are no words before both certificates are proved', async () => {
  const call = await accepted(a, b)
  const { fingerprint } = a
  await expect(wordsAt(call, a)).rejects.toThrow(failure('call_over'))
  await expect(wordsAt(call, b)).rejects.toThrow(failure('call_over'))
  await opens(call, b, await seals(call, a, 'offer', sdpOf(fingerprint)))
  expect(await wordsAt(call, b)).toHaveLength(4)
  await expect(wordsAt(call, a)).rejects.toThrow(failure('call_over'))
})

test('The page makes a call through the worker’s own verbs', async () => {
  const { alice, roomId } = at
  const bob = await at.bob.newTab()
  const [callId, attempt] = [crypto.randomUUID(), 1]
  const place = (peerId: string) => ({ chatRoomId: roomId, peerId, callId, attempt })
  const commit = await alice.core.ringCall({ ...place(bob.userId), fingerprint: a.fingerprint })
  const answered = { ...place(alice.userId), fingerprint: b.fingerprint, callerDevice: alice.deviceId, commit }
  const answer = await bob.core.answerCall(answered)
  await alice.core.acceptAnswer({ ...place(bob.userId), calleeDevice: bob.deviceId, answer })
  const offer = { callId, attempt, kind: 'offer' as const, payload: sdpOf(a.fingerprint) }
  await bob.core.openSignal({ callId, attempt, sealed: await alice.core.sealSignal(offer) })
  const reply = { callId, attempt, kind: 'answer' as const, payload: sdpOf(b.fingerprint) }
  await alice.core.openSignal({ callId, attempt, sealed: await bob.core.sealSignal(reply) })
  expect(await alice.core.callWords(callId)).toEqual(await bob.core.callWords(callId))
  await alice.core.dropCall(callId)
  await expect(alice.core.callWords(callId)).rejects.toThrow(failure('call_over'))
  await bob.core.close()
  await expect(bob.core.callWords(callId)).rejects.toThrow(failure('closed'))
})

const locks = (end: End, isOn: boolean) =>
  end.live.vault.write([
    {
      store: 'sealed',
      key: LOCKS,
      value: { json: isOn ? { [at.roomId]: { n: 1, publicKey: 'P', rowKeys: [], isSealed: true } } : {} },
    },
  ])

test('A locked chat neither rings out nor is answered before its password, and one that is locked in the call does not break it', async () => {
  const call = await connected(a, b)
  const ringing = begins()
  const commit = await rings(ringing)
  await locks(b, true)
  await expect(answers(ringing, commit)).rejects.toThrow(failure('room_locked'))
  await expect(rings(begins(b, a))).rejects.toThrow(failure('room_locked'))
  const payload = utf8('{"isMuted":true}')
  expect((await opens(call, b, await seals(call, a, 'state', payload))).payload).toEqual(payload)
  expect((await opens(call, a, await seals(call, b, 'state', payload))).payload).toEqual(payload)
  expect(await wordsAt(call, b)).toEqual(await wordsAt(call, a))
  await locks(b, false)
  await accepts(ringing, await answers(ringing, commit))
})

test('A chat that another own browser has locked makes no call, before the rows here follow', async () => {
  const ringing = begins()
  const commit = await rings(ringing)
  const row = await readBook(b.live)
  const locks = { [at.roomId]: { n: 1, kind: 'on', data: ['AAAA', 'AAAA'], gone: 0 } }
  await b.live.vault.write([bookWrite({ ...row, book: { ...row.book, locks } })])
  await expect(answers(ringing, commit)).rejects.toThrow(failure('room_locked'))
  await expect(rings(begins(b, a))).rejects.toThrow(failure('room_locked'))
  await b.live.vault.write([bookWrite(row)])
  await accepts(ringing, await answers(ringing, commit))
})

test('Two device lists of one number stop calls, at either end, as they stop messages', async () => {
  const forked = (isAnswered: boolean) =>
    withRoom(b.live, at.roomId, [at.alice.userId], async ({ record, group }) => {
      if (!record || !group) throw new Error('Bob is not in the room')
      const fork: Fork = { userId: at.alice.userId, version: 1, hash: 'A', known: 'B', isProven: true, isTold: true, isAnswered }
      await storeRoom(b.live, at.roomId, { record: { ...record, forks: [fork] }, group })
    })
  const [ringing, own] = [begins(), begins(b, a)]
  const commit = await rings(ringing)
  const answer = await answers(own, await rings(own))
  await forked(false)
  await expect(answers(ringing, commit)).rejects.toThrow(failure('fork'))
  await expect(accepts(own, answer)).rejects.toThrow(failure('fork'))
  await expect(rings(begins(b, a))).rejects.toThrow(failure('fork'))
  await forked(true)
  await accepts(own, answer)
})

test('Whose numbers differ is not called, and calls nobody here, until they are compared again', async () => {
  const [ringing, own] = [begins(), begins(b, a)]
  const commit = await rings(ringing)
  const answer = await answers(own, await rings(own))
  const identityKey = toBase64(a.live.identityKey)
  const compares = (differs: boolean) =>
    setVerified(b.live, { userId: at.alice.userId, identityKey, isVerified: !differs, differs })
  await compares(true)
  await expect(rings(begins(b, a))).rejects.toThrow(failure('key_changed'))
  await expect(answers(ringing, commit)).rejects.toThrow(failure('key_changed'))
  await expect(accepts(own, answer)).rejects.toThrow(failure('key_changed'))
  await compares(false)
  await accepts(own, answer)
})

test('Nobody is called whose key was never seen, and no chat of another person serves a call', async () => {
  const ringing = begins()
  const stranger = { ...placeFor(ringing, a, b), peerId: at.eve.userId }
  await expect(ringCall(a.live, { ...stranger, fingerprint: a.fingerprint })).rejects.toThrow(failure('place'))
  const unknown = { chatRoomId: `dm_${at.alice.userId}_ffffffff-ffff-4fff-bfff-ffffffffffff`, attempt: 1, callId: ringing.callId }
  const peerId = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
  await expect(ringCall(a.live, { ...unknown, peerId, fingerprint: a.fingerprint })).rejects.toThrow(failure('key_changed'))
})

test('A browser outside of the chat comes in before it answers', async () => {
  const phone = await at.bob.newComputer()
  await phone.reads(at.alice)
  const ringing = begins(a, await endOf(phone))
  const commit = await rings(ringing)
  await expect(answers(ringing, commit)).rejects.toThrow(failure('outside'))
  await phone.says(at.alice, 'three')
  // Alice has not read that the browser came in.
  const answer = await answers(ringing, commit)
  await expect(accepts(ringing, answer)).rejects.toThrow(failure('epoch'))
  await at.alice.reads(at.bob)
  await accepts(ringing, answer)
})

test('While a removed browser is still inside of the chat nobody is called over it', async () => {
  const phone = await at.bob.newComputer()
  await phone.says(at.alice, 'three')
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
  const answered = begins()
  const answer = await answers(answered, await rings(answered))
  await changesKeys(at.bob, { removeDevices: [phone.deviceId] })
  const later = begins()
  const commit = await rings(later)
  await expect(answers(later, commit)).rejects.toThrow(failure('outside'))
  await at.bob.says(at.alice, 'four')
  await at.alice.reads(at.bob)
  await expect(accepts(answered, answer)).rejects.toThrow(failure('epoch'))
})

test('An answer of another state of the chat is not taken; it is answered anew, three times and no more', async () => {
  const ringing = begins()
  const commit = await rings(ringing)
  const first = await answers(ringing, commit)
  const [, , nonce] = decodeFields(fromBase64(first))
  const moved = (change: (fields: Uint8Array[]) => (Uint8Array | string)[]) =>
    toBase64(encodeFields(...change(decodeFields(fromBase64(first)))))
  const otherEpoch = moved(([group, epoch, ...rest]) => [
    group ?? '',
    String(Number(fromUtf8(epoch ?? new Uint8Array())) + 1),
    ...rest,
  ])
  await expect(accepts(ringing, otherEpoch)).rejects.toThrow(failure('epoch'))
  await expect(
    accepts(
      ringing,
      moved(([, ...rest]) => [new Uint8Array(48), ...rest]),
    ),
  ).rejects.toThrow(failure('epoch'))
  const second = await answers(ringing, commit)
  // Else the words could be tried again.
  expect(decodeFields(fromBase64(second))[2]).not.toEqual(nonce)
  await answers(ringing, commit)
  const last = await answers(ringing, commit)
  await expect(answers(ringing, commit)).rejects.toThrow(failure('call_over'))
  await accepts(ringing, last)
  const offer = await seals(ringing, a, 'offer', sdpOf(a.fingerprint))
  await opens(ringing, b, offer)
})

test.each(['', 'AAAA', '%', toBase64(encodeFields('a', '1', new Uint8Array(31), new Uint8Array(32)))])(
  'An answer that is none ends the call by name: %s',
  async (answer) => {
    const ringing = begins()
    await rings(ringing)
    await expect(accepts(ringing, answer)).rejects.toThrow(failure('call_forged'))
  },
)

test('Of two answers the first one is taken, and the second changes nothing', async () => {
  const ringing = begins()
  const commit = await rings(ringing)
  const first = await answers(ringing, commit)
  const phone = await at.bob.newComputer()
  await accepts(ringing, first)
  const other = { ...ringing, callee: await endOf(phone) }
  await expect(accepts(other, first)).rejects.toThrow(failure('call_replayed'))
  await opens(ringing, b, await seals(ringing, a, 'offer', sdpOf(a.fingerprint)))
  await opens(ringing, a, await seals(ringing, b, 'answer', sdpOf(b.fingerprint)))
  expect(await wordsAt(ringing, a)).toEqual(await wordsAt(ringing, b))
})

test('An answer in the name of a browser that Bob does not list is forged', async () => {
  const ringing = begins()
  const answer = await answers(ringing, await rings(ringing))
  const named = { ...placeFor(ringing, a, b), calleeDevice: at.e.live.device.id, answer }
  await expect(acceptAnswer(a.live, named)).rejects.toThrow(failure('call_forged'))
})

test('Once somebody has seen Bob’s nonce they do not commit to another one in the same attempt, nor from another browser', async () => {
  const ringing = begins()
  const commit = await rings(ringing)
  await answers(ringing, commit)
  const other = toBase64(new Uint8Array(32))
  await expect(answers(ringing, other)).rejects.toThrow(failure('call_forged'))
  const phone = await endOf(await at.alice.newComputer())
  await expect(answers({ ...ringing, attempt: 2, caller: phone }, other)).rejects.toThrow(failure('call_forged'))
})

test('An older attempt is over at both ends, and none is rung twice', async () => {
  const call = await connected(a, b, { attempt: 2 })
  await expect(rings({ ...call, attempt: 2 })).rejects.toThrow(failure('call_over'))
  await expect(rings({ ...call, attempt: 1 })).rejects.toThrow(failure('call_over'))
  await expect(answers({ ...call, attempt: 1 }, toBase64(new Uint8Array(32)))).rejects.toThrow(failure('call_over'))
  await expect(rings({ ...call, attempt: 3, caller: b, callee: a })).rejects.toThrow(failure('call_over'))
  const frame = await seals(call, a, 'state', utf8('{}'))
  await expect(opens({ ...call, attempt: 1 }, b, frame)).rejects.toThrow(failure('call_over'))
})

test('A call waits for no message: it goes on while the chat’s lock is taken', async () => {
  const call = begins()
  await inRoom(a.live, at.roomId, () =>
    inRoom(b.live, at.roomId, async () => accepts(call, await answers(call, await rings(call)))),
  )
  await seals(call, a, 'offer', sdpOf(a.fingerprint))
})

test('A call that has ended is not begun, nor does one that ends while it begins leave anything behind', async () => {
  const over = failure('call_over')
  const [call, later] = [begins(), begins()]
  const commit = await rings(call)
  const answering = expect(answers(call, commit)).rejects.toThrow(over)
  await dropCall(b.live, call.callId)
  await answering
  await expect(answers(call, commit)).rejects.toThrow(over)
  const ringing = expect(rings(later)).rejects.toThrow(over)
  await dropCall(a.live, later.callId)
  await ringing
  await expect(rings({ ...later, attempt: 2 })).rejects.toThrow(over)
  expect([heldCall(b.live, call), heldCall(a.live, later)]).toEqual([undefined, undefined])
})

test('Whatever a call holds is overwritten when it ends, and when its account closes', async () => {
  const [one, other] = [await endOf(at.alice), await endOf(at.bob)]
  const call = await connected(one, other)
  const [mine, theirs] = [heldCall(one.live, call), heldCall(other.live, call)]
  const secrets = [mine, theirs].flatMap((held) => [held?.key, held?.leafSeed, held?.own.nonce, held?.epoch?.exporter])
  expect(secrets.filter((secret) => secret?.some((byte) => byte !== 0))).toHaveLength(6)
  bindTo({ ways: {}, live: one.live }, () => '').shut()
  bindTo({ ways: {}, live: other.live }, () => '').shut()
  expect(secrets.flatMap((secret) => [...(secret ?? [1])]).filter((byte) => byte !== 0)).toEqual([])
  expect(heldCall(one.live, call)).toBeUndefined()
})

test.each(['', 'sha-1 AB:CD', `sha-512 ${'AB:'.repeat(63)}AB`, `${newFingerprint()}:00`])(
  'A certificate without a SHA-256 fingerprint makes no call: %s',
  async (fingerprint) => {
    await expect(rings(begins({ ...a, fingerprint }))).rejects.toThrow(failure('malformed'))
  },
)
