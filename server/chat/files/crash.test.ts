import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { readConfig } from '../../settings/config.ts'
import type { Browser } from '../../testing/browser.ts'
import { startFakeS3 } from '../../testing/fakes3.ts'
import { killableServer } from '../../testing/killed.ts'
import { fileOf, idOf, pathOf, puts, reads, sealedBytes, uploadsFile } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { openBucket } from './openBucket.ts'

const world = await startWorld()
const folder = await mkdtemp(path.join(tmpdir(), 'conclave-crash-'))
const variables = { CONCLAVE_DATA: folder }
const inFolder = await openBucket(readConfig(variables), '')
beforeEach(() => {
  world.env.bucket = inFolder
})

const stateOf = async (id: string) => (await world.sql('select state, size_bytes from objects where id = $1', [id]))[0]
const storedBytesOf = async ({ id }: { id: string }) =>
  (await world.sql('select stored_bytes from file_usage where user_id = $1', [id]))[0]?.stored_bytes
const namesOf = async () =>
  (await readdir(path.join(folder, 'objects'), { recursive: true }))
    .map((name) => path.basename(name))
    .filter((name) => name.length > 30)
const sweeps = async (seconds: number) => {
  world.passes(seconds)
  await world.jobs.runDue()
}

/** Fails in the middle, as a disk that is full does. */
function failing(bytes: Readable, error: Error): Readable {
  async function* some() {
    for await (const chunk of bytes) {
      yield chunk
      throw error
    }
  }
  return Readable.from(some(), { objectMode: false })
}

/** Sends the bytes to a server that dies over them. */
async function diesOver(who: Browser, address: string, body: Uint8Array, point: string): Promise<void> {
  const { at, process } = await killableServer(world, point, variables)
  const died = once(process, 'exit')
  await expect(puts(at(who), address, body)).rejects.toThrow('fetch failed')
  expect(await died).toEqual([null, 'SIGKILL'])
}

test('the server dies when the bytes are on its disk and no row says so: nothing is lost by a new address, and the rest is swept', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const body = sealedBytes()
  const { url, key } = await alice.does(uploaderApi.params, {})
  await diesOver(alice, url, body, 'file:kept')
  expect(await stateOf(key)).toEqual({ state: 'arriving', size_bytes: body.length })
  expect(await namesOf()).toEqual([key])
  // It is no file: no message takes it, nobody reads it, and the client asks for another address.
  expect(await alice.posts(room, 'x', fileOf(pathOf(url), body.length))).toBeRefused(400, 'file_not_found')
  expect((await reads(world.url, alice, pathOf(url))).status).toBe(404)
  expect(await puts(alice, url, body)).toBeRefused(409, 'already_uploaded')
  const again = await uploadsFile(alice, body)
  await alice.says(room, 'x', fileOf(again, body.length))
  await sweeps(LIMITS.uploadArrivesSeconds + 60)
  expect([await stateOf(key), await namesOf(), await storedBytesOf(alice)]).toEqual([undefined, [idOf(again)], body.length])
  expect((await reads(world.url, bob, again)).bytes.equals(body)).toBe(true)
}, 60_000)

test('the server dies between the row and its answer: the same bytes are answered as stored, and the message follows', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const body = sealedBytes()
  const { url } = await alice.does(uploaderApi.params, {})
  await diesOver(alice, url, body, 'file:stored')
  expect(await puts(alice, url, body)).toMatchObject({ status: 200 })
  await alice.says(room, 'x', fileOf(pathOf(url), body.length))
  expect((await reads(world.url, bob, pathOf(url))).bytes.equals(body)).toBe(true)
  expect(await storedBytesOf(alice)).toBe(body.length)
}, 60_000)

test('the server dies between the file and its message: the message is sent later, and without one the file goes after a day', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const body = sealedBytes()
  const [sent, forgotten] = [await uploadsFile(alice, body), await uploadsFile(alice, body)]
  const { at, process } = await killableServer(world, 'message:committed', variables)
  const draft = { id: crypto.randomUUID(), ...fileOf(sent, body.length) }
  const died = once(process, 'exit')
  await expect(
    at(alice).request('POST', '/api/messages', { body: { ...draft, chatRoomId: room, content: 'x' } }),
  ).rejects.toThrow()
  await died
  expect(await alice.says(room, 'x', draft)).toMatchObject({ id: draft.id, seq: 1 })
  await sweeps(LIMITS.uploadKeptSeconds + 60)
  expect([await stateOf(idOf(sent)), await stateOf(idOf(forgotten))]).toEqual([
    { state: 'used', size_bytes: body.length },
    undefined,
  ])
  await bob.proves(bob.deviceId)
  expect((await reads(world.url, bob, sent)).bytes.equals(body)).toBe(true)
}, 60_000)

test('the server dies while it looks at what the bucket has taken: another address does, and the half accepted one is swept', async () => {
  const s3 = await startFakeS3()
  afterAll(s3.close)
  const direct = { ...s3.settings, S3_PUBLIC_URL: `${s3.settings.S3_ENDPOINT}/conclave` }
  world.env.bucket = await openBucket(readConfig(direct), '')
  const alice = await world.person('alice')
  const body = sealedBytes()
  const { url, key } = await alice.does(uploaderApi.params, { size: body.length })
  expect((await fetch(url, { method: 'PUT', body: Uint8Array.from(body) })).status).toBe(200)
  const { at, process } = await killableServer(world, 'file:accepted', direct)
  const died = once(process, 'exit')
  await expect(at(alice).tries(filesApi.finish, { objectId: key })).rejects.toThrow('fetch failed')
  await died
  expect(await alice.tries(filesApi.finish, { objectId: key })).toBeRefused(409, 'already_uploaded')
  await uploadsFile(alice, body)
  await sweeps(LIMITS.uploadArrivesSeconds + 60)
  await sweeps(60)
  expect([await stateOf(key), (await world.env.bucket.get(key)) === undefined]).toEqual([undefined, true])
  expect(await world.env.bucket.direct?.waiting()).toEqual([])
  expect(await storedBytesOf(alice)).toBe(body.length)
}, 60_000)

test('a full disk is said by name, keeps nothing and counts nothing; when there is space again the same address takes the file', async () => {
  const alice = await world.person('alice')
  const { url, key } = await alice.does(uploaderApi.params, {})
  const before = await namesOf()
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const body = sealedBytes(300_000)
  world.env.bucket = { ...inFolder, put: (name, bytes, size) => inFolder.put(name, failing(bytes, full), size) }
  const refused = await puts(alice, url, body)
  expect(refused).toBeRefused(507, 'server_full')
  expect(refused.body).toMatchObject({ error: 'The server has no space for files now' })
  expect(refused.headers.get('retry-after')).toBe('60')
  expect([await stateOf(key), await namesOf()]).toEqual([{ state: 'awaited', size_bytes: null }, before])
  expect(await readdir(path.join(folder, 'objects/unfinished'))).toEqual([])
  world.env.bucket = inFolder
  expect(await puts(alice, url, body)).toMatchObject({ status: 200 })
})
