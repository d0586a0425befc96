import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeFields, encodeFields, fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { changesKeys } from '../../testing/room.ts'
import { bindTo } from '../binding.ts'
import { dropCall } from '../calls/callKeys.ts'
import {
  accepts,
  answers,
  type Call,
  callers,
  connected,
  type End,
  endOf,
  opens,
  placeFor,
  rings,
  sdpOf,
  seals,
} from '../calls/testing.ts'
import { type HeldCall, heldCall } from '../keys/heldCalls.ts'
import { randomBytes } from '../primitives/seal.ts'
import { LOCKS } from '../vault/roomlocks.ts'
import { type KeptRow, rowWrite } from './keptTransfers.ts'

// Bob offers, Alice receives: her browser takes the caller's place. Eve is the server.

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
const STATE = utf8('{"isHere":true}')

const ANY = toBase64(new Uint8Array(32))

/** Eve reads them in what Bob answers. */
async function epochAt(bob: End, call: Call, commit: string) {
  const [groupId, epoch] = decodeFields(fromBase64(await answers({ ...call, callee: bob }, commit)))
  if (!groupId || !epoch) throw new Error('There is no answer')
  return { groupId, epoch }
}

/** What Bob's browser keeps of an offer. */
async function offers(transferId: string, change: Partial<KeptRow> = {}): Promise<void> {
  const content = { type: 'transfer' as const, transferId, name: 'plan.pdf', mediaType: 'application/pdf', sizeBytes: 1 }
  const row: KeptRow = {
    content: { ...content, hash: toBase64(randomBytes(32)) },
    ...{ chatRoomId: at.roomId, isMine: true, stage: 'offered', have: 1, at: new Date().toISOString(), keptAt: Date.now() },
    key: toBase64(randomBytes(32)),
    ...change,
  }
  await b.live.vault.write([rowWrite(row)])
}

async function offered(transferId: string = randomUUID()): Promise<Call & { subject: 'transfer' }> {
  await offers(transferId)
  return { subject: 'transfer', callId: transferId, attempt: 1, caller: a, callee: b }
}

const connects = (transfer: Call) => connected(transfer.caller, transfer.callee, transfer)

function held(end: End, call: Call): HeldCall {
  const found = heldCall(end.live, call)
  if (!found) throw new Error('There is no such transfer')
  return found
}

test('Alice takes what Bob offers: what each seals the other opens, in this attempt and the next', async () => {
  const transfer = await offered()
  for (const attempt of [1, 2]) {
    const call = await connects({ ...transfer, attempt })
    expect(await opens(call, a, await seals(call, b, 'state', STATE))).toEqual({ kind: 'state', payload: STATE })
    expect((await opens(call, b, await seals(call, a, 'candidates', STATE))).payload).toEqual(STATE)
  }
  await expect(opens(transfer, b, await seals({ ...transfer, attempt: 2 }, a, 'state', STATE))).rejects.toThrow(
    failure('call_over'),
  )
})

test('Bob’s browser answers for nothing that it does not offer in this chat, or has offered too long ago', async () => {
  const absent = failure('file_absent')
  const answered = async (transferId: string, change?: Partial<KeptRow>) => {
    if (change) await offers(transferId, change)
    const call: Call = { subject: 'transfer', callId: transferId, attempt: 1, caller: a, callee: b }
    return answers(call, await rings(call))
  }
  const day = 24 * 60 * 60 * 1000
  await expect(answered(randomUUID())).rejects.toThrow(absent)
  await expect(answered(randomUUID(), { chatRoomId: placeFor({ callId: '', attempt: 1 }, b, at.e).chatRoomId })).rejects.toThrow(
    absent,
  )
  await expect(answered(randomUUID(), { isMine: false, stage: 'receiving' })).rejects.toThrow(absent)
  await expect(answered(randomUUID(), { keptAt: Date.now() - day - 1000 })).rejects.toThrow(absent)
  await expect(answered(randomUUID(), { keptAt: Date.now() + day + 1000 })).rejects.toThrow(absent)
  await answered(randomUUID(), { keptAt: Date.now() - day + 60_000 })
})

test('With the same id, key and nonces no frame of a call opens as one of a transfer, nor the other way round', async () => {
  const transfer = await connects(await offered())
  const call = await connected(a, b, { callId: transfer.callId, attempt: 1 })
  expect(call.subject).toBeUndefined()
  const [ofCall, ofTransfer] = [held(b, call), held(b, transfer)]
  const shared = (one: HeldCall) => ({ key: one.key, own: one.own, other: one.other, epoch: one.epoch })
  const [callOwn, transferOwn] = [shared(ofCall), shared(ofTransfer)]
  const frames = [await seals(call, a, 'state', STATE), await seals(transfer, a, 'state', STATE)] as const
  Object.assign(ofTransfer, callOwn)
  await expect(opens(transfer, b, frames[0])).rejects.toThrow(failure('call_forged'))
  Object.assign(ofTransfer, transferOwn)
  Object.assign(ofCall, transferOwn)
  await expect(opens(call, b, frames[1])).rejects.toThrow(failure('call_forged'))
  Object.assign(ofCall, callOwn)
  expect((await opens(call, b, frames[0])).payload).toEqual(STATE)
  expect((await opens(transfer, b, frames[1])).payload).toEqual(STATE)
})

