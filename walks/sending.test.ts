import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { AT_ONCE_MS } from '../client/chat/files/putFile.ts'
import { sealAhead } from '../client/chat/files/sealAhead.ts'
import { sendFile, sendInPlace } from '../client/chat/files/sendFile.ts'
import { cancelUpload, pauseUpload, resumeUpload } from '../client/chat/files/uploadQueue.ts'
import { uploadsStore } from '../client/chat/files/uploadsState.ts'
import { followerOf } from '../client/chat/messages/chatFiles.ts'
import { deleteUnsent, retryMessage } from '../client/chat/messages/unsentMessage.ts'
import { sendWaitingFiles } from '../client/chat/messages/waitingFiles.ts'
import { proveAgain } from '../client/me/account/proveSession.ts'
import { type Api, ApiError } from '../client/net/api.ts'
import { connectionStore } from '../client/net/status.ts'
import type { RoomRow } from '../client/rooms/list/roomList.ts'
import { catchUp } from '../client/rooms/log/catchUp.ts'
import { openBrowser } from '../client/testing/browser.ts'
import { opensArriving } from '../client/testing/files.ts'
import { failureWords } from '../client/ui/failure.ts'
import { toastStore } from '../client/ui/toast.ts'
import { CryptoFailure } from '../client/worker/crypto.ts'
import { dropFiles } from '../client/worker/vault/disk.ts'
import type { FileContent } from '../contract/chat/content.ts'
import { filesApi, uploaderApi } from '../contract/chat/files.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { CHUNK_BYTES, objectPath, paddedBytes, storedBytesOf } from '../contract/chat/objects.ts'
import { concat } from '../contract/ground/bytes.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { startWorld } from '../server/testing/world.ts'
import { newLine } from './line.ts'
import { newSomeone, type Someone } from './someone.ts'

const server = await startWorld()
const [line, bobsLine] = [newLine(server.url), newLine(server.url)]
let alice: Someone
let bob: Someone
let room: RoomRow

