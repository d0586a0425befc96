import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { draftsStore, keepDraft, resetDrafts } from '../../rooms/list/drafts.ts'
import { putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { resetMessages, showRoom } from './messages.ts'
import { refreshRoom, refreshView, showCaughtUp } from './messageWindow.ts'
import { receiveMessage } from './receive.ts'
import { flushAll, sendText, setTyping } from './send.ts'
import { changeView, messagesStore } from './store.ts'
import { retryMessage, takeBack } from './unsentMessage.ts'

let alice: TestPerson
let bob: TestPerson
let room: RoomRow
let wire: Wire
let gate: EventEmitter
/** Alice's browser, whose vault takes a message only when the gate says `keep`. */
let slow: Env

beforeEach(async () => {
  connectionStore.setState({ phase: 'open' })
  ;({ alice, bob, wire } = await people())
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  resetRooms()
  room = alice.room(bob)
  putRooms([room])
  await showRoom(alice.env, room)
  gate = new EventEmitter()
  const keepAndSeal: typeof alice.core.keepAndSeal = async (row) => {
    await once(gate, 'keep')
    return alice.core.keepAndSeal(row)
  }
  slow = { ...alice.env, crypto: { ...alice.core, keepAndSeal } }
})

afterEach(() => {
  connectionStore.setState({ phase: 'connecting' })
  resetMessages()
  resetRooms()
  resetDrafts()
})

const lines = () =>
  messagesStore.getState().open?.messages.map(({ body, status }) => [('text' in body && body.text) || body.kind, status]) ?? []

test('A message stands on screen at once, before this browser has stored it, and stays through every refresh until it is sent', async () => {
  const kept: unknown[] = []
  const sending = sendText(slow, room, 'Are you there?', () => kept.push(lines().at(-1)))
  const bubble = ['Are you there?', 'sending']
  expect(lines()).toEqual([['hello', null], bubble])
  await refreshRoom(alice.env, room)
  expect(lines()).toEqual([['hello', null], bubble])
  expect(kept).toEqual([])
  gate.emit('keep')
  expect(await sending).toEqual({ outcome: 'kept' })
  expect(kept).toEqual([bubble])
  expect(lines()).toEqual([
    ['hello', null],
    ['Are you there?', 'sent'],
  ])
})

test('A message that is sent while the chat is still being opened, or read anew, stays on screen although the server does not answer', async () => {
  const silent: Api = (endpoint, input) =>
    (endpoint as Endpoint) === messagesApi.send ? new Promise(() => undefined) : alice.env.api(endpoint, input)
  for (const [at, isOpening] of [true, false].entries()) {
    if (isOpening) resetMessages()
    const held = new EventEmitter()
    let reads = 0
    const outbox: typeof alice.core.outbox = async (id) => {
      const rows = await alice.core.outbox(id)
      reads += 1
      // The first read is of before; its answer comes after everything else.
      if (reads === 1) await once(held, 'answer')
      return rows
    }
    const env = { ...alice.env, api: silent, crypto: { ...alice.core, outbox } }
    const reading = isOpening ? showRoom(env, room) : refreshView(env, room)
    await expect.poll(() => reads).toBe(1)
    const text = `sent meanwhile ${at}`
    void sendText(env, room, text)
    await expect.poll(() => alice.core.outbox(room.id).then((rows) => rows.length)).toBe(at + 1)
    held.emit('answer')
    await reading
    await expect.poll(() => lines().at(-1)).toEqual([text, 'sending'])
  }
})

test('The words of a sent message leave the row of the list with the draft, in the one call that keeps it', async () => {
  const words = { chatRoomId: room.id, text: 'Are you there?' }
  await keepDraft(alice.env, room.id, words.text)
  const keepDraftText = () => expect.unreachable()
  const sending = sendText({ ...slow, crypto: { ...slow.crypto, keepDraftText } }, room, words.text)
  expect(await alice.core.drafts()).toEqual([words])
  expect(draftsStore.getState().drafts.get(room.id)).toBe(words.text)
  gate.emit('keep')
  await sending
  expect(await alice.core.drafts()).toEqual([])
  expect(draftsStore.getState().drafts.size).toBe(0)
})

test('Two messages sent in a row stand in their order, once each, whatever is stored first', async () => {
  const sending = [sendText(slow, room, 'one'), sendText(slow, room, 'two')]
  expect(lines().map(([text]) => text)).toEqual(['hello', 'one', 'two'])
  gate.emit('keep')
  await refreshRoom(alice.env, room)
  expect(lines().map(([text]) => text)).toEqual(['hello', 'one', 'two'])
  await Promise.all(sending)
  expect(lines().map(([text]) => text)).toEqual(['hello', 'one', 'two'])
})

test('A message that cannot be stored is taken away again, and the caller has its words back', async () => {
  const full: Env = {
    ...alice.env,
    crypto: { ...alice.core, keepAndSeal: () => Promise.reject(new CryptoFailure('quota', 'This browser is full')) },
  }
  const onKept = () => expect.unreachable()
  await expect(sendText(full, room, 'too much', onKept)).rejects.toThrow('This browser is full')
  expect(lines()).toEqual([['hello', null]])
  await refreshRoom(alice.env, room)
  expect(lines()).toEqual([['hello', null]])
})

test('A refresh that began while a message was on its way does not bring it back after it failed', async () => {
  const keepAndSeal = async () => {
    await once(gate, 'keep')
    throw new CryptoFailure('quota', 'This browser is full')
  }
  const sending = expect(sendText({ ...slow, crypto: { ...alice.core, keepAndSeal } }, room, 'too much')).rejects.toThrow('full')
  const outbox: typeof alice.core.outbox = async (chatRoomId) => {
    const rows = await alice.core.outbox(chatRoomId)
    await once(gate, 'read')
    return rows
  }
  const refresh = refreshView({ ...alice.env, crypto: { ...alice.core, outbox } }, room)
  await expect.poll(() => gate.listenerCount('read')).toBe(1)
  gate.emit('keep')
  await sending
  gate.emit('read')
  await refresh
  expect(lines()).toEqual([['hello', null]])
})

test('A message that a plan refuses stays as a line that was not sent, until its words are taken back or the plan allows it', async () => {
  const api = (async (endpoint: Endpoint, input: never) => {
    if (endpoint.path === messagesApi.send.path) throw new ApiError(403, 'subscription_required', 'Subscription required')
    return await alice.env.api(endpoint as never, input)
  }) as Api
  const poor: Env = { ...alice.env, api }
  const ids: string[] = []
  const send = (text: string) => sendText(poor, room, text, (id) => ids.push(id))
  expect(await send('for money')).toMatchObject({ outcome: 'subscription_required' })
  expect(await send('and more')).toMatchObject({ outcome: 'subscription_required' })
  expect(lines().slice(1)).toEqual([
    ['for money', 'failed'],
    ['and more', 'failed'],
  ])
  // Whatever sends the outbox again loses no word either.
  const [first = '', second = ''] = ids
  expect(await retryMessage(poor, room, first)).toMatchObject({ outcome: 'subscription_required' })
  expect(await alice.core.readDraft(room.id)).toBe('')
  expect(await takeBack(poor, room, second)).toBe('and more')
  expect(await alice.core.readDraft(room.id)).toBe('and more')
  expect(lines().slice(1)).toEqual([['for money', 'failed']])
  await retryMessage(alice.env, room, first)
  expect(lines().slice(1)).toEqual([['for money', 'sent']])
  expect(await takeBack(alice.env, room, first)).toBeUndefined()
})

test('A message that another’s attempt takes along, and the plan refuses, is told to its writer alone', async () => {
  let posts = 0
  const api = (async (endpoint: Endpoint, input: never) => {
    if (endpoint.path === messagesApi.send.path) {
      posts += 1
      if (posts === 1) await once(gate, 'answer')
      else throw new ApiError(403, 'message_limit_reached', 'Message limit reached')
    }
    return await alice.env.api(endpoint as never, input)
  }) as Api
  const env: Env = { ...alice.env, api }
  const first = sendText(env, room, 'the last one')
  await vi.waitFor(() => expect(posts).toBe(1))
  // It begins once the first is through, and takes all that waits.
  const all = flushAll(env)
  const second = sendText(env, room, 'one too many')
  await vi.waitFor(async () => expect(await alice.core.outbox(room.id)).toHaveLength(2))
  gate.emit('answer')
  expect(await first).toEqual({ outcome: 'kept' })
  expect(await second).toMatchObject({ outcome: 'limit_reached' })
  await all
  expect(posts).toBe(2)
})

test('A message that came between two reads of the vault is shown once', async () => {
  const cursor = messagesStore.getState().open?.cursor ?? 0
  await bob.says(alice, 'news')
  const opened = (await alice.reads(bob)).slice(-1)
  // The page was read after the room's state, so it has the message and names the place before it.
  const page: typeof alice.core.page = async (where) => ({ ...(await alice.core.page(where)), cursor })
  await refreshView({ ...alice.env, crypto: { ...alice.core, page } }, room)
  await showCaughtUp(alice.env, room, { after: cursor, cursor: cursor + 1, opened, isJoined: true })
  expect(lines()).toEqual([
    ['hello', null],
    ['news', null],
  ])
  expect(messagesStore.getState().open?.cursor).toBe(cursor + 1)
})

test('What arrives is opened by the first call of the worker and shown from it: the page is not read again', async () => {
  const asked: string[] = []
  const crypto = new Proxy(alice.core, {
    get: (core, verb: string) => {
      asked.push(verb)
      return Reflect.get(core, verb)
    },
  })
  const message = await newsOfBob()
  await receiveMessage({ ...alice.env, crypto }, message)
  expect(lines().map(([text]) => text)).toEqual(['hello', 'news'])
  expect(roomById(room.id)).toMatchObject({ preview: { text: 'news' } })
  expect(asked[0]).toBe('receiveLog')
  expect(asked).not.toContain('page')
})

/** Bob writes, and Alice's page gets the frame of it later. */
async function newsOfBob() {
  await bob.says(alice, 'news')
  const message = wire.rooms.get(room.id)?.log.at(-1)
  if (message?.kind !== 'message') throw new Error('Bob wrote nothing')
  return message
}

test('What arrives stands on screen first, and then in its row of the list', async () => {
  const message = await newsOfBob()
  putRooms([room])
  changeView(room, { isAtEnd: true })
  const order: string[] = []
  const stop = [
    messagesStore.subscribe(() => lines().at(-1)?.[0] === 'news' && order.push('bubble')),
    roomsStore.subscribe(() => roomById(room.id)?.lastMessage?.id === message.id && order.push('row')),
  ]
  await receiveMessage(alice.env, message)
  for (const end of stop) end()
  expect(order.slice(0, 2)).toEqual(['bubble', 'row'])
  expect(roomById(room.id)).toMatchObject({ lastSeq: message.seq, preview: { text: 'news' }, unreadCount: room.unreadCount })
})

test('What arrives and cannot be opened stands in its row all the same', async () => {
  const message = await newsOfBob()
  putRooms([room])
  changeView(room, { isAtEnd: true })
  const receiveLog = () => Promise.reject(new CryptoFailure('log', 'planted'))
  const env = { ...alice.env, crypto: { ...alice.core, receiveLog } }
  await expect(receiveMessage(env, message)).rejects.toThrow('planted')
  expect(roomById(room.id)).toMatchObject({ lastSeq: message.seq })
})

test('A message ends typing without a frame of its own, and what is typed next is told at once', async () => {
  accountStore.setState({ user: { privacy: { presence: true, lastSeen: true, typing: true, receipts: true } } as User })
  const frames: unknown[] = []
  const env: Env = { ...alice.env, socket: { ...alice.env.socket, send: (frame) => frames.push(frame) > 0 } }
  const typing = { type: 'typing', data: { chatRoomId: room.id, isTyping: true } }
  setTyping(env, room, true)
  await sendText(env, room, 'done')
  setTyping(env, room, true)
  accountStore.setState({ user: null })
  expect(frames).toEqual([typing, typing])
})

test('Between the tap and the request stands one call of the worker', async () => {
  const asked: string[] = []
  const crypto = new Proxy(alice.core, {
    get: (core, verb: string) => {
      asked.push(verb)
      return Reflect.get(core, verb)
    },
  })
  const api = (async (endpoint: Endpoint, input: never) => {
    if (endpoint.path === messagesApi.send.path) asked.push('request')
    return await alice.env.api(endpoint as never, input)
  }) as Api
  await sendText({ ...alice.env, crypto, api }, room, 'quick')
  expect(asked.slice(0, asked.indexOf('request'))).toEqual(['keepAndSeal'])
  expect(await bob.hears(alice)).toEqual(['hello', 'quick'])
})
