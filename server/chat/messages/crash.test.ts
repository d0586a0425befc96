import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { killableServer } from '../../testing/killed.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

test('the server dies between COMMIT and answer: sent again, the message is there once', async () => {
  const { alice, bob } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  const draft = { id: randomUUID(), chatRoomId, content: 'only once', messageType: 'text' as const }
  const { at, process } = await killableServer(world, 'message:committed')
  const died = once(process, 'exit')
  await expect(at(alice).does(messagesApi.send, draft)).rejects.toThrow('fetch failed')
  expect(await died).toEqual([null, 'SIGKILL'])

  expect(await alice.does(messagesApi.send, draft)).toMatchObject({ id: draft.id, seq: 1, content: 'only once' })
  expect(await bob.does(messagesApi.list, { chatRoomId })).toMatchObject([{ id: draft.id, seq: 1 }])
  expect((await alice.says(chatRoomId, 'next')).seq).toBe(2)
  const [row] = await bob.contacts()
  expect(row).toMatchObject({ unreadCount: 2, lastSeq: 2 })
})
