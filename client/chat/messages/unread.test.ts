import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import type { Room } from '../../rooms/list/room.ts'
import { putRooms, resetRooms, roomById, setAnswered, setUnanswered } from '../../rooms/list/roomList.ts'
import { people } from '../../testing/room.ts'
import { markSeen } from './markSeen.ts'
import { jumpToNewest, resetMessages, showRoom } from './messages.ts'
import { receiveMessage } from './receive.ts'
import { sendText } from './send.ts'
import { changeView, messagesStore } from './store.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
})

/** Alice has read `hello` and not the plain texts that Bob has sent since. */
async function unreadRoom(count: number) {
  const { alice, bob, wire, roomId } = await people()
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  const read = alice.contact(bob).lastSeq
  const posts = async (content: string) => {
    await bob.env.api(messagesApi.send, { id: randomUUID(), chatRoomId: roomId, content, messageType: 'text' })
    const entry = wire.rooms.get(roomId)?.log.at(-1)
    if (entry?.kind !== 'message') throw new Error('Nothing was posted')
    return entry
  }
  await alice.env.api(messagesApi.markRead, { chatRoomId: roomId, seq: read })
  for (let at = 1; at <= count; at++) await posts(`line ${at}`)
  resetRooms()
  const [room] = await keepRooms(alice.env, [alice.contact(bob)])
  if (!room) throw new Error('Alice has no room')
  const readSeq = () => alice.contact(bob).readSeq
  return { alice, bob, room, read, posts, readSeq }
}

const view = () => {
  const { open } = messagesStore.getState()
  if (!open) throw new Error('No room is on screen')
  return open
}
const textAt = (id: string | undefined) => {
  const body = view().messages.find((message) => message.id === id)?.body
  return body && 'text' in body ? body.text : undefined
}
const seqOf = (text: string) => view().messages.find(({ body }) => 'text' in body && body.text === text)?.seq ?? 0

const unread = (room: { id: string }) => roomById(room.id)?.unreadCount

test('A room with sixty unread messages opens at the first of them, says how many, and marks none of them as read', async () => {
  const { alice, room, read, readSeq } = await unreadRoom(60)
  await showRoom(alice.env, room)
  expect(view()).toMatchObject({ fresh: { after: read, count: 60 }, anchor: { place: 'unread' }, isOpening: false })
  expect(textAt(view().anchor?.id)).toBe('line 1')
  expect([unread(room), readSeq()]).toEqual([60, read])
})

test('A kept row does not say what is unread: the room waits for the answer, marks nothing before it, and then opens at the first unread one', async () => {
  const { alice, bob, room, read, readSeq } = await unreadRoom(60)
  putRooms([{ ...room, unreadCount: 0, lastSeq: read }])
  setUnanswered([room.id])
  const opened = showRoom(alice.env, room)
  await expect.poll(() => view().messages.length).toBe(1)
  await markSeen(alice.env, room)
  setAnswered([room.id])
  await keepRooms(alice.env, [alice.contact(bob)])
  await opened
  expect(view()).toMatchObject({ fresh: { after: read, count: 60 }, anchor: { place: 'unread' }, isOpening: false })
  expect(textAt(view().anchor?.id)).toBe('line 1')
  expect([unread(room), readSeq()]).toEqual([60, read])
})

test('What a kept row calls unread and was read since is no reason to open there', async () => {
  const { alice, bob, room, read } = await unreadRoom(60)
  await alice.reads(bob)
  await alice.env.api(messagesApi.markRead, { chatRoomId: room.id, seq: read + 60 })
  setUnanswered([room.id])
  const opened = showRoom(alice.env, room)
  const atItsEnd = { status: 'ready', anchor: null, fresh: null, isAtEnd: true, hasNewer: false }
  await expect.poll(view).toMatchObject(atItsEnd)
  setAnswered([room.id])
  await keepRooms(alice.env, [alice.contact(bob)])
  await opened
  expect(view()).toMatchObject(atItsEnd)
  expect(textAt(view().messages.at(-1)?.id)).toBe('line 60')
})

