import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OnceContent } from '../../../contract/chat/content.ts'
import { filesApi } from '../../../contract/chat/files.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, type RoomRow, resetRooms } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { openHeld } from '../files/openFile.ts'
import { canDecode } from '../once/canDecode.ts'
import { resetMessages, showRoom } from './messages.ts'
import { canOpen } from './onceAsked.ts'
import { openOnce } from './openOnce.ts'
import { messagesStore, type ShownMessage } from './store.ts'
import { deleteUnsent } from './unsentMessage.ts'

vi.mock('../files/openFile.ts', () => ({ openHeld: vi.fn() }))
vi.mock('../once/canDecode.ts', () => ({ canDecode: vi.fn() }))

let alice: TestPerson
let bob: TestPerson
let room: RoomRow

const BYTES = new Blob(['a voice'])
const none = toBase64(new Uint8Array(32))
const voice = (): OnceContent => ({
  ...{ type: 'once', as: 'audio', seconds: 3 },
  file: {
    ...{ object: randomUUID(), storedBytes: 20_480, key: none, hash: none, mediaType: 'audio/webm', sizeBytes: 7 },
    ...{ caption: '', peaks: '' },
  },
})

beforeEach(async () => {
  vi.mocked(openHeld).mockReset().mockResolvedValue(BYTES)
  vi.mocked(canDecode).mockReset().mockResolvedValue(true)
  ;({ alice, bob } = await people())
  connectionStore.setState({ phase: 'open' })
  await alice.says(bob, 'hi')
  const content = voice()
  const sentAt = new Date().toISOString()
  await alice.core.keepInOutbox({ id: randomUUID(), chatRoomId: alice.room(bob).id, content, replyToId: null, sentAt })
  await alice.sends(alice.room(bob))
  await bob.reads(alice)
  room = bob.room(alice)
  putRooms([room])
  await showRoom(bob.env, room)
})
afterEach(() => {
  connectionStore.setState({ phase: 'connecting' })
  resetMessages()
  resetRooms()
  vi.useRealTimers()
})

const shown = (): ShownMessage => messagesStore.getState().open?.messages.at(-1) ?? expect.fail('Nothing is shown')
const open = (signal = new AbortController().signal) => openOnce(bob.env, room, shown(), signal, () => undefined)

/** Answers a post in the server's place, once; undefined lets it through. */
function answering(answer: (post: () => Promise<unknown>) => Promise<unknown>): void {
  const { api } = bob.env
  bob.env.api = (async (endpoint, input) => {
    if (endpoint.path !== messagesApi.send.path || endpoint.method !== 'POST') return api(endpoint, input)
    bob.env.api = api
    return answer(() => api(endpoint, input))
  }) as Api
}
const lost = () => new ApiError(0, 'offline', 'You are offline')

test('Bob opens it once: what he sees is his, and the chat says when', async () => {
  expect(canOpen(shown())).toBe(true)
  expect(await open()).toMatchObject({ bytes: BYTES, file: { voice: { seconds: 3 } } })
  await expect.poll(shown).toMatchObject({ opened: expect.any(String), body: { once: { as: 'audio', seconds: 3 } } })
  expect(shown().body).not.toHaveProperty('once.file')
  expect(canOpen(shown())).toBe(false)
  await expect(open()).rejects.toMatchObject({ code: 'opened' })
})

test('A file that cannot be fetched, and a line that is lost before, leave it closed', async () => {
  vi.mocked(openHeld).mockRejectedValueOnce(new ApiError(404, 'not_found', 'Not found'))
  await expect(open()).rejects.toMatchObject({ code: 'not_found' })
  connectionStore.setState({ phase: 'connecting' })
  await expect(open()).rejects.toMatchObject({ code: 'offline' })
  connectionStore.setState({ phase: 'open' })
  expect(await bob.core.outbox(room.id)).toEqual([])
  expect(canOpen(shown())).toBe(true)
})

test('What this browser cannot show stays closed, as it does for whoever has blocked its author', async () => {
  vi.mocked(canDecode).mockResolvedValueOnce(false)
  await expect(open()).rejects.toMatchObject({ code: 'not_shown' })
  putRooms([{ ...room, direct: room.direct && { ...room.direct, isBlocked: true } }])
  await expect(open()).rejects.toThrow('You have blocked')
  expect(vi.mocked(openHeld)).toHaveBeenCalledTimes(1)
  putRooms([room])
  expect(await bob.core.outbox(room.id)).toEqual([])
  expect(canOpen(shown())).toBe(true)
})

