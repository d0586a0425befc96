import { expect, test, vi } from 'vitest'
import { messagesApi, SIGN_IN_TO_SEND } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { wordsOf } from '../../testing/people.ts'
import { changesKeys, clone, counting, people } from '../../testing/room.ts'
import { toastStore } from '../../ui/toast.ts'
import { flushRoom, waitOf } from './outbox.ts'
import { flush, sendText } from './send.ts'
import { sendAndReport } from './sendOutcome.ts'

const nothing = async () => undefined

test('A message meets a room that waits for a commit: it goes out behind one, in the same go', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  await bob.reads(alice)
  const old = bob.room(alice)
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  await bob.keeps(alice, 'three')
  const calls = counting(bob)
  await flushRoom(bob.env, old, nothing)
  expect(waitOf(roomId)).toBeUndefined()
  expect(await bob.core.outbox(roomId)).toEqual([])
  expect(calls.get(roomsApi.commit.path)).toBe(1)
  expect(wire.rooms.get(roomId)?.needsCommit).toBe(false)
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})

test("Another browser takes this one's place in the room just before a message is sealed: it comes in again, and the message goes out", async () => {
  const { wire, alice, bob, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const copy = await clone(alice, wire)
  await alice.says(bob, 'three')
  await alice.keeps(bob, 'four')
  const { sealOutboxRow } = alice.core
  alice.core.sealOutboxRow = async (input) => {
    alice.core.sealOutboxRow = sealOutboxRow
    await copy.says(bob, 'from the copy')
    await catchUp(alice.env, alice.room(bob))
    expect((await alice.core.roomRecord(roomId))?.standing).toBe('outside')
    return sealOutboxRow(input)
  }
  await alice.sends(alice.room(bob))
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'three', 'from the copy', 'four'])
})

test.each([
  [
    'Message limit reached message: You’ve sent the 10 messages of this month’s plan',
    'You’ve sent the 10 messages of this month’s plan',
  ],
  ['Message limit reached message: Your plan says message: none', 'Your plan says message: none'],
  ...['Message limit reached', 'Message limit reached message: ', 'Message limit reached message:   '].map((message) => [
    message,
    "You've reached your monthly message limit. Upgrade your plan or wait until next month.",
  ]),
])('A message limit that the server tells as "%s" is never told in no words', async (message, text) => {
  const { alice, bob, wire } = await people()
  await alice.keeps(bob, 'the eleventh')
  wire.beforeEffect = (_caller, path, method) => {
    if (path === messagesApi.send.path && method === 'POST') throw new ApiError(403, 'message_limit_reached', message ?? '')
  }
  expect(await flushRoom(alice.env, alice.room(bob), nothing)).toEqual({ outcome: 'limit_reached', text })
})

test('Who is not signed in any more is told so, and what was typed stays typed', async () => {
  const { alice, bob } = await people()
  resetRooms()
  toastStore.setState({ queue: [] })
  expect(await sendAndReport(() => sendText(alice.env, alice.room(bob), 'half a thought'), nothing)).toBe('failed')
  expect(toastStore.getState().queue).toMatchObject([{ title: 'Error', text: 'You must be logged in to send messages' }])
})

test('A message that the server refuses for the plan opens the plans, and says why by a toast', async () => {
  toastStore.setState({ queue: [] })
  const onUpgrade = vi.fn()
  const refused = async () => ({ outcome: 'subscription_required' as const, text: 'Subscription required' })
  expect(await sendAndReport(refused, onUpgrade)).toBe('subscription_required')
  expect(onUpgrade).toHaveBeenCalledOnce()
  const text = 'You need a paid subscription to send messages. You can still receive and read messages from paid users.'
  expect(toastStore.getState().queue).toMatchObject([{ title: 'Subscription Required', text }])
})

test('While a server does not answer a message, the person writes on: the message is kept and shown at once', async () => {
  const { alice, bob, roomId } = await people()
  await keepRooms(alice.env, [alice.contact(bob)])
  let answers: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answers = resolve
  })
  const api = (async (endpoint: Endpoint, input: never) => {
    if (endpoint.path === messagesApi.send.path) await answered
    return await alice.env.api(endpoint as never, input)
  }) as Api
  const onKept = vi.fn()
  const sending = sendText({ ...alice.env, api }, alice.room(bob), 'to a slow server', onKept)
  await expect.poll(() => onKept.mock.calls.length).toBe(1)
  expect(await alice.core.outbox(roomId)).toMatchObject([{ content: { text: 'to a slow server' }, failure: null }])
  answers()
  expect(await sending).toEqual({ outcome: 'kept' })
  expect(await alice.core.outbox(roomId)).toEqual([])
})

