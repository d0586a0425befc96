import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { ApiError } from '../../net/api.ts'
import { changeRoom, putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { people } from '../../testing/room.ts'
import { hideRoom, jumpToMessage, resetMessages, showRoom } from '../messages/messages.ts'
import { messagesStore } from '../messages/store.ts'
import { keepIndexed } from './indexing.ts'
import { loadAllOlder } from './loadAllOlder.ts'
import { forgetSearch, searchMessages } from './search.ts'
import { stopOlder } from './stopOlder.ts'
import { searchStore } from './store.ts'

afterEach(() => {
  resetMessages()
  resetRooms()
  stopOlder()
  forgetSearch()
})

const textsOf = () => searchStore.getState().messages.map(({ text }) => text)

/** Alice's new laptop, which has the newest page of Bob's messages. */
async function laptopAfter(texts: string[]) {
  const { alice, bob, roomId } = await people()
  await bob.says(alice, 'hello')
  for (const content of texts)
    await bob.env.api(messagesApi.send, { id: randomUUID(), chatRoomId: roomId, content, messageType: 'text' })
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  return { laptop, bob, roomId, rooms: [roomId] }
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `pear ${at + 1}`)

test('What Alice types is looked for once she pauses; the answer to what she typed before is dropped', async () => {
  const { laptop, rooms } = await laptopAfter(['the pear', 'the peach'])
  const search = vi.spyOn(laptop.core, 'search')
  await Promise.all(['p', 'pe', 'pea', 'peac'].map((query) => searchMessages(laptop.env, query, rooms)))
  expect(search.mock.calls.map(([{ query }]) => query)).toEqual(['peac'])
  expect(textsOf()).toEqual(['the peach'])
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  search.mockImplementationOnce(async (input) => {
    await released
    return laptop.core.search(input)
  })
  const slow = searchMessages(laptop.env, 'pear', rooms)
  await expect.poll(() => search).toHaveBeenCalledTimes(2)
  await searchMessages(laptop.env, 'peach', rooms)
  release()
  await slow
  expect(textsOf()).toEqual(['the peach'])
  await searchMessages(laptop.env, 'p', rooms)
  expect(searchStore.getState()).toMatchObject({ isAnswered: false, messages: [] })
})

test('A search waits for nothing: what this browser has not read for it yet joins by itself', async () => {
  const { laptop, bob, rooms } = await laptopAfter(numbered(1800))
  const room = laptop.room(bob)
  await loadAllOlder(laptop.env, [room])
  const seen: boolean[] = []
  const stop = searchStore.subscribe(({ isAnswered, isComplete }) => isAnswered && seen.push(isComplete))
  await searchMessages(laptop.env, 'pear 1', rooms)
  stop()
  expect([...new Set(seen)]).toEqual([false, true])
  await searchMessages(laptop.env, 'pear 17', rooms)
  expect(searchStore.getState()).toMatchObject({ isComplete: true, hasMore: true, unloaded: [] })
  expect(textsOf()).toHaveLength(50)
})

test('A vault that was closed meanwhile says so, and the next account sees nothing of the search', async () => {
  const { laptop, rooms } = await laptopAfter(['the pear'])
  await searchMessages(laptop.env, 'pear', rooms)
  await laptop.core.close()
  await searchMessages(laptop.env, 'pear', rooms)
  expect(searchStore.getState()).toMatchObject({ messages: [], failure: 'The keys of this browser are closed' })
  forgetSearch()
  expect(searchStore.getState()).toMatchObject({ isAnswered: false, messages: [], failure: null })
})

test('Alice has all older messages fetched, room by room, and finds the first one', async () => {
  const { laptop, bob, rooms } = await laptopAfter(['the very first fig', ...numbered(160)])
  await searchMessages(laptop.env, 'fig', rooms)
  expect(searchStore.getState()).toMatchObject({ messages: [], unloaded: rooms })
  const progress = new Set<string>()
  const stop = searchStore.subscribe(({ older }) => progress.add(older ? `${older.done} of ${older.total}` : 'done'))
  await loadAllOlder(laptop.env, [laptop.room(bob)])
  stop()
  expect([...progress]).toEqual(['0 of 1', 'done'])
  expect(searchStore.getState().unloaded).toEqual([])
  await searchMessages(laptop.env, 'fig', rooms)
  expect(textsOf()).toEqual(['the very first fig'])
  expect(searchStore.getState().unloaded).toEqual([])
})

test('Fetching older messages stops when Alice cancels it, and says why when the server cannot be reached', async () => {
  const { laptop, bob, rooms } = await laptopAfter(['the very first fig', ...numbered(420)])
  const room = laptop.room(bob)
  const { api } = laptop.env
  let pages = 0
  laptop.env.api = ((endpoint, input) => {
    if (endpoint.path === roomsApi.log.path && ++pages === 2) stopOlder()
    return api(endpoint, input)
  }) as typeof api
  await loadAllOlder(laptop.env, [room])
  // Without commits in the log each page has its maximum length, so three calls are enough.
  expect(pages).toBe(3)
  expect(searchStore.getState().older).toBeNull()
  laptop.env.api = (() => Promise.reject(new ApiError(0, 'offline', 'The server cannot be reached'))) as typeof api
  await loadAllOlder(laptop.env, [room])
  expect(searchStore.getState()).toMatchObject({ older: null, olderFailure: 'The server cannot be reached' })
  laptop.env.api = api
  await loadAllOlder(laptop.env, [room])
  expect(searchStore.getState().olderFailure).toBeNull()
  await searchMessages(laptop.env, 'fig', rooms)
  expect(textsOf()).toEqual(['the very first fig'])
})

test('While nothing else happens the index is brought up to date, so that the first search finds everything', async () => {
  const { laptop, bob, rooms } = await laptopAfter(numbered(1800))
  await loadAllOlder(laptop.env, [laptop.room(bob)])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let done: Promise<void> = Promise.reject(new Error('It was never read'))
  done.catch(() => undefined)
  const index = keepIndexed(
    laptop.env,
    () => rooms,
    (work) => {
      done = work
    },
  )
  index.soon()
  vi.advanceTimersByTime(2900)
  index.soon()
  vi.advanceTimersByTime(3100)
  vi.useRealTimers()
  await done
  index.stop()
  expect((await laptop.core.search({ query: 'pear 1', chatRoomIds: rooms, limit: 2000 })).isComplete).toBe(true)
})

const shown = () => messagesStore.getState().open

test('Alice opens a result: the room shows it among its neighbours, also far above its end', async () => {
  const { laptop, bob, rooms } = await laptopAfter(['the fig', ...numbered(160)])
  const room = laptop.room(bob)
  await loadAllOlder(laptop.env, [room])
  putRooms([room])
  await searchMessages(laptop.env, 'fig', rooms)
  const [fig] = searchStore.getState().messages
  if (!fig) throw new Error('nothing found')

  await jumpToMessage(laptop.env, room, fig.seq)
  await showRoom(laptop.env, room)
  expect(shown()).toMatchObject({ status: 'ready', hasNewer: true, anchor: { id: fig.id, place: 'middle' } })
  expect(
    shown()
      ?.messages.map(({ body }) => ('text' in body ? body.text : body.reason))
      .slice(0, 3),
  ).toEqual(['hello', 'the fig', 'pear 1'])

  await searchMessages(laptop.env, 'pear 150', rooms)
  const [pear] = searchStore.getState().messages
  if (!pear) throw new Error('nothing found')
  await jumpToMessage(laptop.env, room, pear.seq)
  expect(shown()).toMatchObject({ hasNewer: false, hasOlder: true, anchor: { id: pear.id, place: 'middle' } })
  const before = shown()?.anchor
  await jumpToMessage(laptop.env, room, pear.seq)
  expect(shown()?.anchor).not.toBe(before)

  changeRoom(room.id, () => ({ unreadCount: 0 }))
  await showRoom(laptop.env, room)
  expect(shown()).toMatchObject({ hasNewer: false, anchor: null })
})

test('A result that is opened in another room shows there, once', async () => {
  const { laptop, bob, rooms } = await laptopAfter(['the fig', ...numbered(60)])
  const room = laptop.room(bob)
  await loadAllOlder(laptop.env, [room])
  putRooms([room, { ...room, id: 'elsewhere' }])
  hideRoom()
  await searchMessages(laptop.env, 'fig', rooms)
  const [fig] = searchStore.getState().messages
  if (!fig) throw new Error('nothing found')
  await jumpToMessage(laptop.env, room, fig.seq)
  expect(shown()).toBeNull()
  await showRoom(laptop.env, room)
  expect(shown()?.anchor?.id).toBe(fig.id)
  changeRoom(room.id, () => ({ unreadCount: 0 }))
  await showRoom(laptop.env, room)
  expect(shown()?.anchor).toBeNull()
})
