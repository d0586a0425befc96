import { afterEach, expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { resetMessages, showRoom } from './messages.ts'
import { messagesStore } from './store.ts'

afterEach(() => {
  resetRooms()
  resetMessages()
})

test('What needs a newer page says so in the chat and in the list, and is never shown as words', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  await bob.says(alice, 'hi')
  const { seals, live } = await patchedClient(bob, alice)
  const { id, content } = await seals({ content: { type: 'poll', question: 'tea?' } as never })
  live.vault.close()
  await bob.env.api(messagesApi.send, { id, chatRoomId: roomId, content, messageType: 'text' })
  await bob.env.api(messagesApi.send, { chatRoomId: roomId, content: '{"v":2,"text":"tea?"}', messageType: 'text' })
  const [room] = await keepRooms(alice.env, [alice.contact(bob)])
  if (!room) throw new Error('The contact has no room')
  await showRoom(alice.env, room)
  const unsupported = { kind: 'unsupported', text: 'Unsupported message type' }
  expect(messagesStore.getState().open?.messages.map(({ body }) => body)).toEqual([
    { kind: 'text', text: 'hello' },
    { kind: 'text', text: 'hi' },
    unsupported,
    unsupported,
  ])
  await refreshPreview(alice.env, room)
  expect(roomById(roomId)?.preview).toEqual({ kind: 'unreadable', text: unsupported.text, status: null })
})
