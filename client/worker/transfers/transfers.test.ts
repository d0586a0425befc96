import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { readDisk } from '../../testing/disk.ts'
import { openedRows } from '../../testing/opened.ts'

import { type Folder, type PrivateDisk, privateDisk } from '../../testing/privateDisk.ts'
import { dropCall } from '../calls/callKeys.ts'
import { callers, type End, endOf } from '../calls/testing.ts'
import { wipeRoom } from '../chatlocks/chatrows.ts'
import { dropKept, keptFiles } from '../files/sealFile.ts'
import { clearRoom } from '../log/clearRoom.ts'
import { filesOf as folderOf } from '../vault/listedVaults.ts'
import { LOCKS } from '../vault/roomlocks.ts'
import { finishTransfer, openTransfer } from './finishing.ts'
import { keptRow, rowWrite } from './keptTransfers.ts'
import { missingChunks } from './receiving.ts'
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
const isWhole = async (moving: Moving, file: Uint8Array) => {
  const opened = await openTransfer(moving.receiver.live, name(moving))
  return opened !== undefined && Buffer.compare(new Uint8Array(await opened.arrayBuffer()), file) === 0
}
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
    expect(await isWhole(moving, file)).toBe(true)
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
  expect(await isWhole(moving, file)).toBe(true)
})

test('A piece that is here is not written again, so that a full disk tears none', async () => {
  const file = bytesOf(6 * chunkBytes)
  const moving = await underWay(a, b, file)
  const frames = await seals(moving, 0, 6)
  const [first, again] = [opens(moving, frames), opens(moving, frames)]
  await first
  disk.roomBytes = 2 * chunkBytes
  expect(await again).toBe(6)
  await finishTransfer(b.live, name(moving))
  expect(await isWhole(moving, file)).toBe(true)
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
  expect(await isWhole(again, file)).toBe(true)
})

test.each(['NotFoundError', 'NotReadableError'])(
  'Another tab clears the chat while a file goes out (%s): it ends by name',
  async (how) => {
    const moving = await underWay(a, b, bytesOf(3 * chunkBytes))
    await opens(moving, await seals(moving, 0, 1))
    vi.spyOn(Blob.prototype, 'arrayBuffer').mockRejectedValueOnce(new DOMException('Gone', how))
    await expect(seals(moving, 1, 1)).rejects.toThrow(failure('file_absent'))
  },
)

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

test('A dropped or finished transfer leaves the sender nothing, and the receiver what came whole', async () => {
  const moving = await underWay(a, b, bytesOf(2 * chunkBytes))
  await brings(moving)
  await finishTransfer(b.live, name(moving))
  await dropTransfer(a.live, name(moving))
  await dropTransfer(b.live, name(moving))
  expect([filesOf(a), await rowsOf(a), await rowsOf(b)]).toEqual([[], [], [{ stage: 'done', have: 2, isMine: false }]])
  const { rooms, waitingBytes } = await keptFiles(b.live)
  const files = [{ object: moving.transferId, bytes: 2 * (chunkBytes + 28) }]
  expect([rooms, waitingBytes]).toEqual([[{ chatRoomId: moving.chatRoomId, files }], 0])
  await dropKept(b.live, [moving.chatRoomId])
  expect([await openTransfer(b.live, name(moving)), await rowsOf(b), filesOf(b)]).toEqual([undefined, [], []])
})

test('Where no file moves, what was received stays openable where it lies, also after a day', async () => {
  disk.hasMoving = false
  const file = bytesOf(chunkBytes + 1)
  const moving = await underWay(a, b, file)
  await brings(moving)
  await finishTransfer(b.live, name(moving))
  expect(await isWhole(moving, file)).toBe(true)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 })
  await transferRows(b.live)
  expect(await isWhole(moving, file)).toBe(true)
})

test('Neither names nor bytes of a transfer lie on a disk in the clear', async () => {
  const file = bytesOf(5 * chunkBytes)
  const moving = await underWay(a, b, file, 'a-secret-place.pdf')
  await brings(moving)
  await finishTransfer(b.live, name(moving))
  const half = await underWay(a, b, file, 'another-secret-place.pdf')
  await opens(half, await seals(half, 0, 3))
  const rows = JSON.stringify([await readDisk(at.alice.computer), await readDisk(at.bob.computer)])
  for (const [path, bytes] of filesOn()) {
    expect(path).not.toContain('secret')
    for (let place = 0; place + 16 <= file.length; place += 4099)
      expect(Buffer.from(bytes).includes(Buffer.from(file.subarray(place, place + 16))), path).toBe(false)
  }
  for (const word of ['secret-place', moving.content.hash]) expect(rows).not.toContain(word)
  expect(filesOn().size).toBe(4)
})