test('Texts that wait here, and a draft, stay as they are: it passes them', async () => {
  const sentAt = new Date().toISOString()
  await bob.core.keepDraftText({ chatRoomId: room.id, text: 'half a sentence' })
  const content = { type: 'text' as const, text: 'waits' }
  await bob.core.keepInOutbox({ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
  await bob.core.keepDraftText({ chatRoomId: room.id, text: 'half a sentence' })
  expect(await open()).toMatchObject({ bytes: BYTES })
  expect(await bob.core.readDraft(room.id)).toBe('half a sentence')
  expect(await bob.core.outbox(room.id)).toMatchObject([{ content }])
})

test('What cannot be sealed now is not kept to be sent later', async () => {
  const message = { id: randomUUID(), chatRoomId: room.id, replyToId: null, sentAt: new Date().toISOString() }
  const { seq, senderId = '', id } = shown()
  const content = { type: 'opened' as const, target: { senderId, id }, place: seq ?? 0, as: 'audio' as const }
  await expect(bob.core.keepAndSeal({ message: { ...message, content }, room: null })).rejects.toMatchObject({
    code: 'not_ready',
  })
  expect(await bob.core.outbox(room.id)).toEqual([])
})

test('An opening that another tab has discarded shows nothing', async () => {
  const { outbox } = bob.env.crypto
  answering(() => Promise.reject(lost()))
  bob.env.crypto.outbox = async (chatRoomId) => {
    for (const { id, content } of await outbox(chatRoomId))
      if (content?.type === 'opened') await bob.core.dropFromOutbox({ chatRoomId, id })
    return outbox(chatRoomId)
  }
  await expect(open()).rejects.toMatchObject({ code: 'not_opened' })
  expect(canOpen(shown())).toBe(true)
})

test('One’s own that the server has refused is given up with its file', async () => {
  const content = voice()
  const id = randomUUID()
  await bob.core.keepInOutbox({ id, chatRoomId: room.id, content, replyToId: null, sentAt: new Date().toISOString() })
  await bob.core.changeOutbox({ chatRoomId: room.id, id, failure: 'File not found', unseal: false })
  const dropped: unknown[] = []
  const { api } = bob.env
  bob.env.api = ((endpoint, input) => {
    if (endpoint.path !== filesApi.remove.path) return api(endpoint, input)
    dropped.push(input)
    return Promise.resolve({})
  }) as Api
  await deleteUnsent(bob.env, room, id)
  expect(dropped).toMatchObject([{ objectId: content.file?.object }])
  expect([await bob.core.outbox(room.id), await bob.core.uploads()]).toEqual([[], []])
})

test('Whoever closes it while it is fetched has not opened it', async () => {
  const leaving = new AbortController()
  vi.mocked(openHeld).mockImplementationOnce(async () => {
    leaving.abort(new Error('closed'))
    return BYTES
  })
  await expect(open(leaving.signal)).rejects.toThrow('closed')
  expect(await bob.core.outbox(room.id)).toEqual([])
  expect(canOpen(shown())).toBe(true)
})

test('An answer that is lost after the server has stored it is waited for: nothing shows before', async () => {
  let isStored = false
  answering(async (post) => {
    await post()
    isStored = true
    throw lost()
  })
  const opening = open()
  await expect.poll(() => isStored).toBe(true)
  expect(await opening).toMatchObject({ bytes: BYTES })
  expect(await bob.core.outbox(room.id)).toEqual([])
})

test('A server that is surely busy has not stored it: it is not opened, and says why', async () => {
  answering(() => Promise.reject(new ApiError(429, 'too_many_requests', 'Too many requests')))
  await expect(open()).rejects.toThrow('Too many requests')
  expect(await bob.core.outbox(room.id)).toEqual([])
  expect(canOpen(shown())).toBe(true)
})

test('A second browser that opens it later is refused by name, and nothing waits there', async () => {
  answering(() => Promise.reject(new ApiError(409, 'already_opened', 'This was opened already, or is no longer there')))
  await expect(open()).rejects.toThrow('This was opened already')
  expect(await bob.core.outbox(room.id)).toEqual([])
  expect(canOpen(shown())).toBe(true)
})
