import { afterEach, expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { people } from '../../testing/room.ts'
import { flushRoom } from './outbox.ts'

const planted = vi.hoisted(() => ({ isCounted: true }))
vi.mock('../../../contract/chat/kinds/kinds.ts', async (original) => ({
  ...(await original<object>()),
  isCounted: () => planted.isCounted,
}))

afterEach(resetRooms)

test('The record of a kind decides whether a message is posted as silent; one that counts says nothing of it', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  const drafts: Record<string, unknown>[] = []
  const { api } = alice.env
  alice.env.api = (endpoint, input) => {
    if (!Object.is(endpoint, messagesApi.send)) return api(endpoint, input)
    drafts.push({ ...(input as object) })
    // The server takes no silent message yet.
    return api(endpoint, { ...(input as object), isSilent: false } as typeof input)
  }
  for (const isCounted of [true, false]) {
    planted.isCounted = isCounted
    await alice.keeps(bob, 'words')
    await flushRoom(alice.env, alice.room(bob), async () => undefined)
  }
  planted.isCounted = true
  const [counted, silent] = drafts
  expect(Object.keys(counted ?? {}).sort()).toEqual(['chatRoomId', 'content', 'id', 'isBrief', 'messageType'])
  expect(silent).toMatchObject({ chatRoomId: roomId, isSilent: true })
})