test('A disk that is full before, or in the middle, says so by name; what is there stays', async () => {
  disk.roomBytes = 4 * chunkBytes
  await expect(offersFile(a, b, new Blob([bytesOf(5 * chunkBytes)]))).rejects.toThrow(failure('quota'))
  expect([filesOf(a), await rowsOf(a)]).toEqual([[], []])
  disk.roomBytes = 1e9
  const file = bytesOf(6 * chunkBytes)
  const large = await offersFile(a, b, new Blob([file]))
  disk.roomBytes = 4 * chunkBytes
  await expect(receives(large)).rejects.toThrow(failure('quota'))
  expect([filesOf(b), await rowsOf(b)]).toEqual([[], []])
  disk.roomBytes = 1e9
  await receives(large)
  await connects(large)
  await opens(large, await seals(large, 0, 2))
  disk.roomBytes = 3 * (chunkBytes + 28)
  const frames = await seals(large, 2, 4)
  await expect(opens(large, frames)).rejects.toThrow(failure('quota'))
  expect(await missing(large)).toEqual([[2, 6]])
  disk.roomBytes = 1e9
  expect(await opens(large, frames)).toBe(6)
  await finishTransfer(b.live, name(large))
  expect(await isWhole(large, file)).toBe(true)
})

test('A file that cannot be read, or is empty or too large, is offered by nobody', async () => {
  const gone = new File([bytesOf(10)], 'gone')
  gone.slice = () =>
    Object.assign(new Blob([bytesOf(10)]), { arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) })
  await expect(offersFile(a, b, gone)).rejects.toThrow(failure('file_read'))
  await expect(offersFile(a, b, new Blob([]))).rejects.toThrow(failure('file_size'))
  const large = Object.defineProperty(new Blob([bytesOf(1)]), 'size', { value: TRANSFER_LIMITS.fileBytes + 1 })
  await expect(offersFile(a, b, large)).rejects.toThrow(failure('file_size'))
  expect([filesOf(a), await rowsOf(a)]).toEqual([[], []])
})

test('Without a file system it goes from memory to memory, ends with the tab, and a file that changed meanwhile is not sent', async () => {
  vi.unstubAllGlobals()
  const file = bytesOf(5 * chunkBytes + 3)
  const moving = await underWay(a, b, file)
  expect([await transferRows(a.live), await transferRows(b.live)]).toMatchObject([[{ isKept: false }], [{ isKept: false }]])
  await opens(moving, await seals(moving, 4, 2))
  await brings(moving)
  await finishTransfer(b.live, name(moving))
  expect(await isWhole(moving, file)).toBe(true)
  const disks = JSON.stringify([await readDisk(at.alice.computer), await readDisk(at.bob.computer)])
  expect(disks).not.toContain(moving.transferId)
  expect(await transferRows((await endOf(at.bob)).live)).toEqual([])

  let content = bytesOf(3 * chunkBytes)
  const source = new File([content], 'plan')
  let fails = false
  source.slice = (from, to) => {
    const slice = new Blob([content]).slice(from, to)
    return fails ? Object.assign(slice, { arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) }) : slice
  }
  const changing = await offersFile(a, b, source)
  await receives(changing)
  await connects(changing)
  await opens(changing, await seals(changing, 0, 1))
  content = Uint8Array.from(content, (byte, at) => (at === 2 * chunkBytes ? byte ^ 1 : byte))
  await opens(changing, await seals(changing, 1, 1))
  await expect(seals(changing, 1, 2)).rejects.toThrow(failure('file_changed'))
  fails = true
  await expect(seals(changing, 1, 1)).rejects.toThrow(failure('file_changed'))
})

test('A file that changes after it was offered goes over as it was offered, because it was kept', async () => {
  const file = bytesOf(3 * chunkBytes)
  const source = new File([file], 'plan')
  const moving = await offersFile(a, b, source)
  source.slice = () => new Blob([bytesOf(1)])
  await receives(moving)
  await connects(moving)
  await brings(moving)
  await finishTransfer(b.live, name(moving))
  expect(await isWhole(moving, file)).toBe(true)
})

const locks = ({ live }: End, isOn: boolean) => {
  const lock = { n: 1, publicKey: 'P', rowKeys: [], isSealed: true }
  return live.vault.write([{ store: 'sealed', key: LOCKS, value: { json: isOn ? { [at.roomId]: lock } : {} } }])
}

test('A chat that is locked lets the running attempt bring the file, shows nothing, and finishes once it is open', async () => {
  const file = bytesOf(300 * chunkBytes)
  const moving = await underWay(a, b, file)
  await opens(moving, await seals(moving, 0, 10))
  await locks(a, true)
  await locks(b, true)
  for (let from = 10; from < 300; from += 64) await opens(moving, await seals(moving, from, 64))
  expect([await transferRows(a.live), await transferRows(b.live)]).toEqual([[], []])
  await expect(finishTransfer(b.live, name(moving))).rejects.toThrow(failure('room_locked'))
  await expect(offersFile(a, b, new Blob(['later']))).rejects.toThrow(failure('room_locked'))
  await dropCall(a.live, moving.transferId, 'transfer')
  await dropCall(b.live, moving.transferId, 'transfer')
  await expect(missing(moving)).rejects.toThrow(failure('room_locked'))
  await locks(a, false)
  await locks(b, false)
  expect(await missing(moving)).toEqual([])
  await finishTransfer(b.live, name(moving))
  await locks(b, true)
  await expect(openTransfer(b.live, name(moving))).rejects.toThrow(failure('room_locked'))
  await dropTransfer(b.live, name(moving))
  await locks(b, false)
  expect(await isWhole(moving, file)).toBe(true)
})

