import { afterEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import type { ListedRoom, RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { syncAll } from '../../app/sync.ts'
import { receiveCommit, receiveMessage } from '../../chat/messages/receive.ts'
import { flush } from '../../chat/messages/send.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { personIn } from '../../testing/direct.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { changesKeys, people } from '../../testing/room.ts'
import { commitEverywhere } from '../log/commitEverywhere.ts'
import { resetPeople } from '../trust/people.ts'
import { reloadRooms } from './loadRooms.ts'
import { resetRooms, roomById } from './roomList.ts'

afterEach(() => {
  accountStore.setState(accountStore.getInitialState(), true)
  resetRooms()
  resetPeople()
})

/** Eve has sent Alice a request and a sealed message. `asked` lists the requests of Alice's page that name Eve or their room. */
async function withRequest() {
  const { wire, alice, bob, eve } = await people()
  const chatRoomId = alice.contact(eve).chatRoomId
  await eve.says(alice, 'are you there?')
  const request = { isOpen: true }
  const asRequest = (row: ListedRoom): ListedRoom =>
    request.isOpen && row.direct && personIn(row).id === eve.userId
      ? { ...row, direct: { ...row.direct, state: 'pending' } }
      : row
  const asked: string[] = []
  const { api } = alice.env
  alice.env.api = (async (endpoint: { path: string }, input: { chatRoomId?: string; userId?: string }) => {
    if ((endpoint as unknown) === notificationsApi.unreadCount) return { count: 0 }
    if (input.chatRoomId === chatRoomId || input.userId === eve.userId) asked.push(endpoint.path)
    const answer = await api(endpoint as never, input as never)
    if ((endpoint as unknown) !== roomsApi.list) return answer
    const page = answer as RoomPage
    return { ...page, rooms: page.rooms.map(asRequest) }
  }) as typeof api
  const room = () => {
    const found = wire.rooms.get(chatRoomId)
    if (!found) throw new Error('There is no room')
    return found
  }
  return { wire, alice, bob, eve, chatRoomId, request, asked, room }
}

const seen = async ({ core }: TestPerson, chatRoomId: string) =>
  (await core.page({ chatRoomId, limit: 50 })).messages.map(({ body }) => wordsOf(body))

test('Eve has an open request and lays out bait: nothing that happens in the room shows her that Alice is online', async () => {
  const { alice, eve, chatRoomId, asked, room } = await withRequest()
  // A member would repair this at once.
  Object.assign(room(), { groupInfo: 'AAAA', archiveKeys: [] })
  await syncAll(alice.env)
  for (const entry of room().log) {
    if (entry.kind === 'message') await receiveMessage(alice.env, entry)
    else if (entry.kind === 'commit') await receiveCommit(alice.env, entry)
  }
  await commitEverywhere(alice.env)
  expect(asked).toEqual([])
  expect(room().groupInfo).toBe('AAAA')
  const asEve = { userId: eve.userId, username: eve.username, identityKey: 'AAAA' }
  expect(await alice.core.peerStanding(asEve)).toMatchObject({ mismatch: null, version: 0 })
  expect(roomById(chatRoomId)?.lastMessage).not.toBeNull()
})

test('Alice had entered the room of a request before: she puts nothing right there, also when she removes a browser', async () => {
  const { alice, eve, chatRoomId, request, asked, room } = await withRequest()
  request.isOpen = false
  await syncAll(alice.env)
  expect(await seen(alice, chatRoomId)).toEqual(['are you there?'])
  request.isOpen = true
  const laptop = await alice.newComputer()
  await eve.says(alice, 'hello?')
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  asked.length = 0
  Object.assign(room(), { groupInfo: 'AAAA', archiveKeys: [] })
  await syncAll(alice.env)
  await commitEverywhere(alice.env)
  expect(asked).toEqual([])
})

test('Alice accepts a request: what was written before is read, and her answer is', async () => {
  const { alice, eve, chatRoomId, request } = await withRequest()
  await syncAll(alice.env)
  expect(await seen(alice, chatRoomId)).toEqual([])
  request.isOpen = false
  accountStore.setState({ user: { id: alice.userId } as User })
  await syncAll(alice.env, [eve.userId])
  expect(await seen(alice, chatRoomId)).toEqual(['are you there?'])
  await alice.says(eve, 'I am')
  expect(await eve.hears(alice)).toEqual(['are you there?', 'I am'])
})

test('Alice answers without accepting first: the answer goes out, and accepts', async () => {
  const { alice, eve, chatRoomId } = await withRequest()
  await reloadRooms(alice.env)
  const room = roomById(chatRoomId)
  if (!room) throw new Error('The request is not in the list')
  await alice.keeps(eve, 'who is it?')
  await flush(alice.env, room)
  expect(await eve.hears(alice)).toEqual(['are you there?', 'who is it?'])
  expect(roomById(chatRoomId)?.direct?.state).toBe('accepted')
})