test.each([
  ['jumps to its end', (env: Env, room: Room) => jumpToNewest(env, room), { isAtEnd: true }],
  ['reads further up', async (_: Env, room: Room) => changeView(room, { isAtEnd: false }), { isAtEnd: false }],
])('Whoever %s in a kept room before it is answered stays there', async (_, moves, stays) => {
  const { alice, bob, room } = await unreadRoom(60)
  await alice.reads(bob)
  setUnanswered([room.id])
  const opened = showRoom(alice.env, room)
  await expect.poll(() => view().status).toBe('ready')
  await moves(alice.env, room)
  setAnswered([room.id])
  await keepRooms(alice.env, [alice.contact(bob)])
  await opened
  expect(view()).toMatchObject({ ...stays, hasNewer: false, anchor: null, isOpening: false })
})

test('What Alice scrolls past is read, and the rest stays unread, here and on the server', async () => {
  const { alice, room, readSeq } = await unreadRoom(60)
  await showRoom(alice.env, room)
  await markSeen(alice.env, roomById(room.id) ?? room, seqOf('line 12'))
  expect([unread(room), readSeq()]).toEqual([48, seqOf('line 12')])
  expect(view().fresh?.count).toBe(60)
  await markSeen(alice.env, roomById(room.id) ?? room, seqOf('line 5'))
  expect(unread(room)).toBe(48)
  await markSeen(alice.env, roomById(room.id) ?? room, seqOf('line 40'))
  expect([unread(room), readSeq()]).toEqual([20, seqOf('line 40')])
})

test('While a room catches up nothing in it counts as read', async () => {
  const { alice, bob, room, read, readSeq } = await unreadRoom(3)
  await alice.reads(bob)
  const looks: Promise<void>[] = []
  const off = messagesStore.subscribe(({ open }) => open?.isOpening && looks.push(markSeen(alice.env, room)))
  await showRoom(alice.env, room)
  off()
  await Promise.all(looks)
  expect([view().messages.length, looks.length > 1]).toEqual([4, true])
  expect([unread(room), readSeq()]).toEqual([3, read])
})

test('Nothing of a request is marked as read, however long Alice looks at it: whoever asked would learn that she was there', async () => {
  const { alice, room, read, readSeq } = await unreadRoom(3)
  await showRoom(alice.env, room)
  const request: typeof room = { ...room, direct: room.direct && { ...room.direct, state: 'pending' } }
  await markSeen(alice.env, request)
  expect([unread(room), readSeq()]).toEqual([3, read])
  await markSeen(alice.env, room)
  expect([unread(room), readSeq()]).toEqual([0, view().messages.at(-1)?.seq])
})

test.each([
  ['has the unread ones', true],
  ['has none of them yet', false],
])('Whoever jumps to the newest message while a room catches up stays there, if this browser %s', async (_, hasUnread) => {
  const { alice, bob, room, posts } = await unreadRoom(120)
  if (hasUnread) await alice.reads(bob)
  await posts('the newest')
  const api: Env['api'] = async (...call) => {
    if (call[0].path === roomsApi.log.path) await jumpToNewest(alice.env, room)
    return alice.env.api(...call)
  }
  await showRoom({ ...alice.env, api }, room)
  expect(textAt(view().messages.at(-1)?.id)).toBe('the newest')
  expect(view()).toMatchObject({ hasNewer: false, anchor: null })
})

test('A message that comes below the screen is unread; one that comes at its end is not, and what Alice writes ends the line', async () => {
  const { alice, room, posts } = await unreadRoom(0)
  await showRoom(alice.env, room)
  await receiveMessage(alice.env, await posts('at the end'))
  expect([unread(room), view().fresh]).toEqual([0, null])
  changeView(room, { isAtEnd: false })
  const first = await posts('below')
  await receiveMessage(alice.env, first)
  await receiveMessage(alice.env, await posts('further below'))
  expect([unread(room), view().fresh]).toEqual([2, { after: first.seq - 1, count: 2 }])
  await sendText(alice.env, room, 'I see')
  expect(view().fresh).toBeNull()
})
