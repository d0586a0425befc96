import { expect, test } from 'vitest'
import { roomsApi } from '../../contract/rooms.ts'
import { changesKeys, counting, people } from '../testing/room.ts'
import { flushRoom, waitOf } from './outbox.ts'

const nothing = async () => undefined

test('A message meets a room that waits for a commit: it goes out behind one, in the same go', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  await bob.reads(alice)
  const old = bob.contact(alice)
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  await bob.keeps(alice, 'three')
  const calls = counting(bob)
  await flushRoom(bob.env, old, nothing)
  expect(waitOf(roomId)).toBeUndefined()
  expect(await bob.core.outbox(roomId)).toEqual([])
  expect(calls.get(roomsApi.commit.path)).toBe(1)
  expect(wire.rooms.get(roomId)?.needsCommit).toBe(false)
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})
