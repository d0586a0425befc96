import { afterEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { syncAll } from '../../app/sync.ts'
import { showRoom } from '../../chat/messages/messages.ts'
import { receiveCommit, receiveMessage } from '../../chat/messages/receive.ts'
import { messagesStore } from '../../chat/messages/store.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { ApiError } from '../../net/api.ts'
import { changesKeys, people } from '../../testing/room.ts'
import { commitEverywhere } from '../log/commitEverywhere.ts'
import { renewEpoch } from '../log/readyRoom.ts'
import { showForks } from '../log/showForks.ts'
import { enterEverywhere, tellForks } from '../log/staleEpoch.ts'
import { resetPeople } from '../trust/people.ts'
import { resetRooms, roomById } from './roomList.ts'

afterEach(() => {
  accountStore.setState(accountStore.getInitialState(), true)
  messagesStore.setState(messagesStore.getInitialState(), true)
  resetRooms()
  resetPeople()
})

/** Alice and Eve have talked, then Alice blocked her. `asked` lists the requests of Alice's page that name the room. */
async function withBlock() {
  const { wire, alice, eve } = await people()
  const { chatRoomId, id: contactId } = alice.contact(eve)
  await eve.says(alice, 'are you there?')
  await alice.says(eve, 'I am')
  await eve.reads(alice)
  accountStore.setState({ user: { id: alice.userId } as User })
  const asked: string[] = []
  const { api } = alice.env
  alice.env.api = (async (endpoint: { path: string; method: string }, input: { chatRoomId?: string }) => {
    if ((endpoint as unknown) === notificationsApi.unreadCount) return { count: 0 }
    if (input.chatRoomId === chatRoomId) asked.push(`${endpoint.method} ${endpoint.path}`)
    return await api(endpoint as never, input as never)
  }) as typeof api
  await syncAll(alice.env)
  await alice.env.api(contactsApi.block, { contactId })
  await syncAll(alice.env)
  const room = () => {
    const found = wire.rooms.get(chatRoomId)
    if (!found) throw new Error('There is no room')
    return found
  }
  const listed = () => {
    const row = roomById(chatRoomId)
    if (!row) throw new Error('The room is not on the list')
    return row
  }
  /** Eve renews her keys and spoils what the server has of it: a member would put that right at once. */
  const laysBait = async () => {
    const place = { chatRoomId, peerIds: [alice.userId] }
    await eve.env.api(roomsApi.commit, await eve.core.commitRoom(place))
    await eve.reads(alice)
    Object.assign(room(), { groupInfo: 'AAAA', archiveKeys: [] })
  }
  const written = () => asked.filter((call) => !call.startsWith('GET'))
  asked.length = 0
  return { alice, eve, chatRoomId, contactId, asked, written, room, listed, laysBait }
}

test('Alice has blocked Eve, who lays out bait: nothing that happens in the room shows her that Alice is online', async () => {
  const { alice, eve, asked, room, listed, laysBait } = await withBlock()
  await laysBait()
  const laptop = await alice.newComputer()
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  await eve.says(alice, 'hello?')
  asked.length = 0
  Object.assign(room(), { groupInfo: 'AAAA' })
  await syncAll(alice.env)
  for (const entry of room().log.slice(-2)) {
    if (entry.kind === 'message') await receiveMessage(alice.env, entry)
    else if (entry.kind === 'commit') await receiveCommit(alice.env, entry)
  }
  await commitEverywhere(alice.env)
  await enterEverywhere(alice.env, [listed()])
  await renewEpoch(alice.env, listed())
  expect(asked).toEqual([])
  expect(room().groupInfo).toBe('AAAA')
})

test('Alice finds that a list has forked in the chat of whom she has blocked: she tells them of it by no commit', async () => {
  const { alice, eve, written, listed } = await withBlock()
  // Her next commit is due: telling would make it.
  alice.env.clock = () => new Date(Date.now() + 25 * 60 * 60 * 1000)
  const [list, other] = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)].map((bytes) =>
    btoa(String.fromCharCode(...bytes)),
  )
  if (!list || !other) throw new Error('A hash is missing')
  showForks(listed(), [{ userId: eve.userId, version: 1, hash: list, known: other, isTold: false, isAnswered: false }])
  await tellForks(alice.env, listed())
  expect(written()).toEqual([])
})

test.each(['key_bytes_reached', 'request_unanswered'] as const)(
  'Alice’s browser may not tell of a forked list yet (%s): what follows goes on',
  async (code) => {
    const { alice, eve, contactId, listed } = await withBlock()
    await alice.env.api(contactsApi.unblock, { contactId })
    await syncAll(alice.env)
    alice.env.clock = () => new Date(Date.now() + 25 * 60 * 60 * 1000)
    const hashOf = (byte: number) => Buffer.alloc(16, byte).toString('base64')
    const lists = { userId: eve.userId, version: 1, hash: hashOf(1), known: hashOf(2) }
    let tries = 0
    showForks(listed(), [{ ...lists, isTold: false, isAnswered: false }])
    const { api } = alice.env
    alice.env.api = (async (endpoint: { path: string }, input: unknown) => {
      if (endpoint.path === roomsApi.commit.path) {
        tries += 1
        throw new ApiError(429, code, 'Later')
      }
      return await api(endpoint as never, input as never)
    }) as typeof api
    await tellForks(alice.env, listed())
    expect(tries).toBe(1)
  },
)

test('Alice opens the chat of whom she has blocked: she reads it, and puts nothing right until the block ends', async () => {
  const { alice, eve, contactId, chatRoomId, asked, written, room, listed, laysBait } = await withBlock()
  await laysBait()
  await showRoom(alice.env, listed())
  expect(asked).toContain('GET /api/rooms/:chatRoomId/log')
  expect(written()).toEqual([])
  expect(room().groupInfo).toBe('AAAA')
  await alice.env.api(contactsApi.unblock, { contactId })
  await eve.says(alice, 'hello?')
  await syncAll(alice.env)
  expect(roomById(chatRoomId)?.direct?.isBlocked).toBe(false)
  expect(room().groupInfo).not.toBe('AAAA')
})
