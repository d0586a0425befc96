import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { changeRoom, latestRoom, putRooms, type RoomRow, resetRooms } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { newRecord } from '../../worker/log/enterRoom.ts'
import { messageWrites, type StoredBody } from '../../worker/vault/storedMessage.ts'
import { recordWrite } from '../../worker/vault/storedRoom.ts'
import { hideRoom, jumpToNewest, loadNewer, loadOlder, resetMessages, showRoom } from './messages.ts'
import { refreshRoom, refreshView, showFrom, showNewest, showOlder } from './messageWindow.ts'
import { messagesStore } from './store.ts'

beforeEach(resetRooms)
afterEach(() => {
  resetMessages()
  resetRooms()
})

interface Library {
  alice: TestPerson
  room: RoomRow
  /** Stores messages at the next seqs in the vault, as a catch-up does. A string is a text by Bob. */
  keeps(...bodies: (string | StoredBody)[]): Promise<void>
  /** Stores texts as Alice's own messages in the same way. */
  keepsOwn(...texts: string[]): Promise<void>
}

/** Makes a room of Alice and Bob whose vault has `count` messages by Bob, `message 1` to `message <count>`, from the seq `from` on. */
async function library(count: number, from = 1): Promise<Library> {
  const { alice, bob, roomId } = await people()
  const { live } = await patchedClient(alice, bob)
  const room = alice.room(bob)
  let seq = from - 1
  const keep = async (senderId: string, bodies: (string | StoredBody)[]) => {
    const stored = bodies.map((body) => {
      seq += 1
      const written: StoredBody = typeof body === 'string' ? { kind: 'content', content: { type: 'text', text: body } } : body
      return { id: randomUUID(), chatRoomId: roomId, seq, senderId, at: new Date().toISOString(), body: written }
    })
    const record = { ...newRecord({ generation: 1, groupId: null, epoch: 0, lastSeq: seq }), from }
    await live.vault.write([...stored.flatMap(messageWrites), recordWrite(roomId, record)])
  }
  putRooms([room])
  const keeps: Library['keeps'] = (...bodies) => keep(bob.userId, bodies)
  await keeps(...Array.from({ length: count }, (_, at) => `message ${from + at}`))
  return { alice, room, keeps, keepsOwn: (...texts) => keep(alice.userId, texts) }
}

const view = () => {
  const { open } = messagesStore.getState()
  if (!open) throw new Error('No room is on screen')
  return open
}
const texts = () => view().messages.map(({ body }) => ('text' in body ? body.text : body.reason))
const ends = () => [texts()[0], texts().at(-1)]
const numbered = (first: number, last: number) => [`message ${first}`, `message ${last}`]

/** Shows the room without a server, so that only the vault's messages appear. */
async function shows({ alice, room }: Library): Promise<void> {
  await showRoom({ ...alice.env, api: offline }, room)
}
const offline = async () => {
  throw new ApiError(0, 'offline', 'You are offline')
}

test('A room that comes on screen shows that it is loading, then at once what this browser holds, also without a network', async () => {
  const kept = await library(3)
  const states: string[] = []
  const off = messagesStore.subscribe(({ open }) => states.push(`${open?.status} ${open?.messages.length}`))
  await shows(kept)
  off()
  expect(states.slice(0, 2)).toEqual(['loading 0', 'ready 3'])
  expect(view()).toMatchObject({ status: 'ready', hasOlder: false, hasNewer: false })
  expect(texts()).toEqual(['message 1', 'message 2', 'message 3'])
})

test('A room of which this browser holds nothing says that it could not be loaded where the server does not answer', async () => {
  await shows(await library(0))
  expect(view()).toMatchObject({ status: 'failed', messages: [] })
})

