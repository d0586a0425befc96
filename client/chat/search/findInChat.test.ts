import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { people } from '../../testing/room.ts'
import { resetMessages, showRoom } from '../messages/messages.ts'
import { messagesStore } from '../messages/store.ts'
import { endFind, findInChat, findStore, stepFind } from './findInChat.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
})

/** Alice, with her room with Bob on screen and these plain texts from him in it. */
async function withWords(texts: string[]) {
  const { alice, bob, eve, roomId } = await people()
  await bob.says(alice, 'The station is closed')
  for (const content of texts)
    await bob.env.api(messagesApi.send, { id: randomUUID(), chatRoomId: roomId, content, messageType: 'text' })
  await alice.reads(bob)
  const room = { ...alice.room(bob), unreadCount: 0 }
  putRooms([room])
  await showRoom(alice.env, room)
  return { alice, bob, eve, room }
}

const view = () => messagesStore.getState().open
const state = () => findStore.getState()
const currentText = () => {
  const body = view()?.messages.find(({ id }) => id === view()?.matches?.currentId)?.body
  return body && 'text' in body ? body.text : undefined
}

test('Alice searches in the open chat: the newest match first, then one after another, with every word marked', async () => {
  const hay = Array.from({ length: 120 }, (_, at) => `hay ${at}`)
  const { alice, room } = await withWords([...hay, 'Two stations, one STATION', 'the end'])
  await findInChat(alice.env, room, 'tation')
  expect(state().matches.map(({ text }) => text)).toEqual(['The station is closed', 'Two stations, one STATION'])
  expect([state().at, currentText()]).toEqual([1, 'Two stations, one STATION'])
  const marked = () => view()?.matches?.ranges.get(view()?.matches?.currentId ?? '')
  expect(marked()).toEqual([
    [5, 11],
    [19, 25],
  ])
  await stepFind(alice.env, room, -1)
  expect([state().at, currentText(), marked()]).toEqual([0, 'The station is closed', [[5, 11]]])
  expect(view()).toMatchObject({ hasNewer: true, anchor: { place: 'match' } })
  await stepFind(alice.env, room, -1)
  expect(currentText()).toBe('Two stations, one STATION')
  await stepFind(alice.env, room, 1)
  expect(currentText()).toBe('The station is closed')
})

test('A search in one chat finds nothing of another; where nothing is found the chat stays, and closing takes the marks away', async () => {
  const { alice, eve, room } = await withWords(['a pear'])
  await eve.says(alice, 'a pear of Eve')
  await alice.reads(eve)
  await findInChat(alice.env, room, 'pear')
  expect(state().matches.map(({ text }) => text)).toEqual(['a pear'])
  const before = view()?.anchor
  await findInChat(alice.env, room, 'plum')
  expect(state()).toMatchObject({ isAnswered: true, matches: [] })
  expect(view()?.anchor).toBe(before)
  await findInChat(alice.env, room, 'pear')
  endFind(room)
  expect([view()?.matches, state().matches]).toEqual([null, []])
})

test('An answer to what was typed before is dropped', async () => {
  const { alice, room } = await withWords(['a pear', 'a peach'])
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const search = vi.spyOn(alice.core, 'search').mockImplementationOnce(async (input) => {
    await released
    return alice.core.search(input)
  })
  const slow = findInChat(alice.env, room, 'pear')
  await expect.poll(() => search).toHaveBeenCalledTimes(1)
  await findInChat(alice.env, room, 'peach')
  release()
  await slow
  expect(state().matches.map(({ text }) => text)).toEqual(['a peach'])
})
