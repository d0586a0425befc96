import { afterEach, expect, test } from 'vitest'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { people } from '../../testing/room.ts'
import { resetMessages, showRoom } from './messages.ts'
import { receiveMessage } from './receive.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
})

test.each([
  ['a request', 'pending', 1],
  ['accepted', 'accepted', 0],
] as const)(
  'A message comes while Bob looks at its room, which is %s: its row counts what the server counts',
  async (_, state, unreadCount) => {
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
    await receiveMessage(env, message)
    expect(roomById(roomId)).toMatchObject({ lastSeq: message.seq, unreadCount })
  },
)
