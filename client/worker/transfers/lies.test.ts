import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { type Bytes, concat } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { privateDisk } from '../../testing/privateDisk.ts'
import { accepted, callers, type End, endOf, opens as hears, seals as says, sdpOf } from '../calls/testing.ts'
import { flip } from '../group/testing.ts'
import { heldCall } from '../keys/heldCalls.ts'
import { finishTransfer, openTransfer } from './finishing.ts'
import { missingChunks } from './receiving.ts'
import { bytesOf, connects, type Moving, offersFile, opens, receives, seals, underWay } from './testing.ts'
import { dropTransfer } from './transfers.ts'

// Eve carries what goes from Alice to Bob, or is Alice’s browser and does what it should not.

let at: Awaited<ReturnType<typeof callers>>
let a: End
let b: End

beforeAll(async () => {
  at = await callers()
})

beforeEach(async () => {
  privateDisk()
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
  a = await endOf(at.alice)
  b = await endOf(at.bob)
})

afterEach(() => void vi.unstubAllGlobals())

const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const { chunkBytes } = TRANSFER_LIMITS
const HEAD = 8
const FRAME = HEAD + 28 + chunkBytes
const name = ({ chatRoomId, transferId }: Moving) => ({ chatRoomId, transferId })
const missing = (moving: Moving) => missingChunks(moving.receiver.live, name(moving))
const frameAt = (frames: Bytes, at: number): Bytes => frames.slice(at * FRAME, (at + 1) * FRAME)

function withHead(frame: Bytes, number: number, length = frame.length - HEAD): Bytes {
  const changed = frame.slice()
  const view = new DataView(changed.buffer)
  view.setUint32(0, number)
  view.setUint32(4, length)
  return changed
}

test('Eve flips a bit of a number, a length, a nonce, a text or a tag: the chunk is missing', async () => {
  const moving = await underWay(a, b, bytesOf(3 * chunkBytes))
  const frame = await seals(moving, 1, 1)
  for (const place of [3, 7, HEAD, HEAD + 11, HEAD + 12, HEAD + 9000, frame.length - 1])
    expect(await opens(moving, flip(frame, place * 8)), `byte ${place}`).toBe(0)
  expect(await missing(moving)).toEqual([[0, 3]])
  expect(await opens(moving, frame)).toBe(1)
})

test('Eve gives a chunk another number: it opens at its own alone', async () => {
  const moving = await underWay(a, b, bytesOf(3 * chunkBytes))
  const frames = await seals(moving, 0, 3)
  const swapped = concat(withHead(frameAt(frames, 0), 1), withHead(frameAt(frames, 1), 0), withHead(frameAt(frames, 2), 2))
  expect(await opens(moving, swapped)).toBe(1)
  expect(await missing(moving)).toEqual([[0, 2]])
})

test('What Eve recorded of an earlier attempt opens in none that follows, and that attempt is over', async () => {
  const moving = await underWay(a, b, bytesOf(2 * chunkBytes))
  const yesterday = await seals(moving, 0, 2)
  await connects(moving, 2)
  expect(await opens(moving, yesterday, 2)).toBe(0)
  await expect(opens(moving, yesterday, 1)).rejects.toThrow(failure('call_over'))
  await expect(seals(moving, 0, 1, 1)).rejects.toThrow(failure('call_over'))
  await expect(seals(moving, 0, 1, 3)).rejects.toThrow(failure('call_over'))
})

test('A chunk of another transfer opens nothing, be its number, its bytes and even its key the same', async () => {
  const file = bytesOf(2 * chunkBytes)
  const [one, other, third] = [await underWay(a, b, file), await underWay(a, b, file), await underWay(a, b, file)]
  expect(await opens(one, await seals(other, 0, 2))).toBe(0)
  const [mine, theirs] = [heldCall(b.live, callOf(third)), heldCall(a.live, callOf(other))]
  if (!mine || !theirs) throw new Error('There is no such attempt')
  mine.key = theirs.key
  expect(await opens(third, await seals(other, 0, 2))).toBe(0)
})

const callOf = ({ transferId }: Moving) => ({ subject: 'transfer' as const, callId: transferId })