test('What Alice commits to for a call is no commitment to a transfer of that id: its first offer is forged', async () => {
  const transfer = await offered()
  const call = { callId: transfer.callId, attempt: 1, caller: a, callee: b }
  const answer = await answers(transfer, await rings(call))
  await accepts(call, answer)
  await expect(opens(transfer, b, await seals(call, a, 'offer', sdpOf(a.fingerprint)))).rejects.toThrow(failure('call_forged'))
})

test('A transfer that is dropped goes on by another attempt; a call of that id is not begun again', async () => {
  const transfer = await connects(await offered())
  const call = await connected(a, b, { callId: transfer.callId, attempt: 1 })
  await dropCall(b.live, transfer.callId, 'transfer')
  await expect(opens(transfer, b, await seals(transfer, a, 'state', STATE))).rejects.toThrow(failure('call_over'))
  expect((await opens(call, b, await seals(call, a, 'state', STATE))).payload).toEqual(STATE)
  const next = await connects({ ...transfer, attempt: 2 })
  expect((await opens(next, b, await seals(next, a, 'state', STATE))).payload).toEqual(STATE)
  await dropCall(b.live, call.callId)
  await expect(answers({ ...call, attempt: 2 }, await rings({ ...call, attempt: 2 }))).rejects.toThrow(failure('call_over'))
})

test('Another browser of Alice goes on where her first one has gone; one that she has removed does not, and ends nothing', async () => {
  const transfer = await connects(await offered())
  const phone = await at.alice.newComputer()
  await phone.says(at.bob, 'three')
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
  const next = await connects({ ...transfer, attempt: 2, caller: await endOf(phone) })
  expect((await opens(next, b, await seals(next, next.caller, 'state', STATE))).payload).toEqual(STATE)
  await changesKeys(at.alice, { removeDevices: [phone.deviceId] })
  await at.alice.says(at.bob, 'four')
  await at.bob.reads(at.alice)
  await at.alice.reads(at.bob)
  await expect(opens(next, b, await seals(next, next.caller, 'state', STATE))).rejects.toThrow(failure('call_forged'))
  await expect(answers({ ...next, attempt: 3 }, ANY)).rejects.toThrow(failure('call_forged'))
  expect(held(b, next).attempt).toBe(2)
  await connects({ ...transfer, attempt: 3 })
})

test('No number, device or answer that Eve makes up keeps Bob and Alice apart for longer than the attempt', async () => {
  const transfer = await offered()
  const laptop = await at.bob.newComputer()
  await laptop.says(at.alice, 'three')
  await at.bob.reads(at.alice)
  await at.alice.reads(at.bob)
  await answers({ ...transfer, attempt: 10_000 }, ANY)
  const next = { ...transfer, attempt: 2 }
  const commit = await rings(next)
  const { nonce, groupId, epoch } = { nonce: randomBytes(32), ...(await epochAt(b, next, commit)) }
  const answer = toBase64(encodeFields(groupId, epoch, nonce, randomBytes(32)))
  await accepts({ ...next, callee: await endOf(laptop) }, answer)
  const last = await connects({ ...transfer, attempt: 3 })
  expect((await opens(last, a, await seals(last, b, 'state', STATE))).payload).toEqual(STATE)
  await expect(answers({ ...transfer, attempt: 2 }, ANY)).rejects.toThrow(failure('call_over'))
  await expect(answers({ ...transfer, attempt: 3 }, ANY)).rejects.toThrow(failure('call_forged'))
})

test('A transfer that is dropped while it connects leaves no key behind', async () => {
  const transfer = await offered()
  const ringing = expect(rings(transfer)).rejects.toThrow(failure('call_over'))
  await dropCall(a.live, transfer.callId, 'transfer')
  await ringing
  const commit = await rings(transfer)
  const answering = expect(answers(transfer, commit)).rejects.toThrow(failure('call_over'))
  await dropCall(b.live, transfer.callId, 'transfer')
  await answering
  expect(heldCall(b.live, transfer)).toBeUndefined()
})

test('A chat that is locked lets its transfer go on, and begins no other attempt', async () => {
  const transfer = await connects(await offered())
  const lock = { n: 1, publicKey: 'P', rowKeys: [], isSealed: true }
  const locks = (isOn: boolean) =>
    b.live.vault.write([{ store: 'sealed', key: LOCKS, value: { json: isOn ? { [at.roomId]: lock } : {} } }])
  const next = { ...transfer, attempt: 2 }
  await locks(true)
  expect((await opens(transfer, a, await seals(transfer, b, 'state', STATE))).payload).toEqual(STATE)
  await expect(answers(next, await rings(next))).rejects.toThrow(failure('room_locked'))
  await locks(false)
})

test('Whatever a transfer holds is overwritten when its account closes', async () => {
  const one = await endOf(at.alice)
  const transfer = await offered()
  const call = await connects({ ...transfer, caller: one })
  const { key, leafSeed, own } = held(one, call)
  const secrets = [key, leafSeed, own.nonce]
  expect(secrets.filter((secret) => secret?.some((byte) => byte !== 0))).toHaveLength(3)
  bindTo({ ways: {}, live: one.live }, () => '').shut()
  expect(secrets.flatMap((secret) => [...(secret ?? [1])]).filter((byte) => byte !== 0)).toEqual([])
})
