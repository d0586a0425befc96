import { beforeEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import type { ListedRoom, RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import type { Api } from '../../net/api.ts'
import { ApiError } from '../../net/api.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { refreshRooms, reloadRooms } from '../list/loadRooms.ts'
import { resetRooms, roomById, roomsStore } from '../list/roomList.ts'
import { peopleStore, personById, resetPeople } from '../trust/people.ts'
import { keepShown, keptIn, showKept, takeList } from './keptScreens.ts'

type Asked = { since?: string }
type Answer = (answer: RoomPage, asked: Asked) => RoomPage

beforeEach(resets)
function resets() {
  resetRooms()
  resetPeople()
}

/** Alice's page, and the readings of the list that it asks for. `change` is what the server answers in the place of the truth. */
function pageOf({ env }: TestPerson, change: Answer = (answer) => answer) {
  const asked: Asked[] = []
  const api = async (endpoint: unknown, input: Asked) => {
    const answer: unknown = await env.api(endpoint as never, input as never)
    if (endpoint !== roomsApi.list) return answer
    asked.push(input)
    return change(answer as RoomPage, input)
  }
  return { asked, env: { ...env, api: api as Api } }
}

const keeps = (env: Env, { username }: TestPerson) => keepShown(env, { username } as User)

/** The page is loaded anew: what the list has is what was kept. */
async function loadsAnew(env: Env) {
  resets()
  const shown = await takeList(env)
  await showKept(env, keptIn(shown), false)
}

async function talking() {
  const world = await people()
  const { alice, bob, eve } = world
  for (const other of [bob, eve]) await alice.says(other, 'hello')
  return world
}

const shownNow = () => ({ rooms: roomsStore.getState().rooms, people: peopleStore.getState().people })

test('The next page shows the kept rows before the list is asked for, nobody online and nothing missing yet; then it asks for what has changed alone', async () => {
  const { alice, bob, eve, roomId } = await talking()
  const online: Answer = (answer) => ({
    ...answer,
    rooms: answer.rooms.map((row) => ({ ...row, people: row.people.map((one) => ({ ...one, isOnline: true })) })),
  })
  const { env, asked } = pageOf(alice, online)
  await refreshRooms(env)
  await keeps(env, alice)
  await bob.says(alice, 'while you were away')
  asked.length = 0
  const told: string[] = []
  const next = pageOf(alice, (answer, input) => {
    told.push(...answer.rooms.map(({ chatRoomId }) => chatRoomId))
    return online(answer, input)
  })
  await loadsAnew(next.env)
  expect(roomsStore.getState()).toMatchObject({ status: 'loading', counter: null })
  expect(roomById(roomId)?.preview?.text).toBe('hello')
  expect([bob, eve].map(({ userId }) => personById(userId)?.isOnline)).toEqual([false, false])
  expect(next.asked).toEqual([])
  await refreshRooms(next.env)
  expect(next.asked).toMatchObject([{ since: expect.any(String) }])
  expect(told).toEqual([roomId])
  expect(roomsStore.getState().status).toBe('ready')
  expect([bob, eve].map(({ userId }) => personById(userId)?.isOnline)).toEqual([true, true])
  // As if it had read all of it.
  const since = shownNow()
  resets()
  await reloadRooms(next.env)
  const withoutPreviews = [...since.rooms.values()].map((row) => ({ ...row, preview: null }))
  expect(withoutPreviews).toEqual(expect.arrayContaining([...shownNow().rooms.values()]))
  expect(withoutPreviews).toHaveLength(shownNow().rooms.size)
  expect(since.people).toEqual(shownNow().people)
})

test('What is kept is what the server answered, so a count that the page alone changed does not stay', async () => {
  const { alice, roomId } = await talking()
  const { env } = pageOf(alice, (answer) => ({ ...answer, rooms: answer.rooms.map((row) => ({ ...row, unreadCount: 3 })) }))
  await refreshRooms(env)
  const { rooms } = roomsStore.getState()
  roomsStore.setState({ rooms: new Map([...rooms].map(([id, row]) => [id, { ...row, unreadCount: 0 }])) })
  await keeps(env, alice)
  await loadsAnew(env)
  expect(roomById(roomId)?.unreadCount).toBe(0)
  await refreshRooms(pageOf(alice).env)
  expect(roomById(roomId)?.unreadCount).toBe(3)
})

test('A chat that is gone when the page comes again is gone with the first answer', async () => {
  const { alice, roomId } = await talking()
  const { env } = pageOf(alice)
  await refreshRooms(env)
  await keeps(env, alice)
  const gone = pageOf(alice, (answer) => ({ ...answer, removed: [roomId] }))
  await loadsAnew(gone.env)
  expect(roomById(roomId)).toBeDefined()
  await refreshRooms(gone.env)
  expect([roomById(roomId), roomsStore.getState().rooms.size]).toEqual([undefined, 1])
  await keeps(gone.env, alice)
  await loadsAnew(env)
  expect(roomsStore.getState().rooms.size).toBe(1)
})

test('Where the server knows the kept counter no more, or a kept row does not read, the list is read whole', async () => {
  const { alice } = await talking()
  const { env } = pageOf(alice)
  await refreshRooms(env)
  await keeps(env, alice)
  const moved = pageOf(alice, (answer, { since }) => {
    if (since !== undefined) throw new ApiError(410, 'list_moved_on', 'The list has changed too much')
    return answer
  })
  await loadsAnew(moved.env)
  await refreshRooms(moved.env)
  expect(moved.asked).toMatchObject([{ since: expect.any(String) }, {}])
  expect(roomsStore.getState().rooms.size).toBe(2)
  const shown = (await alice.core.readShown()) as { list: { counter: string; rooms: ListedRoom[] } }
  await alice.core.keepShown({ ...shown, list: { ...shown.list, rooms: [...shown.list.rooms, { chatRoomId: 'rubbish' }] } })
  const whole = pageOf(alice)
  await loadsAnew(whole.env)
  await refreshRooms(whole.env)
  expect(whole.asked).toEqual([{}])
})

test('A chat with a password is kept locked, whatever this session has opened', async () => {
  const { alice, roomId } = await talking()
  const { env } = pageOf(alice, (answer) => ({
    ...answer,
    rooms: answer.rooms.map((row) => (row.chatRoomId === roomId ? { ...row, isPasswordProtected: true } : row)),
  }))
  await refreshRooms(env)
  const newest = roomsStore.getState().answered.get(roomId)?.lastMessage
  expect(newest).not.toBeNull()
  await keeps(env, alice)
  expect(JSON.stringify(await alice.core.readShown())).not.toContain(String(newest?.id))
  await loadsAnew(env)
  expect(roomById(roomId)).toMatchObject({ isPasswordProtected: true, lastMessage: null, preview: null })
  expect(roomById(roomId)?.lock).not.toBe('open')
  await refreshRooms(pageOf(alice).env)
  expect(roomById(roomId)).toMatchObject({ lastMessage: null, preview: null })
})
