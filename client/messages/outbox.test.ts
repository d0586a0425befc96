import { expect, test } from 'vitest'
import { roomsApi } from '../../contract/rooms.ts'
import { contactsStore } from '../rooms/rows.ts'
import { changesKeys, counting, people } from '../testing/room.ts'
import { flushRoom, waitOf } from './outbox.ts'

const nothing = async () => undefined

test('A message meets a room that waits for a commit: it goes out behind one, in the same go', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  await bob.reads(alice)
  // What Bob's list says from here on is old.
  contactsStore.setState({
    rows: [{ ...bob.contact(alice), preview: null, isTyping: false, keyChanged: false, isVerified: false }],
  })
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  const content = { type: 'text' as const, text: 'three' }
  const sentAt = new Date().toISOString()
  await bob.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId: roomId, content, replyToId: null, sentAt })
  const calls = counting(bob)
  await flushRoom(bob.env, roomId, bob.userId, nothing)
  expect(waitOf(roomId)).toBeUndefined()
  expect(await bob.core.outbox(roomId)).toEqual([])
  expect(calls.get(roomsApi.commit.path)).toBe(1)
  expect(wire.rooms.get(roomId)?.needsCommit).toBe(false)
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})
