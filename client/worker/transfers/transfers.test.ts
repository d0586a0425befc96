import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'

import { type Folder, type PrivateDisk, privateDisk } from '../../testing/privateDisk.ts'
import { callers, type End, endOf } from '../calls/testing.ts'
import { dropKept } from '../files/sealFile.ts'
import { filesOf as folderOf } from '../vault/listedVaults.ts'
import { finishTransfer, missingChunks, openTransfer } from './receiving.ts'
import { brings, bytesOf, connects, hashOf, type Moving, offersFile, opens, receives, seals, underWay } from './testing.ts'
import { dropTransfer, transferRows } from './transfers.ts'

let at: Awaited<ReturnType<typeof callers>>
let a: End
let b: End
let disk: PrivateDisk

beforeAll(async () => {
  at = await callers()
})

beforeEach(async () => {
  disk = privateDisk()
  await at.alice.reads(at.bob)
  await at.bob.reads(at.alice)
  a = await endOf(at.alice)
  b = await endOf(at.bob)
})

afterEach(async () => {
  for (const { live } of [a, b])
    for (const { chatRoomId, content } of await transferRows(live)) {
      await dropKept(live, [chatRoomId])
      await dropTransfer(live, { chatRoomId, transferId: content.transferId })
    }
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const { chunkBytes } = TRANSFER_LIMITS
const name = ({ chatRoomId, transferId }: Moving) => ({ chatRoomId, transferId })
const read = async (blob: Blob | undefined) => blob && new Uint8Array(await blob.arrayBuffer())
const missing = (moving: Moving) => missingChunks(moving.receiver.live, name(moving))
const rowsOf = async ({ live }: End) => (await transferRows(live)).map(({ stage, have, isMine }) => ({ stage, have, isMine }))

/** Each file of the private file system, by its path below an account. */
function filesOn(folder: Folder = disk.root, path = ''): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  for (const [inner, known] of folder) {
    if (!(known instanceof Map)) found.set(`${path}/${inner}`, known.bytes)
    else for (const [deeper, bytes] of filesOn(known, `${path}/${inner}`)) found.set(deeper, bytes)
  }
  return found
}

const filesOf = ({ live }: End) =>
  [...filesOn()].filter(([path]) => path.startsWith(`/${folderOf(live.userId)}/`)).map(([path, bytes]) => ({ path, bytes }))

test('A file of any size comes over whole, and is opened from what is kept', async () => {
  for (const size of [1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 70 * chunkBytes + 5]) {
    const file = bytesOf(size)
    const moving = await underWay(a, b, file)
    expect(moving.content.hash).toBe(hashOf(file))
    expect(await missing(moving)).toEqual([[0, chunksOf(size)]])
    await brings(moving)
    expect(await missing(moving)).toEqual([])
    await finishTransfer(b.live, name(moving))
    await finishTransfer(b.live, name(moving))
    expect(await read(await openTransfer(b.live, name(moving)))).toEqual(file)
    expect(await missing(moving)).toEqual([])
  }
  expect(new Set((await rowsOf(b)).map(({ stage }) => stage))).toEqual(new Set(['done']))
})

test('Chunks come in any order and more than once, at the same time', async () => {
  const file = bytesOf(20 * chunkBytes + 9)
  const moving = await underWay(a, b, file)
  const batches = await Promise.all([14, 0, 7, 5].map((from) => seals(moving, from, 7)))
  await Promise.all(batches.map((frames) => opens(moving, frames)))
  expect(await missing(moving)).toEqual([])
  expect(await opens(moving, batches[0] ?? new Uint8Array())).toBe(21)
  await finishTransfer(b.live, name(moving))
  expect(await read(await openTransfer(b.live, name(moving)))).toEqual(file)
})

test('After a crash on either side what is there goes on, and what does not open is missing', async () => {
  const file = bytesOf(10 * chunkBytes)
  const moving = await underWay(a, b, file)
  await opens(moving, await seals(moving, 0, 5))
  const [pieces] = filesOf(b)
  // The crash came in the middle of the fourth piece.
  pieces?.bytes.fill(0, 3 * (chunkBytes + 28) + 1000, 4 * (chunkBytes + 28))
  const again = { ...moving, sender: await endOf(at.alice), receiver: await endOf(at.bob) }
  expect(await receives(again)).toMatchObject({ stage: 'receiving', have: 4 })
  expect(await missing(again)).toEqual([
    [3, 4],
    [5, 10],
  ])
  await connects(again, 2)
  await brings(again, 2)
  await finishTransfer(again.receiver.live, name(again))
  expect(await read(await openTransfer(again.receiver.live, name(again)))).toEqual(file)
})

test('A file with another hash than was offered is refused by name, and nothing of it is kept', async () => {
  const offered = await offersFile(a, b, new Blob([bytesOf(3 * chunkBytes)]))
  const lied = { ...offered, content: { ...offered.content, hash: hashOf(bytesOf(5)) } }
  await receives(lied)
  await connects(lied)
  await brings(lied)
  await expect(finishTransfer(b.live, name(lied))).rejects.toThrow(failure('file_hash'))
  expect([filesOf(b), await rowsOf(b)]).toEqual([[], []])
  await expect(missing(lied)).rejects.toThrow(failure('file_absent'))
  await expect(seals(lied, 0, 1).then((frames) => opens(lied, frames))).rejects.toThrow(failure('call_over'))
})
