import { beforeEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import type { RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { type Api, ApiError } from '../../net/api.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { refreshRooms } from '../list/loadRooms.ts'
import { isUnanswered, resetRooms, roomById, roomsStore } from '../list/roomList.ts'
import { personById, resetPeople } from '../trust/people.ts'
import { keepShown, readKept, showKept, showPreviews } from './keptScreens.ts'

beforeEach(resets)
function resets() {
  resetRooms()
  resetPeople()
}

/** Alice's page with a server whose readings of the list are changed so. */
function pageOf({ env }: TestPerson, change: (answer: RoomPage) => RoomPage = (answer) => answer): Env {
  const api = async (endpoint: unknown, input: unknown) => {
    const answer: unknown = await env.api(endpoint as never, input as never)
    return endpoint === roomsApi.list ? change(answer as RoomPage) : answer
  }
  return { ...env, api: api as Api }
}

/** A first page of Alice's has read the list and kept what it shows. The next one shows that before the server answers. */
async function nextPage(change?: Parameters<typeof pageOf>[1]) {
  const world = await people()
  const { alice, bob, eve } = world
  for (const other of [bob, eve]) await alice.says(other, 'hello')
  const env = pageOf(alice, change)
  await refreshRooms(env)
  await keepShown(env, { username: alice.username } as User)
  resets()
  await showPreviews(env, await showKept(env, await readKept(env), false))
  return world
}

test('The next page shows the kept rows before the list is answered: nobody online, and no chat is said to be missing', async () => {
  const online = (answer: RoomPage): RoomPage => ({
    ...answer,
    rooms: answer.rooms.map((row) => ({ ...row, people: row.people.map((one) => ({ ...one, isOnline: true })) })),
  })
  const { alice, bob, roomId } = await nextPage(online)
  expect(roomsStore.getState()).toMatchObject({ status: 'loading', counter: null })
  expect([roomsStore.getState().rooms.size, roomById(roomId)?.preview?.text]).toEqual([2, 'hello'])
  expect(personById(bob.userId)?.isOnline).toBe(false)
  expect(isUnanswered(roomId)).toBe(true)
  // By its own page, not by the whole list.
  const standings: boolean[] = []
  await refreshRooms(pageOf(alice, online), () => standings.push(isUnanswered(roomId)))
  expect(standings).toEqual([false])
  expect(roomsStore.getState().status).toBe('ready')
  expect(personById(bob.userId)?.isOnline).toBe(true)
})

test('Kept rows that come after a list that failed wait for no answer: their chats open', async () => {
  const { alice, roomId } = await nextPage()
  resets()
  const away = { ...alice.env, api: (() => Promise.reject(new ApiError(0, 'offline', 'No answer'))) as Api }
  await refreshRooms(away).catch(() => undefined)
  await showKept(away, await readKept(away), false)
  expect([roomsStore.getState().status, roomById(roomId)?.id, isUnanswered(roomId)]).toEqual(['failed', roomId, false])
})

test('A chat that is gone when the page comes again is gone with the answer', async () => {
  const { alice, roomId } = await nextPage()
  expect(roomById(roomId)).toBeDefined()
  const gone = (answer: RoomPage) => ({ ...answer, rooms: answer.rooms.filter(({ chatRoomId }) => chatRoomId !== roomId) })
  await refreshRooms(pageOf(alice, gone))
  expect([roomById(roomId), roomsStore.getState().rooms.size]).toEqual([undefined, 1])
})

test('Kept rows that come while the list is on its way are shown, and go with its answer where they are gone', async () => {
  const { alice, roomId } = await nextPage()
  resets()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const gone = (answer: RoomPage) => ({ ...answer, rooms: answer.rooms.filter(({ chatRoomId }) => chatRoomId !== roomId) })
  const env = pageOf(alice, gone)
  const slow = { ...env, api: (async (endpoint, input) => held.then(() => env.api(endpoint, input))) as Api }
  const reading = refreshRooms(slow)
  await showKept(slow, await readKept(slow), false)
  expect(roomById(roomId)).toBeDefined()
  release()
  await reading
  expect([roomById(roomId), roomsStore.getState().rooms.size]).toEqual([undefined, 1])
  // What comes after the answer is passed over.
  expect(await showKept(slow, await readKept(slow), false)).toEqual([])
})

test('A row in which something does not fit waits for the answer: it stands under a name that may be another’s by then', async () => {
  const lied = (answer: RoomPage): RoomPage => ({
    ...answer,
    rooms: answer.rooms.map((row) => ({
      ...row,
      people: row.people.map((one) => ({ ...one, username: `not_${one.username}` })),
    })),
  })
  const { alice, bob, roomId } = await nextPage(lied)
  expect(roomsStore.getState().rooms.size).toBe(0)
  await refreshRooms(alice.env)
  expect(roomById(roomId)).toBeDefined()
  expect(personById(bob.userId)?.username).toBe(bob.username)
  resets()
  expect(await showKept(alice.env, await readKept(alice.env), true)).toHaveLength(2)
})

test('A chat with a password is shown locked before the answer, whatever the session before had opened', async () => {
  await nextPage((answer) => ({ ...answer, rooms: answer.rooms.map((row) => ({ ...row, isPasswordProtected: true })) }))
  const rows = [...roomsStore.getState().rooms.values()]
  expect(rows).toHaveLength(2)
  for (const row of rows) {
    expect(row).toMatchObject({ isPasswordProtected: true, lastMessage: null, preview: null })
    expect(row.lock).not.toBe('open')
  }
})
