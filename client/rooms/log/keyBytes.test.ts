import { beforeEach, expect, test } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { REFUSALS } from '../../../contract/ground/refusals.ts'
import { forgetWaits, waitOf } from '../../chat/messages/outbox.ts'
import { ApiError } from '../../net/api.ts'
import { people } from '../../testing/room.ts'
import { resetRooms } from '../list/roomList.ts'

beforeEach(() => {
  resetRooms()
  forgetWaits()
})

const WRITES: string[] = [roomsApi.commit.path, roomsApi.addArchiveKeys.path, roomsApi.replaceGroupInfo.path]

test('Where the day’s bytes for keys are used up, what Alice writes waits with the true reason and goes out later, and she reads on meanwhile', async () => {
  const { alice, bob, wire, roomId } = await people()
  await bob.says(alice, 'apples')
  const room = wire.rooms.get(roomId)
  if (!room) throw new Error('The room is not there')
  const sealsOfAlice = () => room.archiveKeys.filter(({ userId }) => userId === alice.userId)
  // Bob has left her seal out, so that her browser must add it.
  room.archiveKeys = room.archiveKeys.filter(({ userId }) => userId !== alice.userId)
  wire.beforeEffect = (caller, path, method) => {
    if (caller !== alice.userId || method === 'GET' || !WRITES.includes(path)) return
    throw new ApiError(429, 'key_bytes_reached', REFUSALS.key_bytes_reached.text, { retryAfterSeconds: 3600 })
  }
  expect(await alice.hears(bob)).toEqual(['apples'])
  expect(sealsOfAlice()).toEqual([])
  room.needsCommit = true
  const reason = 'Your chats have renewed too many keys today. It is tried again.'
  await expect(alice.says(bob, 'pears')).rejects.toThrow(reason)
  expect(waitOf(roomId)).toEqual({ reason, retryMs: 3_600_000 })
  await bob.says(alice, 'plums')
  expect(await alice.hears(bob)).toEqual(['apples', 'plums'])

  wire.beforeEffect = undefined
  await alice.sends(alice.room(bob))
  expect(await bob.hears(alice)).toEqual(['apples', 'plums', 'pears'])
  expect(await alice.hears(bob)).toEqual(['apples', 'plums', 'pears'])
  expect(new Set(sealsOfAlice().map(({ epoch }) => epoch)).size).toBe(
    new Set(room.log.filter(({ kind }) => kind === 'commit')).size,
  )
})