test('Nothing is reflected: neither side does what is the other’s, and a chunk goes one way', async () => {
  const moving = await underWay(a, b, bytesOf(2 * chunkBytes))
  const frames = await seals(moving, 0, 2)
  const turned = { ...moving, sender: b, receiver: a }
  await expect(seals(turned, 0, 1)).rejects.toThrow(failure('call_over'))
  await expect(opens(turned, frames)).rejects.toThrow(failure('call_over'))
  const call = heldCall(b.live, callOf(moving))
  if (call?.other) call.other = { ...call.other, device: b.live.device.id }
  expect(await opens(moving, frames)).toBe(0)
})

test('The offer’s size is what both seal by: chunks of a longer or shorter file of that id open nothing', async () => {
  const file = bytesOf(2 * chunkBytes)
  const moving = await offersFile(a, b, new Blob([file]))
  for (const [attempt, sizeBytes] of [2 * chunkBytes + 1, chunkBytes].map((bytes, at) => [at + 1, bytes] as const)) {
    const lied = { ...moving, content: { ...moving.content, sizeBytes, transferId: moving.transferId } }
    const { live } = await endOf(at.bob)
    const receiver = { ...b, live }
    await receives({ ...lied, receiver })
    await connects({ ...lied, receiver }, attempt)
    expect(await opens({ ...lied, receiver }, await seals(moving, 0, 2, attempt), attempt)).toBe(0)
    await expect(finishTransfer(live, name(lied))).rejects.toThrow(failure('file_chunk'))
    await dropTransfer(live, name(lied))
  }
})

test('Numbers that the file has not, lengths that lie, and more than is asked for at once are dropped, whatever stands behind', async () => {
  const moving = await underWay(a, b, bytesOf(300 * chunkBytes))
  const first = await seals(moving, 0, 1)
  for (const number of [300, 2 ** 31, 2 ** 32 - 1]) expect(await opens(moving, withHead(first, number))).toBe(0)
  for (const length of [0, 1, 28, 2 ** 32 - 1]) expect(await opens(moving, withHead(first, 0, length))).toBe(0)
  for (const frames of [new Uint8Array(), new Uint8Array(7), first.slice(0, -1), first.slice(0, 40)])
    expect(await opens(moving, frames)).toBe(0)
  const batches = [await seals(moving, 0, 1000), await seals(moving, 256, 1000)]
  expect(batches.map(({ length }) => length / FRAME)).toEqual([256, 44])
  expect(await opens(moving, concat(...batches))).toBe(256)
  await expect(seals(moving, 300, 1)).rejects.toThrow(RangeError)
  await expect(seals(moving, -1, 1)).rejects.toThrow(RangeError)
})

test('No chunk goes before both certificates are proved', async () => {
  const moving = await offersFile(a, b, new Blob([bytesOf(chunkBytes)]))
  await receives(moving)
  const call = await accepted(b, a, { subject: 'transfer', callId: moving.transferId, attempt: 1 })
  const over = failure('call_over')
  await expect(seals(moving, 0, 1)).rejects.toThrow(over)
  await hears(call, a, await says(call, b, 'offer', sdpOf(b.fingerprint)))
  const frames = await seals(moving, 0, 1)
  await expect(opens(moving, frames)).rejects.toThrow(over)
  await hears(call, b, await says(call, a, 'answer', sdpOf(a.fingerprint)))
  expect(await opens(moving, frames)).toBe(1)
})

test('The same chunk is never sealed under one nonce, so a file that changes betrays nothing', async () => {
  const moving = await underWay(a, b, bytesOf(chunkBytes))
  const nonces = new Set<string>()
  for (let n = 0; n < 20; n++) nonces.add(String((await seals(moving, 0, 1)).slice(HEAD, HEAD + 12)))
  expect(nonces.size).toBe(20)
})

test('Another contact who offers a file of the same id changes nothing of the first', async () => {
  await at.eve.says(at.bob, 'one')
  await at.bob.says(at.eve, 'two')
  const file = bytesOf(2 * chunkBytes)
  const moving = await underWay(a, b, file)
  await opens(moving, await seals(moving, 0, 1))
  const chatRoomId = directRoomId(at.eve.userId, at.bob.userId)
  const other = { ...moving, chatRoomId, sender: at.e }
  await receives(other)
  await expect(connects(other)).rejects.toThrow(failure('call_over'))
  expect(await opens(moving, await seals(moving, 1, 1))).toBe(2)
  await finishTransfer(b.live, name(moving))
  expect((await openTransfer(b.live, name(moving)))?.size).toBe(file.length)
  expect(await missingChunks(b.live, { chatRoomId, transferId: moving.transferId })).toEqual([[0, chunksOf(file.length)]])
})