vi.setConfig({ testTimeout: 60_000 })
// A machine that is slow is no slow line.
const later = globalThis.setTimeout
vi.stubGlobal('setTimeout', (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
  later(work, ms === AT_ONCE_MS ? 60_000 : ms, ...given),
)
beforeAll(async () => {
  openBrowser()
  connectionStore.setState({ phase: 'open' })
  vi.stubGlobal('location', { origin: server.url })
  vi.stubGlobal('XMLHttpRequest', line.XMLHttpRequest)
  alice = await newSomeone(line.open, 'alice')
  bob = await newSomeone(bobsLine.open, 'bob')
  await server.sql("update users set subscription_tier = 'premium'")
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.says(bob, 'hello')
})
afterAll(() => void vi.unstubAllGlobals())
beforeEach(async () => {
  room = await alice.opens(bob)
  line.uploads.length = 0
  toastStore.setState({ queue: [] })
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const MB = 1024 * 1024

/** A document of random bytes. */
const document = (name: string, sizeBytes: number): File => new File([randomBytes(sizeBytes)], name, { type: 'application/pdf' })

const sends = (file: File) => sendFile(alice.env, followerOf(alice.env), room.id, file)
const waiting = () => uploadsStore.getState().uploads
const shown = (name: string) => waiting().find(({ content }) => content.name === name)

/** Waits until the file is in this state. */
async function stands(
  name: string,
  state: Partial<NonNullable<ReturnType<typeof shown>>>,
): Promise<NonNullable<ReturnType<typeof shown>>> {
  await expect.poll(() => shown(name)).toMatchObject(state)
  return shown(name) as never
}

/** Does this to the file with this name once it is shown: its first bytes may go out before. */
const onceShown = (name: string, act: typeof pauseUpload) => () =>
  void vi.waitUntil(() => shown(name)).then((one) => act(alice.env, one))

/** What the messages say of files with these names that have come to Bob, in the order of the log, and their bytes as the server has them. */
async function sealedOf(...names: string[]): Promise<{ content: FileContent; sealed: Uint8Array<ArrayBuffer> }[]> {
  const { env } = bob
  const at = await bob.opens(alice)
  await catchUp(env, at)
  const { messages } = await env.crypto.page({ chatRoomId: at.id, limit: 500 })
  const came: { content: FileContent; sealed: Uint8Array<ArrayBuffer> }[] = []
  for (const { body } of messages) {
    if (body.kind !== 'content' || body.content.type !== 'file' || !names.includes(body.content.name)) continue
    const { content } = body
    const answer = await fetch(server.url + objectPath(content.object), { headers: { cookie: bobsLine.cookie() } })
    came.push({ content, sealed: new Uint8Array(await answer.arrayBuffer()) })
  }
  await alice.opens(bob)
  return came
}

/** Opens a file in Bob's browser. Answers the SHA-256 of its bytes. */
async function bobOpens(content: FileContent, sealed: Uint8Array<ArrayBuffer>): Promise<string> {
  const opened = await opensArriving(bob.env.crypto, { chatRoomId: room.id, content }, new Blob([sealed]))
  return await hashOf(opened ?? new Blob())
}

/** What has come of files with these names, in the order of the log: the name, and the SHA-256 of what Bob opens. */
async function cameOf(...names: string[]): Promise<[name: string, hash: string][]> {
  const came: [string, string][] = []
  for (const { content, sealed } of await sealedOf(...names)) came.push([content.name, await bobOpens(content, sealed)])
  return came
}

const hashOf = async (file: Blob): Promise<string> => sha256(new Uint8Array(await file.arrayBuffer()))

/** What the server holds for Alice that no message carries. */
async function unsent(): Promise<number> {
  const [row] = await server.sql(
    "select count(*)::int as count from objects where kind = 'file' and state in ('awaited', 'arriving', 'stored')",
  )
  return Number(row?.['count'])
}

/** Refuses to carry Alice's calls of one kind, until the answer is called. */
function withholds(path: string, error = new ApiError(0, 'offline', 'You are offline')): () => void {
  const { api } = alice.env
  alice.env.api = ((endpoint, input) => (endpoint.path === path ? Promise.reject(error) : api(endpoint, input))) as Api
  return () => {
    alice.env.api = api
  }
}

/** Waits until nothing waits any more: each file is in a message that the server has. */
async function allSent(): Promise<void> {
  await expect.poll(async () => [waiting().length, (await alice.env.crypto.outbox(room.id)).length]).toEqual([0, 0])
}

test('A connection breaks at 80 % of 10 MB: what the server has is not sent again, and Bob has the file, whole and once', async () => {
  const file = document('large.pdf', 10 * MB)
  line.stops(1, 3 * MB)
  await sends(file)
  await allSent()
  const whole = LIMITS.uploadPartMinBytes
  expect(line.uploads).toEqual([whole, 3 * MB, paddedBytes(10 * MB + 3000) - whole])
  expect(await cameOf('large.pdf')).toEqual([['large.pdf', await hashOf(file)]])
  expect(await unsent()).toBe(0)
})

test('Alice pauses a large file, loads the page anew and lets it go on: only the rest is sent', async () => {
  const file = document('paused.pdf', 5.5 * MB)
  /** Pauses it once the server has its first part. */
  const pauses = async () => {
    const { id, chatRoomId, begun } = await vi.waitUntil(() => [shown('paused.pdf')].find((one) => one?.begun))
    const upload = { key: begun?.object ?? '', uploadId: begun?.uploadId ?? '' }
    await vi.waitUntil(async () => (await alice.env.api(uploaderApi.parts, upload)).length === 1)
    await pauseUpload(alice.env, { id, chatRoomId })
  }
  line.stops(1, 100_000, () => void pauses())
  await sends(file)
  await stands('paused.pdf', { isPaused: true, state: 'queued' })
  await bob.opens(alice)
  expect(waiting()).toEqual([])
  await alice.opens(bob)
  await sendWaitingFiles(alice.env)
  await resumeUpload(alice.env, await stands('paused.pdf', { isPaused: true }))
  await allSent()
  const whole = LIMITS.uploadPartMinBytes
  expect(line.uploads).toEqual([whole, 100_000, paddedBytes(5.5 * MB + 3000) - whole])
  expect(await cameOf('paused.pdf')).toEqual([['paused.pdf', await hashOf(file)]])
})

test('The server drops a large file of which it has a part: it is sent anew from its beginning', async () => {
  const file = document('dropped.pdf', 5.5 * MB)
  line.stops(1, 100_000, onceShown('dropped.pdf', pauseUpload))
  await sends(file)
  const { begun } = await stands('dropped.pdf', { isPaused: true, state: 'queued' })
  await alice.env.api(filesApi.remove, { objectId: begun?.object ?? '' })
  await resumeUpload(alice.env, await stands('dropped.pdf', { isPaused: true }))
  await allSent()
  expect(line.uploads.length).toBe(4)
  expect(await cameOf('dropped.pdf')).toEqual([['dropped.pdf', await hashOf(file)]])
})

test('A proxy takes the ETags off the answers: the list names the parts', async () => {
  const file = document('no-etags.pdf', 5.5 * MB)
  const taken = vi.spyOn(line.XMLHttpRequest.prototype, 'getResponseHeader').mockReturnValue(null)
  await sends(file)
  await allSent()
  taken.mockRestore()
  expect(line.uploads.length).toBe(2)
  expect(await cameOf('no-etags.pdf')).toEqual([['no-etags.pdf', await hashOf(file)]])
})

test('A large file goes out before it is kept, each byte once; where it cannot be kept, the server keeps nothing of it', async () => {
  const { crypto } = alice.env
  const { keepUpload } = crypto
  /** Answers once bytes of the file have gone out. */
  const late = vi.spyOn(crypto, 'keepUpload').mockImplementation(async (file) => {
    const row = await keepUpload(file)
    await vi.waitUntil(() => (line.uploads[0] ?? 0) > 0)
    return row
  })
  const file = document('early.pdf', 9 * MB)
  await sends(file)
  await allSent()
  expect(await cameOf('early.pdf')).toEqual([['early.pdf', await hashOf(file)]])
  expect(line.uploads).toHaveLength(2)

  line.uploads.length = 0
  late.mockImplementation(async (file) => {
    await keepUpload(file)
    await vi.waitUntil(() => (line.uploads[0] ?? 0) > 0)
    await crypto.changeUpload({ chatRoomId: file.chatRoomId, id: file.id, change: null })
    throw new CryptoFailure('quota', 'This browser has no room left for this file')
  })
  expect(await sends(document('full.pdf', 9 * MB))).toBe(false)
  late.mockRestore()
  await expect.poll(unsent).toBe(0)
  expect(await cameOf('full.pdf')).toEqual([])
})

test('A file is sealed while Alice looks at it, once, and the server is asked for nothing before she sends it; given up, nothing of it is left', async () => {
  const { api, crypto } = alice.env
  const asked: string[] = []
  alice.env.api = ((endpoint, input) => {
    asked.push(endpoint.path)
    return api(endpoint, input)
  }) as Api
  const kept = vi.spyOn(crypto, 'keepUpload')
  const sealedBytes = async () => (await crypto.keptFiles()).waitingBytes
  for (const sizeBytes of [9 * MB, 1 * MB]) {
    const file = document(`ahead-${sizeBytes}.pdf`, sizeBytes)
    const ahead = sealAhead(alice.env, file)
    await expect.poll(sealedBytes).toBe(storedBytesOf(sizeBytes))
    expect([asked, line.uploads]).toEqual([[], []])
    await sendFile(alice.env, followerOf(alice.env), room.id, file, { caption: '', isSmaller: false, ahead })
    await allSent()
    expect(kept.mock.lastCall?.[0].file).toBeUndefined()
    expect(await cameOf(file.name)).toEqual([[file.name, await hashOf(file)]])
    expect([await unsent(), await sealedBytes()]).toEqual([0, 0])
    line.uploads.length = 0
    asked.length = 0
  }
  const given = sealAhead(alice.env, document('given-up.pdf', 9 * MB))
  await expect.poll(sealedBytes).toBe(storedBytesOf(9 * MB))
  await given.drop()
  expect([await sealedBytes(), asked, line.uploads]).toEqual([0, [], []])
  alice.env.api = api
  kept.mockRestore()
})

test('A file that could not be sealed while Alice looked at it, or goes out otherwise, is sealed anew when she sends it', async () => {
  const { crypto } = alice.env
  const full = () => Promise.reject(new CryptoFailure('quota', 'This browser has no room left for this file'))
  const sealing = vi.spyOn(crypto, 'sealAhead').mockImplementationOnce(full)
  const file = document('anew.pdf', 9 * MB)
  const options = { caption: '', isSmaller: false }
  const failed = sealAhead(alice.env, file)
  await expect.poll(() => failed.hasFailed).toBe(true)
  await sendFile(alice.env, followerOf(alice.env), room.id, file, { ...options, ahead: failed })
  const another = document('another.pdf', 9 * MB)
  const ahead = sealAhead(alice.env, file)
  await sendFile(alice.env, followerOf(alice.env), room.id, another, { ...options, ahead })
  await allSent()
  sealing.mockRestore()
  expect(await cameOf('anew.pdf', 'another.pdf')).toEqual([
    ['anew.pdf', await hashOf(file)],
    ['another.pdf', await hashOf(another)],
  ])
  await expect.poll(unsent).toBe(0)
  await expect.poll(async () => (await crypto.keptFiles()).waitingBytes).toBe(0)
})

test('Another build has cut a file that waits in other parts: it is sent anew, and nothing of them stays', async () => {
  const file = document('other-parts.pdf', 5.5 * MB)
  line.stops(0, 100_000, onceShown('other-parts.pdf', pauseUpload))
  await sends(file)
  const { begun } = await stands('other-parts.pdf', { isPaused: true, state: 'queued' })
  const { object: key = '', uploadId } = begun ?? {}
  const { url } = await alice.env.api(uploaderApi.sign, { key, uploadId: uploadId ?? '', partNumber: 1 })
  const headers = { cookie: line.cookie(), origin: server.url, 'content-type': 'application/octet-stream' }
  await fetch(server.url + url, { method: 'PUT', headers, body: randomBytes(1000) })
  await resumeUpload(alice.env, await stands('other-parts.pdf', { isPaused: true }))
  await allSent()
  expect(await cameOf('other-parts.pdf')).toEqual([['other-parts.pdf', await hashOf(file)]])
  expect(await unsent()).toBe(0)
})

test.each([
  ['small.pdf', 300_000, 0],
  ['in-parts.pdf', 5.5 * MB, 1],
])('Alice gives up %s on its way: the server has nothing of it', async (name, sizeBytes, upload) => {
  line.stops(upload, 100_000, onceShown(name, cancelUpload))
  await sends(document(name, sizeBytes))
  await expect.poll(async () => (await alice.env.crypto.uploads()).length).toBe(0)
  expect(waiting()).toEqual([])
  expect(await unsent()).toBe(0)
  expect(await cameOf(name)).toEqual([])
})

test('Alice gives a file up without a connection: the server drops what it has as soon as there is one', async () => {
  line.stops(1, 100_000, onceShown('offline.pdf', pauseUpload))
  await sends(document('offline.pdf', 5.5 * MB))
  const paused = await stands('offline.pdf', { isPaused: true, state: 'queued' })
  alice.goesOffline()
  await cancelUpload(alice.env, paused)
  expect(waiting()).toEqual([])
  expect(await unsent()).toBe(1)
  alice.comesBack()
  await sendWaitingFiles(alice.env)
  expect(await unsent()).toBe(0)
  expect(await alice.env.crypto.uploads()).toEqual([])
})

/** Sends a file whose message does not come to the server, and lets the server drop it after a day. */
async function isSweptAway(file: File): Promise<string> {
  const carry = withholds(messagesApi.send.path)
  await sends(file)
  await expect.poll(async () => (await alice.env.crypto.outbox(room.id)).length).toBe(1)
  server.passes(LIMITS.uploadKeptSeconds + 1)
  for (const { env } of [alice, bob]) await proveAgain(env)
  await server.jobs.runDue()
  await server.jobs.runDue()
  expect(await unsent()).toBe(0)
  carry()
  const [{ id = '' } = {}] = await alice.env.crypto.outbox(room.id)
  await retryMessage(alice.env, room, id)
  expect(await alice.env.crypto.outbox(room.id)).toMatchObject([{ failure: 'File not found' }])
  return id
}

test('A message waits longer than the server keeps its file: tried again, the kept bytes are sent anew, and Bob has it once', async () => {
  const file = document('late.pdf', 50_000)
  await retryMessage(alice.env, room, await isSweptAway(file))
  await allSent()
  expect(await cameOf('late.pdf')).toEqual([['late.pdf', await hashOf(file)]])
})

test('Neither the server nor the browser has the bytes any more: the file is named, and can be chosen again', async () => {
  const id = await isSweptAway(document('gone.pdf', 50_000))
  await dropFiles(room.ownId, room.id)
  await retryMessage(alice.env, room, id)
  const failure = '“gone.pdf” is not kept in this browser any more. Choose it again'
  const lost = await stands('gone.pdf', { isLost: true, failure })
  expect(toastStore.getState().queue.map(({ text }) => text)).toContain(failure)
  const chosen = document('found.pdf', 60_000)
  await sendInPlace(alice.env, lost, { files: [chosen], value: 'found.pdf' })
  await allSent()
  expect(await cameOf('gone.pdf')).toEqual([])
  expect(await cameOf('found.pdf')).toEqual([['found.pdf', await hashOf(chosen)]])
})

test('Alice deletes a message that was not sent: the server drops its file at once', async () => {
  const carry = withholds(messagesApi.send.path)
  await sends(document('unwanted.pdf', 50_000))
  await expect.poll(async () => (await alice.env.crypto.outbox(room.id)).length).toBe(1)
  expect(await unsent()).toBe(1)
  carry()
  const [{ id = '' } = {}] = await alice.env.crypto.outbox(room.id)
  await deleteUnsent(alice.env, room, id)
  expect(await unsent()).toBe(0)
  expect(await alice.env.crypto.outbox(room.id)).toEqual([])
  expect(await alice.env.crypto.uploads()).toEqual([])
})

test('The space of the plan is full: the file waits with the reason, and is sent once there is space', async () => {
  const file = document('full.pdf', 50_000)
  await server.sql("update plan_rights set storage_bytes = 4096 where plan = 'premium'")
  await sends(file)
  await stands('full.pdf', { failure: 'Storage limit reached' })
  expect(toastStore.getState().queue.map(({ title, text }) => [title, text])).toContainEqual([
    'Upload Failed',
    'Storage limit reached',
  ])
  await server.sql("update plan_rights set storage_bytes = -1 where plan = 'premium'")
  await resumeUpload(alice.env, await stands('full.pdf', {}))
  await allSent()
  expect(await cameOf('full.pdf')).toEqual([['full.pdf', await hashOf(file)]])
})

test('The plan ends on the way: the server refuses, the person is told, and the file waits', async () => {
  await server.sql("update users set subscription_tier = 'free' where username = 'alice'")
  await sends(document('unpaid.pdf', 50_000))
  await stands('unpaid.pdf', { failure: 'Subscription required' })
  expect(toastStore.getState().queue.map(({ title }) => title)).toContain('Subscription Required')
  expect(await unsent()).toBe(0)
  await server.sql("update users set subscription_tier = 'premium' where username = 'alice'")
  await cancelUpload(alice.env, await stands('unpaid.pdf', {}))
})

test('A small upload is cut off: it begins anew, and the first one takes no space', async () => {
  const file = document('cut.pdf', 50_000)
  line.stops(0, 30_000)
  await sends(file)
  await allSent()
  expect(line.uploads.length).toBe(2)
  expect(await unsent()).toBe(0)
  expect(await cameOf('cut.pdf')).toEqual([['cut.pdf', await hashOf(file)]])
})

test('The answer to a whole upload is lost: the server is asked, and nothing is sent again', async () => {
  const file = document('unanswered.pdf', 50_000)
  line.losesAnswer(0)
  await sends(file)
  await allSent()
  expect(line.uploads.length).toBe(1)
  expect(await unsent()).toBe(0)
  expect(await cameOf('unanswered.pdf')).toEqual([['unanswered.pdf', await hashOf(file)]])
})

test('The answer to the end of a large upload is lost: no part is sent again, and Bob has it once', async () => {
  const file = document('ended.pdf', 5.5 * MB)
  const { api } = alice.env
  alice.env.api = (async (endpoint, input) => {
    const answer = await api(endpoint, input)
    if (endpoint.path !== uploaderApi.complete.path) return answer
    alice.env.api = api
    throw new ApiError(0, 'offline', 'You are offline')
  }) as Api
  await sends(file)
  await allSent()
  expect(line.uploads.length).toBe(2)
  expect(await unsent()).toBe(0)
  expect(await cameOf('ended.pdf')).toEqual([['ended.pdf', await hashOf(file)]])
})

test('Eve flips, cuts, moves, repeats and swaps chunks of what the server has, and a message states a foreign key: each is refused by name', async () => {
  const [file, foreign] = [document('true.pdf', 300_000), document('foreign.pdf', 300_000)]
  await sends(file)
  await sends(foreign)
  await allSent()
  const [one, two] = await sealedOf('true.pdf', 'foreign.pdf')
  if (!one || !two) throw new Error('A file is missing')
  const { content, sealed } = one
  const chunk = (at: number, of = sealed) => of.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)
  const rest = (from: number) => sealed.slice(from * CHUNK_BYTES)
  // Chunks are opened side by side: of several that are wrong one is named.
  const changed = (parts: string) => new RegExp(`^Part ${parts} of this file was changed, moved, or sealed with another key$`)
  const cut = /^This file is cut short, or longer than its message says$/
  const lies: [Uint8Array<ArrayBuffer>, RegExp][] = [
    [sealed.map((byte, at) => (at === CHUNK_BYTES + 7 ? byte ^ 1 : byte)), changed('2')],
    [sealed.slice(0, -1), cut],
    [sealed.slice(0, 2 * CHUNK_BYTES), cut],
    [concat(chunk(1), chunk(0), rest(2)), changed('[12]')],
    [concat(chunk(0), chunk(0), rest(2)), changed('2')],
    [concat(chunk(0), chunk(1), chunk(2, two.sealed), rest(3)), changed('3')],
    [two.sealed, changed('\\d')],
  ]
  const wordsOf = async (stated: FileContent, bytes: Uint8Array<ArrayBuffer>) => bobOpens(stated, bytes).catch(failureWords)
  for (const [bytes, words] of lies) expect(await wordsOf(content, bytes)).toMatch(words)
  expect(await wordsOf({ ...content, key: two.content.key }, sealed)).toMatch(changed('\\d'))
  expect(await wordsOf({ ...content, hash: two.content.hash }, sealed)).toBe('This is another file than its sender has sealed')
  expect(await bobOpens(content, sealed)).toBe(await hashOf(file))
})

test('The first of three files fails when the others are there: these go on, and one toast tells of them', async () => {
  const { api } = alice.env
  let refuse: (error: ApiError) => void = () => undefined
  const refused = new Promise<never>((_, reject) => {
    refuse = reject
  })
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path !== uploaderApi.params.path) return api(endpoint, input)
    alice.env.api = api
    return refused
  }) as Api
  for (const at of [0, 1, 2]) await sends(document(`three-${at}.pdf`, 20_000))
  await expect.poll(() => waiting().map(({ state }) => state)).toEqual(['uploading', 'stored', 'stored'])
  refuse(new ApiError(403, 'storage_limit_reached', 'Storage limit reached'))
  await stands('three-0.pdf', { failure: 'Storage limit reached' })
  await expect.poll(() => waiting().length).toBe(1)
  await expect
    .poll(() => toastStore.getState().queue.map(({ title, text }) => [title, text]))
    .toEqual([
      ['Upload Failed', 'Storage limit reached'],
      ['File Uploaded', '2 files have been sent'],
    ])
  expect((await cameOf('three-0.pdf', 'three-1.pdf', 'three-2.pdf')).map(([name]) => name)).toEqual([
    'three-1.pdf',
    'three-2.pdf',
  ])
  await cancelUpload(alice.env, await stands('three-0.pdf', {}))
})

test('A picture is deleted from the disk after it was chosen: it is named, and those behind it go', async () => {
  const gone = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
  class Deleted extends File {
    override slice = (): Blob => Object.assign(new Blob(), { arrayBuffer: gone })
    override arrayBuffer = gone
  }
  await sends(new Deleted(['bytes'], 'deleted.png', { type: 'image/png' }))
  expect(toastStore.getState().queue.map(({ text }) => text)).toEqual(['“deleted.png” cannot be read any more'])
  expect(waiting()).toEqual([])
})

test('Twenty files at once come in the order in which they were chosen, each whole and once', async () => {
  const files = Array.from({ length: 20 }, (_, at) => document(`${at}.pdf`, 5000 + 400 * ((at * 7) % 20)))
  for (const file of files) await sends(file)
  await allSent()
  const sent = await Promise.all(files.map(async (file) => [file.name, await hashOf(file)]))
  expect(await cameOf(...files.map(({ name }) => name))).toEqual(sent)
})
