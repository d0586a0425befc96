import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { CHUNK_BYTES, paddedBytes, storedBytesOf } from '../../../contract/chat/objects.ts'
import { type Bytes, concat } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { randomBytes } from '../primitives/seal.ts'
import { openFile, sealFile } from './sealedfile.ts'

const KIB = 1024

/** Bytes that do not repeat within a file. */
const bytesOf = (length: number): Bytes => Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8) * 13 + (at >> 16)) & 255)

async function sealed(file: Bytes, key = randomBytes(32)) {
  const chunks: Bytes[] = []
  const sealing = sealFile(key, new Blob([file]))
  let next = await sealing.next()
  for (; !next.done; next = await sealing.next())
    for (let at = 0; at < next.value.length; at += CHUNK_BYTES) chunks.push(next.value.slice(at, at + CHUNK_BYTES))
  const stated = { key, hash: next.value, sizeBytes: file.length, storedBytes: storedBytesOf(file.length) }
  return { stated, chunks, open: (parts = chunks, as = stated) => openFile(as, new Blob(parts)) }
}

const read = async (opening: Promise<Blob>) => new Uint8Array(await (await opening).arrayBuffer())
const code = (opening: Promise<Blob>) =>
  opening.then(
    () => 'opened',
    (error: { code: string }) => error.code,
  )

test('A file opens as it was, whatever its size, and is stored with a padded size that the server takes', async () => {
  const open = CHUNK_BYTES - 16
  for (const size of [1, 4079, 4080, 4081, open - 1, open, open + 1, 2 * open, 300 * KIB, 1024 * KIB + 3]) {
    const file = bytesOf(size)
    const { stated, chunks, open } = await sealed(file)
    const stored = chunks.reduce((sum, { length }) => sum + length, 0)
    expect(stored).toBe(stated.storedBytes)
    expect(paddedBytes(stored)).toBe(stored)
    expect(Buffer.from(stated.hash).toString('hex')).toBe(createHash('sha256').update(file).digest('hex'))
    expect(Buffer.compare(await read(open()), file)).toBe(0)
  }
  expect(storedBytesOf(LIMITS.fileBytes)).toBeLessThanOrEqual(LIMITS.sealedFileBytes)
})

