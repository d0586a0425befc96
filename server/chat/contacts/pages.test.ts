import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { plants } from '../../testing/crowded.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

test('contacts come in pages, the newest chat first, each on one of them, and a program that asks for none goes on by the Link', async () => {
  const alice = await world.person('alice')
  const rooms = await plants(world, alice, LIMITS.roomPageMax + 9)
  const walked = async (path: string): Promise<string[][]> => {
    const { body, headers } = await alice.request('GET', path)
    const page = contactsApi.list.output.parse(body).map(({ chatRoomId }) => chatRoomId)
    const [, next] = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    return next === undefined ? [page] : [page, ...(await walked(next))]
  }
  const whole = await walked('/api/contacts')
  expect(whole.map((page) => page.length)).toEqual([LIMITS.roomPageMax, 9])
  expect(new Set(whole.flat())).toEqual(new Set(rooms))
  expect((await alice.does(roomsApi.list, { limit: 100 })).rooms.map(({ chatRoomId }) => chatRoomId)).toEqual(
    whole[0]?.slice(0, 100),
  )
  const tens = await walked('/api/contacts?limit=11')
  expect(tens.map((page) => page.length)).toEqual(Array(19).fill(11))
  expect(tens.flat()).toEqual(whole.flat())
})

test('Eve finds nobody else’s contacts by a place that she makes up, and no page longer than one', async () => {
  const { alice, bob, eve } = await world.people()
  const room = await alice.talksTo(bob)
  await eve.talksTo(bob)
  const own = directRoomId(eve.id, bob.id)
  for (const before of [`${Date.now() + 86_400_000}.${room}`, `0.${room}`]) {
    const { body } = await eve.request('GET', `/api/contacts?before=${before}`)
    expect(contactsApi.list.output.parse(body).filter(({ chatRoomId }) => chatRoomId !== own)).toEqual([])
  }
  expect(await eve.request('GET', `/api/contacts?limit=${LIMITS.roomPageMax + 1}`)).toBeRefused(400, 'invalid_input')
  expect(await eve.request('GET', "/api/contacts?before=1.dm_' or true")).toBeRefused(400, 'invalid_input')
})
