import { mkdtemp, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../settings/config.ts'
import { startFakeS3 } from '../../testing/fakes3.ts'
import { openBucket } from './openBucket.ts'

const { settings, close } = await startFakeS3()
afterAll(close)

const folder = await mkdtemp(path.join(tmpdir(), 'conclave-bucket-'))
const inFolder = await openBucket(readConfig({ CONCLAVE_DATA: folder }), folder)
const inS3 = await openBucket(readConfig(settings), folder)
const both = [
  ['a folder', inFolder],
  ['S3', inS3],
] as const

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
const piecesOf = (whole: Buffer) => Readable.from([whole.subarray(0, 100_000), whole.subarray(100_000)], { objectMode: false })

test.each(both)(
  'what %s has stored comes back, is gone after its removal, and removing it twice does no harm',
  async (_, bucket) => {
    await bucket.put('one', piecesOf(bytes), bytes.length)
    const file = await bucket.get('one')
    expect(file && (await buffer(file)).equals(bytes)).toBe(true)
    await bucket.remove('one')
    expect(await bucket.get('one')).toBeUndefined()
    await bucket.remove('one')
  },
)

test.each(both)('%s gives a range of the bytes, and lists names by their beginning', async (_, bucket) => {
  const names = Array.from({ length: 5 }, (_each, at) => `ce-${at}`)
  for (const name of [...names, 'cd-0']) await bucket.put(name, piecesOf(bytes), bytes.length)
  const range = await bucket.get('ce-1', { first: 99_990, last: 100_009 })
  expect(range && (await buffer(range)).equals(bytes.subarray(99_990, 100_010))).toBe(true)
  expect((await bucket.list('ce')).sort()).toEqual(names)
  expect(await bucket.list('c0')).toEqual([])
  for (const name of [...names, 'cd-0']) await bucket.remove(name)
})

test.each(both)('where the bytes end early or fail, %s stores nothing, and says what went wrong with them', async (_, bucket) => {
  await expect(bucket.put('short', piecesOf(bytes), bytes.length + 1)).rejects.toThrow()
  async function* failing() {
    yield Buffer.from('begun')
    throw new Error('the sender hung up')
  }
  await expect(bucket.put('failed', Readable.from(failing(), { objectMode: false }), 10)).rejects.toThrow('the sender hung up')
  for (const name of ['short', 'failed']) expect(await bucket.get(name)).toBeUndefined()
})

test('nobody but the server’s account reads the folder, and a start removes what a crash has left half written', async () => {
  const objectsFolder = path.join(folder, 'objects')
  await inFolder.put('abc', piecesOf(bytes), bytes.length)
  expect((await stat(path.join(objectsFolder, 'ab', 'abc'))).mode & 0o077).toBe(0)
  expect((await stat(objectsFolder)).mode & 0o077).toBe(0)
  const unfinished = path.join(objectsFolder, 'unfinished')
  expect(await readdir(unfinished)).toEqual([])
  await writeFile(path.join(unfinished, 'old.part'), 'half')
  await writeFile(path.join(unfinished, 'new.part'), 'half')
  await utimes(path.join(unfinished, 'old.part'), 0, 0)
  await openBucket(readConfig({ CONCLAVE_DATA: folder }), folder)
  expect(await readdir(unfinished)).toEqual(['new.part'])
})

test('a bucket that is away is said to be busy, one that refuses is a mistake of the settings', async () => {
  const away = await openBucket(readConfig({ ...settings, S3_ENDPOINT: 'http://127.0.0.1:1' }), folder)
  await expect(away.get('one')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(away.put('one', piecesOf(bytes), bytes.length)).rejects.toMatchObject({ code: 'unavailable' })
  const wrong = { ...settings, S3_SECRET_ACCESS_KEY: 'another' }
  await expect((await openBucket(readConfig(wrong), folder)).get('one')).rejects.toThrow('The bucket answered 403')
})
