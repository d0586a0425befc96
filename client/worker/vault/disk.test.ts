import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import { type PrivateDisk, privateDisk } from '../../testing/privateDisk.ts'
import { dropFiles, moveFile, readFile, WAITING, writeFile, writesToDisk } from './disk.ts'
import { writeBehind } from './writeBehind.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Bytes, number> {
  for (const text of texts) yield new TextEncoder().encode(text)
  return texts.length
}
const textOf = async (...place: [string, string, string]) => (await readFile(...place))?.text()

let disk: PrivateDisk

beforeEach(() => {
  disk = privateDisk(1000)
})
afterEach(() => void vi.unstubAllGlobals())

test('A file is written chunk by chunk, is read again, and replaces what stood there', async () => {
  expect(await writeFile(['alice', WAITING, 'a'], chunks('a long ', 'first text'))).toEqual({ result: 2, isKept: true })
  expect(await textOf('alice', WAITING, 'a')).toBe('a long first text')
  await writeFile(['alice', WAITING, 'a'], chunks('short'))
  expect(await textOf('alice', WAITING, 'a')).toBe('short')
  expect(await textOf('bob', WAITING, 'a')).toBeUndefined()
})

test('A disk without space says so, and keeps no half of the file', async () => {
  disk.roomBytes = 8
  await expect(writeFile(['alice', WAITING, 'a'], chunks('12345678', '9'))).rejects.toMatchObject({ code: 'quota' })
  expect(await textOf('alice', WAITING, 'a')).toBeUndefined()
})

test('A disk without space is a disk: whoever comes to clear it is told so', async () => {
  disk.roomBytes = 0
  expect(await writesToDisk('alice')).toBe(true)
})

test('What was sent moves into the folder of its room and back, and goes with that', async () => {
  await writeFile(['alice', WAITING, 'a'], chunks('sealed'))
  expect(await moveFile('alice', [WAITING, 'a'], ['room', 'object'])).toBe(true)
  expect([await textOf('alice', WAITING, 'a'), await textOf('alice', 'room', 'object')]).toEqual([undefined, 'sealed'])
  await moveFile('alice', ['room', 'object'], [WAITING, 'b'])
  expect([await textOf('alice', WAITING, 'b'), await textOf('alice', 'room', 'object')]).toEqual(['sealed', undefined])
  expect(await moveFile('alice', ['room', 'object'], [WAITING, 'c'])).toBe(false)
  await writeFile(['alice', 'room', 'x'], chunks('x'))
  await dropFiles('alice', 'room')
  expect(await textOf('alice', 'room', 'x')).toBeUndefined()
  await dropFiles('alice', 'room')
})

test('Whoever reads, moves or deletes what is written behind waits for it; a disk without space keeps nothing and says nothing', async () => {
  const pieces = () => [new TextEncoder().encode('of two '), new TextEncoder().encode('pieces')]
  writeBehind(['alice', 'room', 'a'], pieces())
  expect(await textOf('alice', 'room', 'a')).toBe('of two pieces')
  writeBehind(['alice', 'room', 'c'], pieces())
  expect(await moveFile('alice', ['room', 'c'], [WAITING, 'c'])).toBe(true)
  expect(await textOf('alice', WAITING, 'c')).toBe('of two pieces')
  writeBehind(['alice', 'room', 'd'], pieces())
  await dropFiles('alice', 'room')
  expect(await textOf('alice', 'room', 'd')).toBeUndefined()
  disk.roomBytes = 8
  writeBehind(['alice', 'room', 'e'], pieces())
  expect(await textOf('alice', 'room', 'e')).toBeUndefined()
})

test('A browser without a private file system holds files in memory, and says so', async () => {
  vi.stubGlobal('navigator', {
    storage: { getDirectory: async () => Promise.reject(new DOMException('A private window', 'SecurityError')) },
  })
  expect(await writesToDisk('alice')).toBe(false)
  expect(await writeFile(['alice', WAITING, 'a'], chunks('held'))).toEqual({ result: 1, isKept: false })
  expect(await moveFile('alice', [WAITING, 'a'], ['room', 'object'])).toBe(false)
  expect([await textOf('alice', WAITING, 'a'), await textOf('alice', 'room', 'object')]).toEqual([undefined, 'held'])
  await dropFiles('alice', 'room', 'object')
  expect(await textOf('alice', 'room', 'object')).toBeUndefined()
})

test('A browser whose private file system opens no file for writing holds files in memory, and leaves no empty ones behind', async () => {
  expect(await writesToDisk('alice')).toBe(true)
  disk.hasWriting = false
  expect(await writesToDisk('alice')).toBe(false)
  expect(await writeFile(['alice', WAITING, 'a'], chunks('held'))).toEqual({ result: 1, isKept: false })
  expect(await textOf('alice', WAITING, 'a')).toBe('held')
  const alices = [...disk.root.values()].find((folder) => folder instanceof Map)
  expect([...(alices ?? [])]).toEqual([[WAITING, new Map()]])
})
