import { expect, test } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { signPageIn } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { setMark } from './setMark.ts'

test("a server that calls Bob's chat the notes gets no mark into it", async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  await signPageIn(alice)
  const { api } = alice.env
  alice.env.api = ((endpoint, input) =>
    endpoint.path === roomsApi.openNotes.path ? Promise.resolve({ chatRoomId: roomId }) : api(endpoint, input)) as typeof api
  const room = alice.room(bob)
  putRooms([room])
  await expect(setMark(alice.env, room, 'pinned', true)).rejects.toThrow('not in the list')
  expect(await alice.core.outbox(roomId)).toEqual([])
  expect(await bob.hears(alice)).toEqual(['hello'])
  resetRooms()
})