test('Older pages come from this browser while it has them, then from the server; at the beginning there are no more', async () => {
  const kept = await library(120, 31)
  const { alice, room } = kept
  await shows(kept)
  expect(ends()).toEqual(numbered(101, 150))
  const asked: number[] = []
  // The server's earlier messages cannot be read here, so only their seqs count.
  const fetchOlder = async (before: number) => asked.push(before) > 0
  await showOlder(alice.env, room, fetchOlder)
  expect(ends()).toEqual(numbered(51, 150))
  expect(asked).toEqual([])
  expect(view().hasOlder).toBe(true)
  await showOlder(alice.env, room, fetchOlder)
  expect(asked).toEqual([31])
  expect(ends()).toEqual(numbered(31, 150))
  const whole = await library(60)
  await shows(whole)
  await loadOlder(whole.alice.env, whole.room)
  expect(ends()).toEqual(numbered(1, 60))
  expect(view()).toMatchObject({ hasOlder: false, isLoadingOlder: false })
})

test('While an older page loads, that shows, and no second one is asked for; where it fails, it can be tried again', async () => {
  const kept = await library(20, 31)
  const { alice, room } = kept
  await shows(kept)
  const states: boolean[] = []
  const off = messagesStore.subscribe(({ open }) => states.push(open?.isLoadingOlder ?? false))
  const env = { ...alice.env, api: offline }
  const [first] = await Promise.allSettled([loadOlder(env, room), loadOlder(env, room)])
  off()
  expect(first.status).toBe('rejected')
  expect(states).toEqual([true, false])
  expect(view()).toMatchObject({ hasOlder: true, isLoadingOlder: false })
})

test('A long way up the newest messages leave the screen; what comes meanwhile moves nothing', async () => {
  const kept = await library(420)
  const { alice, room } = kept
  await shows(kept)
  for (let pages = 0; pages < 6; pages++) await loadOlder(alice.env, room)
  expect(view()).toMatchObject({ hasNewer: true, hasOlder: true })
  expect(ends()).toEqual(numbered(71, 370))
  await kept.keeps('news', 'more news')
  await kept.keepsOwn('my own, from another browser')
  changeRoom(room.id, ({ ownId, marks }) => ({ marks: { ...marks, [ownId]: { deliveredSeq: 420, readSeq: 420 } } }))
  await refreshView(alice.env, latestRoom(room))
  expect(ends()).toEqual(numbered(71, 370))
  await loadNewer(alice.env, room)
  expect(ends()).toEqual(numbered(121, 420))
  expect(view().hasNewer).toBe(true)
  await loadNewer(alice.env, room)
  expect(texts().slice(-2)).toEqual(['more news', 'my own, from another browser'])
  expect(view()).toMatchObject({ hasNewer: false })
  expect(view().messages).toHaveLength(300)
})

test('The way back to the newest message is one step from anywhere', async () => {
  const kept = await library(200)
  const { alice, room } = kept
  await shows(kept)
  await showFrom(alice.env, room, 20, 'middle')
  expect(ends()).toEqual(numbered(1, 69))
  expect(view()).toMatchObject({ hasOlder: false, hasNewer: true })
  expect(view().anchor).toEqual({ id: view().messages[19]?.id, place: 'middle' })
  await jumpToNewest(alice.env, room)
  expect(ends()).toEqual(numbered(151, 200))
  expect(view()).toMatchObject({ hasNewer: false, anchor: null })
})

test('Own unsent messages stand last, each with what becomes of it, and only where the chat is shown to its end', async () => {
  const kept = await library(100)
  const { alice, room } = kept
  const write = (text: string) =>
    alice.core.keepInOutbox({
      id: randomUUID(),
      chatRoomId: room.id,
      content: { type: 'text', text },
      replyToId: null,
      sentAt: new Date().toISOString(),
    })
  const { id } = await write('refused')
  await write('on its way')
  await alice.core.changeOutbox({ chatRoomId: room.id, id, failure: 'Too long', unseal: false })
  connectionStore.setState({ phase: 'open' })
  await shows(kept)
  expect(view().messages.slice(-2)).toMatchObject([
    { seq: null, isMine: true, status: 'failed', reason: 'Too long', body: { text: 'refused' } },
    { seq: null, isMine: true, status: 'sending', reason: null, body: { text: 'on its way' } },
  ])
  await kept.keeps('Bob is faster')
  await refreshView(alice.env, room)
  expect(texts().slice(-3)).toEqual(['Bob is faster', 'refused', 'on its way'])
  await showFrom(alice.env, room, 10)
  expect(ends()).toEqual(numbered(1, 59))
})

