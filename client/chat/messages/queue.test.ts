import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { uploaderApi } from '../../../contract/chat/files.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { draftsStore, resetDrafts } from '../../rooms/list/drafts.ts'
import { putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { callLine } from '../../testing/callline.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { toastStore } from '../../ui/toast.ts'
import { cancelUpload, pauseUpload } from '../files/uploadQueue.ts'
import { refreshFiles } from './chatFiles.ts'
import { composer } from './composer.ts'
import { flushLeft } from './flushLeft.ts'
import { resetMessages, showRoom } from './messages.ts'
import { flush, flushAll, sendText } from './send.ts'
import { lastSays } from './shown.ts'
import { messagesStore, type ShownMessage } from './store.ts'
import { cancelUnsent, deleteUnsent, retryMessage } from './unsentMessage.ts'

let alice: TestPerson
let bob: TestPerson
let room: RoomRow
let wire: Wire
let isOnline: boolean

beforeEach(async () => {
  ;({ alice, bob, wire } = await people())
  await alice.says(bob, 'hi')
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  comesBack()
  const { api } = alice.env
  alice.env.api = (async (endpoint: never, input: never) => {
    if (!isOnline) throw new ApiError(0, 'offline', 'You are offline')
    return await api(endpoint, input)
  }) as Api
  resetRooms()
  room = alice.room(bob)
  putRooms([room])
  await showRoom(alice.env, room)
  toastStore.setState({ queue: [] })
})

afterEach(() => {
  connectionStore.setState({ phase: 'connecting' })
  resetMessages()
  resetRooms()
  resetDrafts()
})

function goes() {
  isOnline = false
  connectionStore.setState({ phase: 'connecting' })
}
function comesBack() {
  isOnline = true
  connectionStore.setState({ phase: 'open' })
}

const LINE = 'Goes by itself when the line is back'
const lines = () =>
  messagesStore
    .getState()
    .open?.messages.slice(2)
    .map(({ body, status, reason }) => ['text' in body && body.text, status, reason])
const unsent = async () =>
  (await alice.core.outbox(room.id)).map(({ content, envelope, failure }) => [
    content?.type === 'text' && content.text,
    envelope,
    failure,
  ])
const says = (text: string) => sendText(alice.env, room, text)
const heard = async () => (await bob.hears(alice)).slice(2)
const idOf = async (text: string): Promise<string> =>
  (await alice.core.outbox(room.id)).find(({ content }) => content?.type === 'text' && content.text === text)?.id ?? expect.fail()

test('Without a line what Alice says is kept unsealed, the last one says that it goes by itself, and it goes in order, once each', async () => {
  goes()
  for (const text of ['one', 'two', 'three']) expect(await says(text)).toEqual({ outcome: 'kept' })
  expect(lines()).toEqual([
    ['one', 'sending', null],
    ['two', 'sending', null],
    ['three', 'sending', LINE],
  ])
  expect(await unsent()).toEqual(['one', 'two', 'three'].map((text) => [text, null, null]))
  expect(roomById(room.id)?.preview).toMatchObject({ text: 'three', status: 'sending' })

  // The page is loaded anew, still without a line.
  resetMessages()
  await showRoom(alice.env, room)
  expect(lines()?.at(-1)).toEqual(['three', 'sending', LINE])
  await flushAll(alice.env)
  expect(await unsent()).toEqual(['one', 'two', 'three'].map((text) => [text, null, null]))

  comesBack()
  await Promise.all([flushAll(alice.env), says('four')])
  expect(await heard()).toEqual(['one', 'two', 'three', 'four'])
  expect(lines()?.map(([, status]) => status)).toEqual(['sent', 'sent', 'sent', 'sent'])
})

test('A line that seems to be there is asked before anything is sealed', async () => {
  goes()
  await says('one')
  // The socket is on its way, and the server does not answer yet.
  expect(await flush(alice.env, room)).toEqual({ outcome: 'kept' })
  expect(await unsent()).toEqual([['one', null, null]])
})

test('Two tabs hand in what waits at the same time, and Bob reads each once, in order', async () => {
  goes()
  for (const text of ['one', 'two', 'three']) await says(text)
  comesBack()
  const tab = await alice.newTab()
  await Promise.all([flush(alice.env, room), tab.sends(tab.room(bob))])
  expect(await heard()).toEqual(['one', 'two', 'three'])
})

test('What is cancelled is never sent: its words come back before what is typed, and are the draft of this browser', async () => {
  goes()
  await says('one')
  await says('two')
  await alice.core.keepDraftText({ chatRoomId: room.id, text: 'typed since' })
  const given: string[] = []
  composer.open = { chatRoomId: room.id, field: { current: null }, giveBack: async (text) => void given.push(text) }
  await cancelUnsent(alice.env, room, await idOf('two'))
  expect(given).toEqual(['two\ntyped since'])
  expect(await alice.core.readDraft(room.id)).toBe('two\ntyped since')
  expect(lines()).toEqual([['one', 'sending', LINE]])
  // The field of another chat gets no words of this one.
  composer.open = { ...composer.open, chatRoomId: 'that of Carol' }
  await says('three')
  await cancelUnsent(alice.env, room, await idOf('three'))
  expect(given).toHaveLength(1)
  expect(draftsStore.getState().drafts.get(room.id)).toBe('three')
  await alice.core.keepDraftText({ chatRoomId: room.id, text: 'three\ntwo\ntyped since' })
  delete composer.open
  // Where the field is not shown the list has them.
  await cancelUnsent(alice.env, room, await idOf('one'))
  expect(draftsStore.getState().drafts.get(room.id)).toBe('one\nthree\ntwo\ntyped since')
  comesBack()
  await flushAll(alice.env)
  expect(await heard()).toEqual([])
})

test('Cancelled words come back also where what was typed since begins alike', async () => {
  goes()
  await says('Ok')
  await says('Ok')
  const [first, second] = (await alice.core.outbox(room.id)).map(({ id }) => id)
  // The field stores what was typed as it closes, before the worker has answered.
  const { takeBack } = alice.core
  alice.env.crypto = {
    ...alice.core,
    async takeBack(name) {
      const text = await takeBack(name)
      await alice.core.keepDraftText({ chatRoomId: room.id, text: 'Ok then' })
      return text
    },
  }
  await cancelUnsent(alice.env, room, first ?? expect.fail())
  expect(await alice.core.readDraft(room.id)).toBe('Ok\nOk then')

  const given: string[] = []
  const leaves = { chatRoomId: room.id, field: { current: null }, giveBack: async () => undefined }
  composer.open = leaves
  alice.env.crypto = {
    ...alice.core,
    async takeBack(name) {
      const text = await takeBack(name)
      const field = { current: { value: 'Ok then' } as HTMLTextAreaElement }
      composer.open = { ...leaves, field, giveBack: async (words) => void given.push(words) }
      return text
    },
  }
  await cancelUnsent(alice.env, room, second ?? expect.fail())
  delete composer.open
  expect(given).toEqual(['Ok'])
})

test('A message whose answer was lost may be sent already: it is not taken back, and its words stay where they are', async () => {
  wire.afterEffect = (_caller, path, method) => {
    if (path === messagesApi.send.path && method === 'POST') throw new ApiError(0, 'offline', 'You are offline')
  }
  connectionStore.setState({ phase: 'open' })
  await says('lost answer')
  expect(lines()).toEqual([['lost answer', 'sending', LINE]])
  await cancelUnsent(alice.env, room, await idOf('lost answer'))
  expect(toastStore.getState().queue).toMatchObject([{ title: 'Not cancelled', text: 'It may have been sent already.' }])
  expect(await alice.core.readDraft(room.id)).toBe('')
  wire.afterEffect = undefined
  await flushAll(alice.env)
  expect(await heard()).toEqual(['lost answer'])
})

test('A message that was sealed for an epoch that has passed, and then met a lost line, can be deleted: Cancel would never work', async () => {
  goes()
  await says('twice sealed')
  const id = await idOf('twice sealed')
  const canBeTakenBack = () => messagesStore.getState().open?.messages.at(-1)?.canBeTakenBack
  expect(canBeTakenBack()).toBe(true)
  comesBack()
  wire.beforeEffect = (_caller, path, method) => {
    if (path !== messagesApi.send.path || method !== 'POST') return
    isOnline = false
    throw new ApiError(409, 'stale_epoch', 'The chat has moved on')
  }
  await flushAll(alice.env)
  expect(lines()).toEqual([['twice sealed', 'sending', LINE]])
  expect(await unsent()).toEqual([['twice sealed', null, null]])
  expect(await alice.core.takeBack({ chatRoomId: room.id, id })).toBeUndefined()
  expect(canBeTakenBack()).toBe(false)
  await deleteUnsent(alice.env, room, id)
  expect(lines()).toEqual([])

  // The same where a failure of the keys stops it.
  await says('stopped')
  const name = { chatRoomId: room.id, id: await idOf('stopped') }
  await alice.core.sealOutboxRow({ ...name, peerIds: [bob.userId] })
  await alice.core.changeOutbox({ ...name, failure: 'The keys do not fit', unseal: true })
  await flush(alice.env, room)
  await showRoom(alice.env, room)
  expect(lines()).toEqual([['stopped', 'failed', 'The keys do not fit']])
  expect(canBeTakenBack()).toBe(false)
})

test('A plan that ended meanwhile, and a block, stop what waits by name; nothing is lost, and Retry or Cancel go on', async () => {
  goes()
  await says('for money')
  comesBack()
  wire.beforeEffect = (_caller, path, method) => {
    if (path === messagesApi.send.path && method === 'POST')
      throw new ApiError(403, 'subscription_required', 'Subscription required')
  }
  await flushAll(alice.env)
  expect(lines()).toEqual([['for money', 'failed', 'Subscription required']])
  wire.beforeEffect = undefined
  await retryMessage(alice.env, room, await idOf('for money'))
  expect(await heard()).toEqual(['for money'])

  goes()
  await says('to a friend')
  comesBack()
  putRooms([{ ...(roomById(room.id) ?? room), direct: { ...room.direct, isBlocked: true } as RoomRow['direct'] }])
  await flushAll(alice.env)
  expect(lines()?.at(-1)).toEqual(['to a friend', 'failed', 'You have blocked This person'])
  expect(await unsent()).toEqual([['to a friend', null, 'You have blocked This person']])
  await cancelUnsent(alice.env, room, await idOf('to a friend'))
  expect(await alice.core.readDraft(room.id)).toBe('to a friend')
  expect(await heard()).toEqual(['for money'])
})

test('A contact who was removed meanwhile gets nothing, also when they are added again: it is told, and the words stay in the chat', async () => {
  goes()
  await says('to a friend')
  comesBack()
  lists('declined')
  resetRooms()
  roomsStore.setState({ counter: '1' })
  await flushAll(alice.env)
  expect(toastStore.getState().queue).toMatchObject([
    { title: 'Not sent', text: expect.stringMatching(/^A message waits for a contact/) },
  ])
  lists('accepted')
  putRooms([room])
  await flushAll(alice.env)
  expect(await unsent()).toEqual([['to a friend', null, 'You have removed this contact']])
  expect(await heard()).toEqual([])
})

test('Where words wait for somebody who was removed is not told to the server: it is asked once what has changed, after the other chats', async () => {
  const unlisted = ['0', '1'].map((end) => `00000000-0000-4000-8000-00000000000${end}`)
  goes()
  await says('to a friend')
  const sentAt = new Date().toISOString()
  for (const chatRoomId of unlisted)
    await alice.core.keepInOutbox({
      ...{ id: crypto.randomUUID(), chatRoomId, replyToId: null, sentAt },
      content: { type: 'text', text: 'to somebody' },
    })
  comesBack()
  roomsStore.setState({ counter: '1' })
  const asked: object[] = []
  const { api } = alice.env
  let isWhole = false
  alice.env.api = (async (endpoint: never, input: object) => {
    if (endpoint === roomsApi.list) asked.push(input)
    if (endpoint === roomsApi.list && !isWhole) throw new Error('Not what the contract says')
    return await api(endpoint, input as never)
  }) as Api
  await expect(flushAll(alice.env)).rejects.toThrow('Not what the contract says')
  expect(await heard()).toEqual(['to a friend'])
  isWhole = true
  await flushAll(alice.env)
  expect(asked.slice(0, 2)).toMatchObject([{ since: '1' }, { since: '1' }])
  expect(asked.filter((input) => 'ids' in input)).toEqual([])
  const waiting = (await Promise.all(unlisted.map((id) => alice.core.outbox(id)))).flat()
  expect(waiting.map(({ failure }) => failure)).toEqual(['You have removed this contact', 'You have removed this contact'])
  const count = asked.length
  await flushAll(alice.env)
  expect(asked).toHaveLength(count)
})

test('What may have reached a contact who was removed meanwhile is not given back, and a Retry sends it once', async () => {
  wire.afterEffect = (_caller, path, method) => {
    if (path === messagesApi.send.path && method === 'POST') throw new ApiError(0, 'offline', 'You are offline')
  }
  await says('lost answer')
  wire.afterEffect = undefined
  const id = await idOf('lost answer')
  lists('declined')
  resetRooms()
  roomsStore.setState({ counter: '1' })
  await flushAll(alice.env)
  expect(await unsent()).toEqual([['lost answer', null, 'You have removed this contact']])
  lists('accepted')
  putRooms([room])
  await cancelUnsent(alice.env, room, id)
  expect(await alice.core.readDraft(room.id)).toBe('')
  expect(toastStore.getState().queue.at(-1)).toMatchObject({ title: 'Not cancelled' })
  await retryMessage(alice.env, room, id)
  expect(await unsent()).toEqual([])
  expect(await heard()).toEqual(['lost answer'])
})

/** Alice removes Bob, or adds him again, in another browser. */
function lists(state: 'accepted' | 'declined') {
  const entry = `${alice.userId} ${bob.userId}`
  wire.contacts.set(entry, { ...(wire.contacts.get(entry) ?? expect.fail()), state })
}

test('A tab whose list lacks a chat asks the server before it says that the contact was removed: another tab may have added them', async () => {
  goes()
  await says('to a friend')
  resetRooms()
  roomsStore.setState({ counter: '1' })
  await flushAll(alice.env)
  expect(await unsent()).toEqual([['to a friend', null, null]])
  comesBack()
  await flushAll(alice.env)
  expect(await heard()).toEqual(['to a friend'])
  expect(toastStore.getState().queue).toEqual([])
})

test('The line of a call with somebody who was blocked waits without a failure, and goes once they are not blocked any more', async () => {
  const content = callLine()
  const sentAt = new Date().toISOString()
  await alice.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
  const isBlocked = (is: boolean) =>
    putRooms([{ ...(roomById(room.id) ?? room), direct: { ...room.direct, isBlocked: is } as RoomRow['direct'] }])
  isBlocked(true)
  await flushAll(alice.env)
  expect(await unsent()).toEqual([[false, null, null]])
  isBlocked(false)
  await flushAll(alice.env)
  expect(await heard()).toEqual(['Voice call'])
})

async function keepsFile(more: { isQueued?: true } = { isQueued: true }) {
  const name = { chatRoomId: room.id, id: crypto.randomUUID() }
  const about = { as: 'file' as const, name: 'notes.txt', mediaType: 'text/plain', caption: '' }
  await alice.core.keepUpload({ ...name, ...more, sentAt: new Date().toISOString(), file: new Blob(['notes']), about })
  return name
}

test('A text behind a file that was chosen without a line goes after it, unless the file is paused', async () => {
  goes()
  await says('before it')
  const name = await keepsFile()
  await says('behind it')
  comesBack()
  await flushAll(alice.env)
  expect(await heard()).toEqual(['before it'])
  await says('behind it too')
  expect(await heard()).toEqual(['before it'])
  await alice.core.changeUpload({ ...name, change: { isPaused: true } })
  await flushAll(alice.env)
  expect(await heard()).toEqual(['before it', 'behind it', 'behind it too'])

  goes()
  await alice.core.changeUpload({ ...name, change: { isPaused: false } })
  await says('behind it again')
  await alice.core.uploadDone({ ...name, object: crypto.randomUUID() })
  expect((await alice.core.outbox(room.id)).map(({ content }) => content?.type)).toEqual(['file', 'text'])
})

test.each([
  ['paused', pauseUpload],
  ['cancelled', cancelUpload],
])('A text behind a file that is %s goes at once, although another file behind it still waits', async (_, act) => {
  goes()
  const first = await keepsFile()
  await says('between them')
  await keepsFile()
  comesBack()
  wire.beforeEffect = (_caller, path) => {
    if (path === uploaderApi.params.path) throw new ApiError(401, 'not_signed_in', 'Sign in')
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await refreshFiles(alice.env)
  await flushAll(alice.env)
  expect(await heard()).toEqual([])
  await act(alice.env, first)
  expect(await heard()).toEqual(['between them'])
})

test.each([{ isPaused: true }, { isCancelled: true }])(
  'A file whose bytes are at the server is not handed to the outbox where another tab has set %j',
  async (change) => {
    const name = await keepsFile()
    const object = crypto.randomUUID()
    await alice.core.changeUpload({ ...name, change: { object, ...change } })
    await alice.core.uploadDone({ ...name, object })
    expect(await unsent()).toEqual([])
    expect(await alice.core.uploads()).toMatchObject([{ id: name.id, ...change }])
  },
)

test('The first text after the line is back goes after a file that still waits, also where no other text does', async () => {
  goes()
  const name = await keepsFile()
  comesBack()
  await says('behind it')
  expect(await unsent()).toEqual([['behind it', null, null]])
  expect(await heard()).toEqual([])
  await alice.core.changeUpload({ ...name, change: { isPaused: true } })
  await flushAll(alice.env)
  expect(await heard()).toEqual(['behind it'])
  // What is chosen with a line is overtaken, as before.
  await keepsFile({})
  await says('before it')
  expect(await heard()).toEqual(['behind it', 'before it'])
})

test('With the line back a text behind a file says that it goes after it, can be cancelled, and is not tried every few seconds', async () => {
  goes()
  await says('before it')
  await flushAll(alice.env)
  const name = await keepsFile()
  await says('behind it')
  await says('behind it too')
  expect(lines()).toEqual([
    ['before it', 'sending', null],
    ['behind it', 'sending', null],
    ['behind it too', 'sending', LINE],
  ])
  comesBack()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await flushAll(alice.env)
  const HELD = 'Goes after the file before it'
  expect(lines()).toEqual([
    ['before it', 'sent', null],
    ['behind it', 'sending', null],
    ['behind it too', 'sending', HELD],
  ])
  expect(vi.getTimerCount()).toBe(0)
  await cancelUnsent(alice.env, room, await idOf('behind it too'))
  expect(lines()?.at(-1)).toEqual(['behind it', 'sending', HELD])
  await alice.core.changeUpload({ ...name, change: { isCancelled: true } })
  await flushAll(alice.env)
  expect(lines()?.map(([, status]) => status)).toEqual(['sent', 'sent'])
})

test('The last text that waits says so, also where another line stands below it, or the one that said it could not be kept', async () => {
  goes()
  await says('one')
  const { messages } = messagesStore.getState().open ?? expect.fail()
  const upload = { ...messages.at(-1), id: 'upload', isQueued: false, reason: null } as ShownMessage
  expect(lastSays([...messages, upload]).map(({ reason }) => reason)).toEqual([null, null, LINE, null])
  alice.env.crypto = { ...alice.core, keepAndSeal: () => Promise.reject(new Error('No room left')) }
  await expect(says('two')).rejects.toThrow('No room left')
  expect(lines()).toEqual([['one', 'sending', LINE]])
})

test('The queue of a chat has an end, and what goes beyond it stays in the field', async () => {
  goes()
  for (let count = 0; count < 200; count++) await alice.keeps(bob, `number ${count}`)
  await expect(says('one more')).rejects.toThrow('200 messages wait in this chat already')
  expect(await unsent()).toHaveLength(200)
  expect(await alice.core.unsentCount()).toBe(200)
})

test('What a tab has left behind that has ended is sent by another one, and not what it may be sending now', async () => {
  await alice.keeps(bob, 'left behind')
  const waits = async () => (await alice.core.outbox(room.id)).length
  await flushLeft(alice.env)
  expect(await waits()).toBe(1)
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + PERIODS.leftBehindMs + 1)
  goes()
  await flushLeft(alice.env)
  expect(await waits()).toBe(1)
  comesBack()
  await flushLeft(alice.env)
  vi.restoreAllMocks()
  expect(await waits()).toBe(0)
  expect((await bob.hears(alice)).at(-1)).toBe('left behind')
})
