import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Contact } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { refreshDelivery } from '../../chat/messages/receive.ts'
import type { Env } from '../../env.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { personIn } from '../../testing/direct.ts'
import { people } from '../../testing/room.ts'
import { personById } from '../trust/people.ts'
import { rowOfContact } from './listedRoom.ts'
import { refreshRooms, reloadRooms } from './loadRooms.ts'
import { resetRooms, roomById, roomsStore } from './roomList.ts'
import { addNewest, onPresence } from './rowUpdates.ts'

beforeEach(resetRooms)

const NOTHING = { removed: [], counter: '1', more: false, before: null }

/**
 * Alice with a server that returns these lists in turn and repeats the last. Each request first runs the next function of
 * `meanwhile`.
 */
async function asking(lists: Partial<Contact>[], meanwhile: (() => void)[] = [], talking = people()) {
  const { alice, bob, roomId } = await talking
  const answers = lists.map((change) => [{ ...alice.contact(bob), ...change }])
  const api = async (endpoint: unknown, input: unknown) => {
    if (endpoint !== roomsApi.list) return await alice.env.api(endpoint as never, input as never)
    if ('since' in (input as object)) return { ...NOTHING, rooms: [] }
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    meanwhile.shift()?.()
    return { ...NOTHING, rooms: answer?.map(rowOfContact) }
  }
  const env: Env = { ...alice.env, api: api as Api }
  const message = (seq: number, senderId: string) => ({
    ...{ id: `message ${seq}`, seq, chatRoomId: roomId, senderId, content: '', messageType: 'text' as const },
    ...{ filePath: null, fileName: null, fileSize: null, isEncrypted: true, deliveryStatus: 'sent' as const },
    ...{ replyToId: null, createdAt: new Date().toISOString() },
  })
  return { alice, bob, env, roomId, message }
}

test('A message comes while the list is on its way: the list from before it does not take it back', async () => {
  const meanwhile: (() => void)[] = []
  const { env, bob, roomId, message } = await asking([{ lastSeq: 3 }, { lastSeq: 3 }, { lastSeq: 4, unreadCount: 1 }], meanwhile)
  await reloadRooms(env)
  meanwhile.push(() => addNewest(message(4, bob.userId)))
  await reloadRooms(env)
  expect(roomById(roomId)).toMatchObject({ lastSeq: 4, unreadCount: 1 })
  expect(roomsStore.getState().unreadTotal).toBe(1)
})

test('Bob goes while the list is on its way: the list from before it does not show him online', async () => {
  const talking = people()
  const { alice, bob } = await talking
  const contact = alice.contact(bob)
  const shows = (isOnline: boolean) => ({ contactUser: { ...contact.contactUser, isOnline } })
  const meanwhile: (() => void)[] = []
  const { env } = await asking([shows(true), shows(true), shows(false)], meanwhile, talking)
  await reloadRooms(env)
  expect(personById(bob.userId)?.isOnline).toBe(true)
  meanwhile.push(() => onPresence(alice.userId, { userId: bob.userId, isOnline: false, lastSeen: null }))
  await reloadRooms(env)
  expect(personById(bob.userId)?.isOnline).toBe(false)
})

test('Bob comes, the connection is lost, and he goes: though the list is what it was before, he is not shown online', async () => {
  const { alice, bob, env, roomId } = await asking([{}])
  await reloadRooms(env)
  onPresence(alice.userId, { userId: bob.userId, isOnline: true, lastSeen: null })
  const lost = vi.fn(() => Promise.reject(new ApiError(0, 'offline', 'You are offline')))
  await expect(refreshRooms({ ...env, api: lost as never })).rejects.toThrow(ApiError)
  expect(personById(bob.userId)?.isOnline).toBe(true)
  const asked = vi.fn(env.api)
  await refreshRooms({ ...env, api: asked as never })
  expect(personById(bob.userId)?.isOnline).toBe(false)
  expect(asked.mock.calls.map(([, input]) => input)).toEqual([{ since: '1', limit: 200 }, { ids: roomId }])
  await refreshRooms({ ...env, api: asked as never })
  expect(asked).toHaveBeenCalledTimes(3)
})

test('Messages come and come: the list is asked for a few times, not for ever, and no message is taken back', async () => {
  const meanwhile: (() => void)[] = []
  const { env, bob, roomId, message } = await asking([{ lastSeq: 9, unreadCount: 9 }], meanwhile)
  await reloadRooms(env)
  for (let seq = 10; seq < 20; seq++) meanwhile.push(() => addNewest(message(seq, bob.userId)))
  await reloadRooms(env)
  expect(meanwhile).toHaveLength(5)
  expect(roomById(roomId)).toMatchObject({ lastSeq: 14, unreadCount: 14 })
})

test('News of sixty rooms come while the list is on its way: each of them is asked for again', async () => {
  const { alice, bob, env, message } = await asking([{}])
  const row = rowOfContact(alice.contact(bob))
  const listed = Array.from({ length: 60 }, (_, at) => ({
    ...row,
    chatRoomId: `room_${at}`,
    people: [{ ...personIn(row), id: randomUUID(), username: `person${at}` }],
  }))
  const askedFor: string[] = []
  const api = async (endpoint: unknown, input: object) => {
    if (endpoint !== roomsApi.list) return await env.api(endpoint as never, input as never)
    if ('since' in input) return { ...NOTHING, rooms: [] }
    const ids = 'ids' in input ? String(input.ids).split(',') : []
    askedFor.push(...ids)
    if (ids.length > 0) return { ...NOTHING, counter: null, rooms: listed.filter(({ chatRoomId }) => ids.includes(chatRoomId)) }
    for (const { chatRoomId } of listed) addNewest({ ...message(1, bob.userId), chatRoomId })
    return { ...NOTHING, rooms: listed }
  }
  await reloadRooms({ ...env, api: api as Api })
  expect(askedFor.sort()).toEqual(listed.map(({ chatRoomId }) => chatRoomId).sort())
  expect([...roomsStore.getState().rooms.keys()].sort()).toEqual(askedFor)
})

test('Another tab of Alice has read what came before her own last message: nothing counts as unread here either', async () => {
  const { alice, bob, env, roomId, message } = await asking([{ lastSeq: 0 }, { lastSeq: 2, readSeq: 1, unreadCount: 0 }])
  await reloadRooms(env)
  addNewest(message(1, bob.userId))
  addNewest(message(2, alice.userId))
  expect(roomById(roomId)?.unreadCount).toBe(1)
  await refreshDelivery(env, { chatRoomId: roomId, userId: alice.userId, deliveredSeq: 1, readSeq: 1 })
  expect(roomById(roomId)?.unreadCount).toBe(0)
  expect(roomsStore.getState().unreadTotal).toBe(0)
})
