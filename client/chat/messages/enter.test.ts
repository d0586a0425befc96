import { afterEach, expect, test } from 'vitest'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { enterRoom } from '../../rooms/log/readyRoom.ts'
import { people } from '../../testing/room.ts'
import { resetMessages, showRoom } from './messages.ts'
import { messagesStore } from './store.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
})

const view = () => messagesStore.getState().open

test("Alice opens a chat on her new browser: it gets the room's keys at once, and says Encrypted before she has sent anything", async () => {
  const { alice, bob, wire, roomId } = await people()
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  const room = laptop.room(bob)
  putRooms([room])
  const commits = () => wire.rooms.get(roomId)?.log.filter(({ kind }) => kind === 'commit').length
  const before = commits() ?? 0
  await showRoom(laptop.env, room)
  await expect.poll(() => view()?.isEncrypted).toBe(true)
  expect(commits()).toBe(before + 1)
  // The others come along, and it writes like any other browser.
  await laptop.says(bob, 'from the new one')
  expect((await bob.reads(laptop)).at(-1)?.body).toMatchObject({ content: { text: 'from the new one' } })
})

test('A chat that nobody has written in gets no keys by being opened, and a request is not entered', async () => {
  const { alice, bob, wire, roomId } = await people()
  const room = alice.room(bob)
  putRooms([room])
  await showRoom(alice.env, room)
  await bob.says(alice, 'hello')
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  const { direct, ...rest } = laptop.room(bob)
  const asked = { ...rest, direct: { ...direct, state: 'pending' as const } }
  putRooms([asked])
  const log = () => wire.rooms.get(roomId)?.log.length
  const before = log()
  await showRoom(laptop.env, asked)
  await enterRoom(laptop.env, asked)
  expect([view()?.isEncrypted, log()]).toEqual([false, before])
})