test('What waits goes after a day, and what is older than that on the disk without a row; what was received stays', async () => {
  const whole = await underWay(a, b, bytesOf(10))
  await brings(whole)
  await finishTransfer(b.live, name(whole))
  const half = await underWay(a, b, bytesOf(2 * chunkBytes))
  const lost = await underWay(a, b, bytesOf(2 * chunkBytes))
  await b.live.vault.write([{ store: 'sealed', key: `transfer:${lost.chatRoomId}:${lost.transferId}`, value: null }])
  expect([filesOf(a).length, filesOf(b).length]).toEqual([3, 3])
  expect(await rowsOf(b)).toHaveLength(2)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 })
  expect([await rowsOf(a), await rowsOf(b)]).toEqual([[], [{ stage: 'done', have: 1, isMine: false }]])
  expect([filesOf(a).length, filesOf(b).length]).toEqual([0, 1])
  await expect(seals(half, 0, 1)).rejects.toThrow(failure('call_over'))
})

test('No more wait than the server takes, each way', async () => {
  const offered = await offersFile(a, b, new Blob(['one']))
  const row = await keptRow(a.live, name(offered))
  if (!row) throw new Error('Nothing was kept')
  const others = Array.from({ length: 50 }, () => ({ ...row, content: { ...row.content, transferId: crypto.randomUUID() } }))
  const [first, ...rest] = others
  await a.live.vault.write(rest.map((other) => rowWrite(other)))
  await expect(offersFile(a, b, new Blob(['more']))).rejects.toThrow(failure('quota'))
  await offersFile(b, a, new Blob(['the other way'])).then(async (other) => receives(other))
  await a.live.vault.write(rest.slice(0, 1).map((other) => ({ ...rowWrite(other), value: null })))
  await offersFile(a, b, new Blob(['more']))
  expect(first).toBeDefined()
})

test('Clearing takes what was offered up to there, received or not, and leaves a later file', async () => {
  const says = async (moving: Moving) => {
    const content = moving.content
    const line = {
      id: moving.transferId,
      chatRoomId: moving.chatRoomId,
      content,
      replyToId: null,
      sentAt: new Date().toISOString(),
    }
    await at.alice.core.keepInOutbox(line)
    await at.alice.sends(at.alice.room(at.bob))
    const messages = await at.bob.reads(at.alice)
    return messages.at(-1)?.seq ?? 0
  }
  const brought = async () => {
    const moving = await underWay(a, b, bytesOf(chunkBytes))
    const seq = await says(moving)
    await brings(moving)
    await finishTransfer(b.live, name(moving))
    return { moving, seq }
  }
  const gone = await brought()
  const half = await underWay(a, b, bytesOf(2 * chunkBytes))
  const upTo = await says(half)
  const later = await brought()
  expect(await rowsOf(b)).toHaveLength(3)
  await clearRoom(b.live, { chatRoomId: at.roomId, clearedSeq: upTo })
  expect((await transferRows(b.live)).map(({ content }) => content.transferId)).toEqual([later.moving.transferId])
  expect(filesOf(b)).toHaveLength(1)
  expect(await openTransfer(b.live, name(gone.moving))).toBeUndefined()
  expect(await isWhole(later.moving, bytesOf(chunkBytes))).toBe(true)
  await expect(opens(half, await seals(half, 0, 1))).rejects.toThrow(failure('call_over'))
})

test('Giving a chat up takes rows, pieces and keys of its transfers, also those that only this tab has', async () => {
  disk.hasWriting = false
  const unkept = await underWay(a, b, bytesOf(2 * chunkBytes))
  await opens(unkept, await seals(unkept, 0, 1))
  disk.hasWriting = true
  const moving = await underWay(a, b, bytesOf(2 * chunkBytes))
  const whole = await underWay(a, b, bytesOf(10))
  await brings(whole)
  await finishTransfer(b.live, name(whole))
  const { key = '' } = (await keptRow(b.live, name(moving))) ?? {}
  expect((await openedRows(at.bob)).join()).toContain(key)
  await wipeRoom(b.live, at.roomId)
  expect([filesOf(b), await rowsOf(b), (await keptFiles(b.live)).waitingBytes]).toEqual([[], [], 0])
  expect((await openedRows(at.bob)).join()).not.toContain(key)
  await expect(seals(moving, 0, 1).then((frames) => opens(moving, frames))).rejects.toThrow(failure('call_over'))
})
