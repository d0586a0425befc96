import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { Content, MessageAct } from '../../../contract/chat/content.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'

let isLost = false
vi.mock('../primitives/loadPart.ts', async (original) => {
  const ours = await original<typeof import('../primitives/loadPart.ts')>()
  const lost = () => ours.loadPart(() => Promise.reject(new TypeError('Failed to fetch')))
  return { ...ours, partOf: (load: () => Promise<unknown>) => () => (isLost ? lost() : ours.loadPart(load)) }
})

async function sends(me: TestPerson, other: TestPerson, content: Content | MessageAct) {
  const chatRoomId = me.room(other).id
  const id = randomUUID()
  await me.core.keepInOutbox({ id, chatRoomId, content, replyToId: null, sentAt: new Date().toISOString() })
  await me.sends(me.room(other))
  return id
}

test('A reaction whose code does not load costs nothing: what comes with it waits, and is there once it loads', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'first words')
  await bob.reads(alice)
  const shown = async () => (await bob.core.page({ chatRoomId: roomId, limit: 9 })).messages
  const [first] = await shown()
  const target = { senderId: alice.userId, id: first?.id ?? '' }
  await sends(alice, bob, { type: 'reaction', target, emojis: ['👍'] })
  await sends(alice, bob, { type: 'text', text: 'and more' })
  isLost = true
  const before = await bob.core.roomRecord(roomId)
  await expect(catchUp(bob.env, bob.room(alice))).rejects.toMatchObject({ code: 'not_loaded' })
  expect(await bob.core.roomRecord(roomId)).toEqual(before)
  isLost = false
  await catchUp(bob.env, bob.room(alice))
  expect((await shown()).map(({ acts }) => Object.values(acts?.reactions ?? {}).flatMap(({ emojis }) => emojis))).toEqual([
    ['👍'],
    [],
  ])
  await sends(bob, alice, { type: 'text', text: 'thanks' })
  expect(await alice.hears(bob)).toContain('thanks')
})