/** A stream of these pieces, and how many of them were read. */
function arriving(pieces: Bytes[]) {
  const left = [...pieces]
  let isGivenUp = false
  const stream = new ReadableStream<Bytes>(
    {
      pull(to) {
        const piece = left.shift()
        return piece ? to.enqueue(piece) : to.close()
      },
      cancel() {
        isGivenUp = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, left, isGivenUp: () => isGivenUp }
}

const cutInto = (bytes: Bytes, size: number): Bytes[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size))

test('A file opens while it comes, in whatever pieces, and another one after its bytes were read is refused as when it is whole', async () => {
  const file = bytesOf(300 * KIB)
  const { stated, chunks } = await sealed(file)
  const whole = concat(...chunks)
  for (const size of [997, 4096, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 200_000, whole.length]) {
    const { stream } = arriving(cutInto(whole, size))
    expect(Buffer.compare(await read(openFile(stated, stream)), file), `${size}`).toBe(0)
    const other = openFile({ ...stated, hash: randomBytes(32) }, arriving(cutInto(whole, size)).stream)
    expect(await code(other)).toBe('file_hash')
  }
})

test('Of a file that comes nothing more is read once a chunk is wrong or there is too much; what ends early is refused by its size', async () => {
  const { stated, chunks } = await sealed(bytesOf(300 * KIB))
  const [first, second, ...rest] = chunks as [Bytes, Bytes, ...Bytes[]]
  const flipped = Uint8Array.from(first, (byte, at) => (at === 40_000 ? byte ^ 1 : byte))
  const spoiled = arriving([flipped, second, ...rest])
  expect(await code(openFile(stated, spoiled.stream))).toBe('file_chunk')
  expect([spoiled.isGivenUp(), spoiled.left.length]).toEqual([true, rest.length])
  const long = arriving([...chunks, first, second])
  expect(await code(openFile(stated, long.stream))).toBe('file_size')
  expect([long.isGivenUp(), long.left.length]).toEqual([true, 1])
  expect(await code(openFile(stated, arriving(chunks.slice(0, -1)).stream))).toBe('file_size')
  expect(await code(openFile(stated, arriving([...chunks.slice(0, -1), (chunks.at(-1) ?? first).slice(0, -1)]).stream))).toBe(
    'file_size',
  )
  expect(await code(openFile(stated, arriving([]).stream))).toBe('file_size')
  expect(await code(openFile(stated, arriving([second, first, ...rest]).stream))).toBe('file_chunk')
})

test('Each size that may be sent is stored as chunks of which the last one is no mere seal', () => {
  for (let size = 1; size <= LIMITS.fileBytes; size += 9973) {
    const stored = storedBytesOf(size)
    const chunks = Math.ceil(stored / CHUNK_BYTES)
    expect(stored - 16 * chunks, `${size}`).toBeGreaterThanOrEqual(size)
    expect((stored % CHUNK_BYTES || CHUNK_BYTES) > 16, `${size}`).toBe(true)
  }
})

test('No sixteen bytes of a file are in what is stored, and two sealings have nothing in common', async () => {
  const file = bytesOf(200 * KIB)
  const one = Buffer.from(concat(...(await sealed(file)).chunks))
  const other = Buffer.from(concat(...(await sealed(file)).chunks))
  for (let at = 0; at + 16 <= file.length; at += 1009) expect(one.includes(Buffer.from(file.subarray(at, at + 16)))).toBe(false)
  for (let at = 0; at + 16 <= one.length; at += 1009) expect(other.includes(one.subarray(at, at + 16))).toBe(false)
})

test('Eve flips, moves, repeats, drops or swaps a chunk, and the file is refused by name', async () => {
  const { chunks, open } = await sealed(bytesOf(300 * KIB))
  const other = await sealed(bytesOf(300 * KIB))
  const [first, second, third, ...rest] = chunks as [Bytes, Bytes, Bytes, ...Bytes[]]
  const flipped = Uint8Array.from(second, (byte, at) => (at === 40_000 ? byte ^ 1 : byte))
  expect(await code(open([first, flipped, third, ...rest]))).toBe('file_chunk')
  expect(await code(open([second, first, third, ...rest]))).toBe('file_chunk')
  expect(await code(open([first, first, third, ...rest]))).toBe('file_chunk')
  expect(await code(open([first, other.chunks[1] ?? first, third, ...rest]))).toBe('file_chunk')
  expect(await code(open([first, second, ...rest]))).toBe('file_size')
  expect(await code(open(chunks.slice(0, -1)))).toBe('file_size')
  expect(await code(open([...chunks, first]))).toBe('file_size')
})

test('Eve cuts a file between two chunks and states the shorter size: the mark of the last chunk refuses it', async () => {
  const { chunks, stated, open } = await sealed(bytesOf(2 * (CHUNK_BYTES - 16) + 5))
  const sizeBytes = CHUNK_BYTES - 16
  expect(storedBytesOf(sizeBytes)).toBe(CHUNK_BYTES)
  expect(await code(open(chunks.slice(0, 1), { ...stated, sizeBytes, storedBytes: CHUNK_BYTES }))).toBe('file_chunk')
})

test('A key of another file, another hash and another size are refused by name', async () => {
  const { stated, chunks, open } = await sealed(bytesOf(100 * KIB))
  expect(await code(open(chunks, { ...stated, key: randomBytes(32) }))).toBe('file_chunk')
  expect(await code(open(chunks, { ...stated, hash: randomBytes(32) }))).toBe('file_hash')
  expect(await code(open(chunks, { ...stated, sizeBytes: stated.sizeBytes - 1 }))).toBe('file_padding')
  expect(await code(open(chunks, { ...stated, sizeBytes: stated.sizeBytes + 1 }))).toBe('file_hash')
  expect(await code(open(chunks, { ...stated, sizeBytes: 5 }))).toBe('file_size')
})
