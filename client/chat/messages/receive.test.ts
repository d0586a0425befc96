import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Hide } from '../../../contract/chat/content.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { putRooms, resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { onReceipt } from '../../rooms/list/rowUpdates.ts'
import { notesOf, people } from '../../testing/room.ts'
import { resetMessages, showRoom } from './messages.ts'
import { receiveMessage, syncRoom } from './receive.ts'
import { messagesStore } from './store.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
})

/** Bob has the room on screen, and its first message is on its way. */
async function looking(state: 'pending' | 'accepted') {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  const message = wire.rooms.get(roomId)?.log.find((entry) => entry.kind === 'message')
  if (message?.kind !== 'message') throw new Error('There is no message')
  // The room list in memory is Alice's, so it is cleared for Bob.
  resetRooms()
  const { env } = bob
  const [room] = await keepRooms(env, [{ ...bob.contact(alice), state, lastSeq: 0, lastMessage: null, unreadCount: 0 }])
  if (!room) throw new Error('Bob has no room')
  await showRoom(env, room)
  return { env, message, row: () => roomById(roomId), ownId: room.ownId }
}

test.each([
  ['a request', 'pending', 1],
  ['accepted', 'accepted', 0],
] as const)(
  'A message comes while Bob looks at its room, which is %s: its row counts what the server counts',
  async (_, state, unreadCount) => {
    const { env, message, row } = await looking(state)
    await receiveMessage(env, message)
    expect(row()).toMatchObject({ lastSeq: message.seq, unreadCount })
  },
)

test.each([
  ['and is still unread', false, 1],
  ['and another browser of his reads it', true, 0],
] as const)(
  'Bob looks away while a message is opened, %s: its row counts what the server counts',
  async (_, isRead, unreadCount) => {
    const { env, message, row, ownId } = await looking('accepted')
    let isThere = true
    vi.stubGlobal('document', { visibilityState: 'visible', hasFocus: () => isThere })
    onTestFinished(() => void vi.unstubAllGlobals())
    const received = receiveMessage(env, message)
    isThere = false
    if (isRead) onReceipt({ chatRoomId: message.chatRoomId, userId: ownId, deliveredSeq: message.seq, readSeq: message.seq })
    await received
    expect(row()).toMatchObject({ lastSeq: message.seq, unreadCount })
  },
)

test('Another tab has already deleted what the notes tell of: it goes from this screen too', async () => {
  const { alice, bob, roomId } = await people()
  const notes = notesOf(alice)
  await bob.says(alice, 'goes')
  resetRooms()
  const { env, core } = alice
  const [room] = await keepRooms(env, [alice.contact(bob)])
  if (!room) throw new Error('Alice has no room')
  await showRoom(env, room)
  const shown = () => messagesStore.getState().open?.messages ?? []
  const hides = shown().flatMap(({ senderId, id, seq }): Hide[] =>
    senderId && seq ? [{ type: 'hide', room: roomId, target: { senderId, id }, at: seq }] : [],
  )
  expect(hides).toHaveLength(1)
  await core.hideMessages({ hides, sentAt: new Date().toISOString() })
  await alice.sends(notes)
  expect(shown()).toHaveLength(1)
  putRooms([notes])
  await syncRoom(env, notesOf(alice, 9))
  expect(shown()).toEqual([])
})