test('The ticks of what is on screen follow how far the other side has come', async () => {
  const kept = await library(1)
  const { alice, room } = kept
  await kept.keepsOwn('one', 'two')
  await shows(kept)
  const ticks = () => view().messages.map(({ status }) => status)
  expect(ticks()).toEqual([null, 'sent', 'sent'])
  const theirs = async (deliveredSeq: number, readSeq: number) => {
    changeRoom(room.id, ({ marks, peers }) => ({ marks: { ...marks, [peers[0]?.id ?? '']: { deliveredSeq, readSeq } } }))
    // The room object is an older one. The ticks still come from the list.
    await refreshView(alice.env, room)
  }
  await theirs(3, 0)
  expect(ticks()).toEqual([null, 'delivered', 'delivered'])
  await theirs(3, 2)
  expect(ticks()).toEqual([null, 'read', 'delivered'])
})

test('What cannot be read says why, and shows its words as soon as its key has come', async () => {
  const kept = await library(1)
  const { alice, room } = kept
  await kept.keeps(
    { kind: 'sealed', envelope: '{}' },
    { kind: 'unreadable', reason: 'It is damaged' },
    { kind: 'notice', text: 'Noted' },
  )
  await kept.keepsOwn('mine')
  await shows(kept)
  expect(view().messages.map(({ body }) => body)).toEqual([
    { kind: 'text', text: 'message 1' },
    { kind: 'unreadable', reason: 'This message was sealed with a key that this browser does not have.' },
    { kind: 'unreadable', reason: 'It is damaged' },
    { kind: 'notice', text: 'Noted' },
    { kind: 'text', text: 'mine' },
  ])
  const { page } = alice.core
  const opened = { kind: 'content', content: { type: 'text', text: 'opened' } } as const
  const core = {
    ...alice.core,
    page: async (where: Parameters<typeof page>[0]) => {
      const { messages, ...rest } = await page(where)
      const now = messages.map((one) => (one.body.kind === 'sealed' ? { ...one, body: opened } : one))
      return { ...rest, messages: now, waitsFor: 'less than before' }
    },
  }
  await refreshView({ ...alice.env, crypto: core }, room)
  expect(texts()[1]).toBe('opened')
})

test('A line that cannot be read does not have the whole window read at each change', async () => {
  const kept = await library(40)
  const { alice, room } = kept
  await kept.keeps({ kind: 'sealed', envelope: '{}' })
  await shows(kept)
  const after: (number | undefined)[] = []
  const { page } = alice.core
  const core: typeof alice.core = {
    ...alice.core,
    page: async (where) => {
      after.push(where.after)
      return await page(where)
    },
  }
  await kept.keeps('news')
  await refreshView({ ...alice.env, crypto: core }, room)
  expect(after).toEqual([41])
  expect(texts().slice(-1)).toEqual(['news'])
})

test('An answer of this browser that comes late does not take newer messages off the screen', async () => {
  const kept = await library(1)
  const { alice, room } = kept
  await shows(kept)
  const { page } = alice.core
  const clock = new EventEmitter()
  let asked = 0
  const env = { ...alice.env, crypto: { ...alice.core } }
  env.crypto.page = async (where) => {
    asked += 1
    const answer = await page(where)
    if (asked === 1) await once(clock, 'later')
    return answer
  }
  const late = showNewest(env, room)
  await kept.keeps('news')
  const next = refreshView(env, room)
  await expect.poll(() => clock.listenerCount('later')).toBe(1)
  expect(asked).toBe(1)
  clock.emit('later')
  await Promise.all([late, next])
  expect(texts()).toEqual(['message 1', 'news'])
})

test('News of a room that is not on screen, or of an account that was closed, changes nothing there', async () => {
  const kept = await library(1)
  const { alice, room } = kept
  await shows(kept)
  await kept.keeps('the `news`')
  resetRooms()
  await refreshRoom(alice.env, room)
  expect(texts()).toEqual(['message 1'])
  putRooms([room])
  hideRoom()
  await refreshRoom(alice.env, room)
  expect(messagesStore.getState().open).toBe(null)
  expect(latestRoom(room)).toMatchObject({ preview: { text: 'the news' } })
})