test('A message whose first answer was lost is sealed anew and sent again: its sender keeps what the log has', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const from = wire.rooms.get(roomId)?.log.length
  const place = { chatRoomId: roomId, peerIds: [bob.userId] }
  const { id } = await alice.keeps(bob, 'four')
  const row = await alice.core.sealOutboxRow({ ...place, id })
  await alice.env.api(messagesApi.send, { id, chatRoomId: roomId, content: row?.envelope ?? '', messageType: 'text' })
  await alice.core.changeOutbox({ chatRoomId: roomId, id, failure: null, unseal: true })
  expect((await alice.core.sealOutboxRow({ ...place, id }))?.envelope).not.toBe(row?.envelope)
  await flushRoom(alice.env, alice.room(bob), nothing)
  await flushRoom(alice.env, alice.room(bob), nothing)
  await alice.says(bob, 'five')
  expect(wire.rooms.get(roomId)?.log.slice(from)).toMatchObject([{ id, content: row?.envelope }, { kind: 'message' }])
  const messages = await bob.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['one', 'two', 'four', 'five'])
  expect(messages.filter(({ isOutOfPlace }) => isOutOfPlace)).toEqual([])
})

const LISTENED = { type: 'listened' as const, target: { senderId: crypto.randomUUID(), id: crypto.randomUUID() } }
const RECEIPTS = { presence: true, lastSeen: true, typing: true, receipts: true }
const hidesReceipts = (isOff: boolean) => accountStore.setState({ user: { privacy: { ...RECEIPTS, receipts: !isOff } } } as never)

test.each([
  ['too_many_requests', 429],
  ['subscription_required', 403],
  ['unavailable', 503],
] as const)(
  'A mark of listening that the server refuses by "%s" is dropped, and the words behind it go out',
  async (code, status) => {
    const { alice, bob, wire, roomId } = await people()
    await alice.says(bob, 'one')
    const sentAt = new Date().toISOString()
    hidesReceipts(false)
    await alice.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId: roomId, content: LISTENED, replyToId: null, sentAt })
    await alice.keeps(bob, 'two')
    let refuses = 1
    wire.beforeEffect = (_caller, path, method) => {
      if (path === messagesApi.send.path && method === 'POST' && refuses-- > 0) throw new ApiError(status, code, 'Not now')
    }
    await flushRoom(alice.env, alice.room(bob), nothing)
    expect(await alice.core.outbox(roomId)).toEqual([])
    expect((await bob.hears(alice)).at(-1)).toBe('two')
  },
)

test('A mark of listening waits for the line, and is not told once read marks are hidden', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  const sentAt = new Date().toISOString()
  hidesReceipts(false)
  await alice.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId: roomId, content: LISTENED, replyToId: null, sentAt })
  wire.beforeEffect = () => {
    throw new ApiError(0, 'offline', 'No line')
  }
  await flushRoom(alice.env, alice.room(bob), nothing).catch(() => undefined)
  expect(await alice.core.outbox(roomId)).toHaveLength(1)
  wire.beforeEffect = () => undefined
  const before = wire.rooms.get(roomId)?.log.length
  const [row] = await alice.core.outbox(roomId)
  await alice.core.changeOutbox({ chatRoomId: roomId, id: row?.id ?? '', failure: null, unseal: true })
  hidesReceipts(true)
  await flushRoom(alice.env, alice.room(bob), nothing)
  hidesReceipts(false)
  expect([await alice.core.outbox(roomId), wire.rooms.get(roomId)?.log.length]).toEqual([[], before])
})

test('A message that meets an ended session stays on this device', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.keeps(bob, 'later')
  wire.beforeEffect = (_caller, path, method) => {
    if (path === messagesApi.send.path && method === 'POST') throw new ApiError(401, 'not_signed_in', SIGN_IN_TO_SEND)
  }
  expect(await flushRoom(alice.env, alice.room(bob), nothing)).toEqual({ outcome: 'kept' })
  expect(await alice.core.outbox(roomId)).toMatchObject([{ content: { text: 'later' }, failure: null }])
})

test('Signing out in the middle of sending is no failure: the message waits in the vault', async () => {
  const { alice, bob, roomId } = await people()
  await alice.keeps(bob, 'later')
  const tab = await alice.newTab()
  await alice.core.close()
  expect(await flush(alice.env, alice.room(bob))).toEqual({ outcome: 'kept' })
  expect(await tab.core.outbox(roomId)).toMatchObject([{ content: { text: 'later' }, failure: null }])
})
