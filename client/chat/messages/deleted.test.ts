import { afterEach, beforeEach, expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import type { Env } from '../../env.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { personById } from '../../rooms/trust/people.ts'
import { newPerson, type TestPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { resetMessages, showRoom } from './messages.ts'
import { sendText } from './send.ts'
import { messagesStore } from './store.ts'

beforeEach(resetRooms)
afterEach(resetMessages)

async function looksAt(one: TestPerson, other: TestPerson, isDeleted: boolean) {
  const contact = one.contact(other)
  const contactUser = { ...contact.contactUser, isDeleted }
  const [room] = await keepRooms(one.env, [{ ...contact, contactUser }])
  if (!room) throw new Error('The contact has no room')
  await showRoom(one.env, room)
  return room
}

const shown = () => messagesStore.getState().open?.messages.map(({ body, status, reason }) => ({ body, status, reason }))

test("Bob's account is gone: what was said can be read, and what is not sent says why and was never sealed", async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const room = await looksAt(alice, bob, true)
  const sealed = wire.rooms.get(room.id)?.log.length
  await sendText(alice.env, room, 'are you there?')
  expect(shown()).toEqual([
    { body: { kind: 'text', text: 'hello' }, status: 'sent', reason: null },
    { body: { kind: 'text', text: 'are you there?' }, status: 'failed', reason: 'This account was deleted' },
  ])
  expect(wire.rooms.get(room.id)?.log.length).toBe(sealed)
  expect((await alice.core.outbox(room.id))[0]?.envelope ?? null).toBe(null)
})

test('The server refuses a message on its way because the account is gone: the row says so from then on', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const room = await looksAt(alice, bob, false)
  const refusing: Env = {
    ...alice.env,
    api: ((endpoint, input) => {
      if (endpoint.path !== messagesApi.send.path || endpoint.method !== 'POST') return alice.env.api(endpoint, input)
      throw new ApiError(403, 'account_deleted', 'This account was deleted')
    }) as Api,
  }
  await sendText(refusing, room, 'are you there?')
  expect(shown()?.at(-1)).toEqual({
    body: { kind: 'text', text: 'are you there?' },
    status: 'failed',
    reason: 'This account was deleted',
  })
  expect(roomById(room.id)?.isClosed).toBe(true)
  expect(personById(bob.userId)?.isDeleted).toBe(true)
})
