import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Contact } from '../../../contract/chat/contacts.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import type { RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import type { Env } from '../../env.ts'
import type { Api } from '../../net/api.ts'
import { newPerson, type TestPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { changePerson, personById, resetPeople } from '../trust/people.ts'
import { rowOfContact } from './listedRoom.ts'
import { keepRooms, reloadRooms } from './loadRooms.ts'
import { changeRoom, latestRoom, resetRooms, roomById, roomsStore, sortRooms } from './roomList.ts'
import { addNewest, onReceipt, onTyping } from './rowUpdates.ts'

let alice: TestPerson
const bob = { userId: randomUUID() }
const carol = { userId: randomUUID() }

beforeAll(async () => {
  alice = await newPerson(createWire())
})
afterEach(() => {
  resetRooms()
  resetPeople()
})

/** The same browser with a server whose contact list has these rows. */
const NOTHING: RoomPage = { rooms: [], removed: [], counter: '1', more: false, before: null }
const listing = (env: Env, contacts: Contact[]): Env => ({
  ...env,
  api: (async (endpoint: Endpoint, input: object) => {
    if ((endpoint as unknown) === roomsApi.list) return { ...NOTHING, rooms: 'since' in input ? [] : contacts.map(rowOfContact) }
    return endpoint === notificationsApi.unreadCount ? { count: 0 } : env.api(endpoint as never, input as never)
  }) as Api,
})

test('A room that the server lists no more goes; what this browser knows of the others stays', async () => {
  const [toBob, toCarol] = [alice.contact(bob), alice.contact(carol)]
  await reloadRooms(listing(alice.env, [toBob, toCarol]))
  changeRoom(toBob.chatRoomId, () => ({ preview: { kind: 'text', text: 'hello', status: null }, isTyping: true }))
  changePerson(bob.userId, { mismatch: 'key_changed' })

  await reloadRooms(listing(alice.env, [{ ...toBob, unreadCount: 3 }]))
  expect([...roomsStore.getState().rooms.keys()]).toEqual([toBob.chatRoomId])
  expect(roomById(toBob.chatRoomId)).toMatchObject({ unreadCount: 3, isTyping: true, preview: { text: 'hello' } })
  expect(personById(bob.userId)?.mismatch).toBe('key_changed')
})

test('One row is replaced and one added while the others stay: requests stand first, then the newest', async () => {
  const [toBob, toCarol] = [alice.contact(bob), alice.contact(carol)]
  await keepRooms(alice.env, [{ ...toBob, addedAt: '2026-01-02T00:00:00.000Z' }])
  await keepRooms(alice.env, [{ ...toCarol, addedAt: '2026-01-01T00:00:00.000Z' }])
  const order = () => sortRooms(roomsStore.getState().rooms.values()).map(({ id }) => id)
  expect(order()).toEqual([toBob.chatRoomId, toCarol.chatRoomId])
  await keepRooms(alice.env, [{ ...toCarol, state: 'pending', addedAt: '2026-01-01T00:00:00.000Z' }])
  expect(order()).toEqual([toCarol.chatRoomId, toBob.chatRoomId])
})

test('Frames change the row that they name and no other, and a room that nobody knows changes nothing', async () => {
  const [room, other] = await keepRooms(alice.env, [alice.contact(bob), alice.contact(carol)])
  if (!room || !other) throw new Error('Nothing is listed')
  const message = {
    id: randomUUID(),
    seq: 3,
    chatRoomId: room.id,
    senderId: bob.userId,
    content: '',
    messageType: 'text' as const,
    filePath: null,
    fileName: null,
    fileSize: null,
    isEncrypted: true,
    deliveryStatus: 'sent' as const,
    replyToId: null,
    createdAt: new Date().toISOString(),
  }
  addNewest(message)
  addNewest(message)
  expect(roomById(room.id)).toMatchObject({ unreadCount: 1, lastSeq: 3 })
  expect(roomsStore.getState().unreadTotal).toBe(1)
  addNewest({ ...message, id: randomUUID(), seq: 4, isSilent: true })
  expect(roomById(room.id)).toMatchObject({ unreadCount: 1, lastSeq: 4, lastMessage: { seq: 3 } })

  onTyping({ chatRoomId: room.id, userId: bob.userId, isTyping: true })
  onReceipt({ chatRoomId: room.id, userId: bob.userId, deliveredSeq: 9, readSeq: 4 })
  expect(roomById(room.id)).toMatchObject({ unreadCount: 1 })
  onReceipt({ chatRoomId: room.id, userId: alice.userId, deliveredSeq: 4, readSeq: 4 })
  expect(roomById(room.id)).toMatchObject({ isTyping: true, unreadCount: 0 })
  expect(roomById(room.id)?.marks[bob.userId]).toEqual({ deliveredSeq: 9, readSeq: 4 })
  expect(roomById(other.id)).toEqual(other)

  onReceipt({ chatRoomId: 'elsewhere', userId: bob.userId, deliveredSeq: 9, readSeq: 9 })
  expect(roomsStore.getState().rooms.size).toBe(2)
})

test('The row of another account that shares the room is not taken for the own one', async () => {
  const [room] = await keepRooms(alice.env, [alice.contact(bob)])
  if (!room) throw new Error('Nothing is listed')
  const bobs = { ...room, ownId: bob.userId }
  expect(latestRoom(bobs)).toBe(bobs)
  expect(latestRoom({ ...room, lastSeq: 0 })).toBe(roomById(room.id))
})
