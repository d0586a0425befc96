import { unzipSync } from 'fflate'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { showNews } from '../../alerts/notifications/desktop.ts'
import { prefsStore } from '../../alerts/notifications/newsPrefs.ts'
import { reportable } from '../../people/contacts/report.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { isDirect } from '../../rooms/list/room.ts'
import { changeRoom, type DirectRow, type RoomRow, resetRooms, roomById } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { exportAccount } from '../export/export.ts'
import { sharedPage } from '../files/sharedPage.ts'
import { loadOlder, resetMessages, showRoom } from './messages.ts'
import { receiveMessage } from './receive.ts'
import { messagesStore } from './store.ts'

const planted = vi.hoisted(() => ({ fold: (entries: unknown[]): unknown[] => entries }))
vi.mock('../../../contract/chat/kinds/fold.ts', () => ({ foldEntries: (entries: unknown[]) => planted.fold(entries) }))

/** Adds "folded" to the text of each entry. */
const marking = (entries: unknown[]): unknown[] =>
  JSON.parse(JSON.stringify(entries).replaceAll(/"text":"([^"]*)"/g, '"text":"$1, folded"'))

/** Takes out three of four entries, as if they changed others. */
const sparse = (entries: unknown[]): unknown[] => entries.filter((entry) => /"text":"\d*[048]"/.test(JSON.stringify(entry)))

beforeEach(() => {
  planted.fold = marking
})

afterEach(() => {
  planted.fold = (entries) => entries
  resetMessages()
  resetRooms()
  vi.unstubAllGlobals()
})

/** Bob has written to Alice, whose list has the room. */
async function talking(texts: string[]) {
  const { alice, bob, wire } = await people()
  for (const text of texts) await bob.says(alice, text)
  await alice.reads(bob)
  return { alice, bob, wire, room: await listed(alice, bob) }
}

async function listed(person: TestPerson, other: TestPerson): Promise<DirectRow> {
  const [room] = await keepRooms(person.env, [person.contact(other)])
  if (!room || !isDirect(room)) throw new Error('The contact has no room')
  return room
}

const unsent = (alice: TestPerson, room: RoomRow, text: string) =>
  alice.core.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId: room.id, content: { type: 'text', text } },
    ...{ replyToId: null, sentAt: new Date().toISOString() },
  })

const shownTexts = () => messagesStore.getState().open?.messages.map(({ body }) => ('text' in body ? body.text : body.kind))

test('What comes while Alice looks is folded before it shows, and so is its line in the list', async () => {
  const { alice, bob, wire, room } = await talking(['one'])
  await showRoom(alice.env, room)
  await bob.says(alice, 'two')
  const message = wire.rooms.get(room.id)?.log.findLast((entry) => entry.kind === 'message')
  if (message?.kind !== 'message') throw new Error('There is no message')
  await receiveMessage(alice.env, message)
  expect(shownTexts()).toEqual(['one, folded', 'two, folded'])
  expect(roomById(room.id)?.preview?.text).toBe('two, folded')
})

test('A new browser folds what it reads of the archive, page by page', async () => {
  const { alice, bob } = await talking(Array.from({ length: 60 }, (_, at) => `${at}`))
  resetRooms()
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  const room = await listed(laptop, bob)
  changeRoom(room.id, () => ({ unreadCount: 0 }))
  await showRoom(laptop.env, room)
  for (let pages = 0; messagesStore.getState().open?.hasOlder && pages < 9; pages++) await loadOlder(laptop.env, room)
  expect(shownTexts()).toEqual(Array.from({ length: 60 }, (_, at) => `${at}, folded`))
})

test('What waits to be sent is folded in the chat and in its line of the list', async () => {
  const { alice, room } = await talking(['one'])
  await unsent(alice, room, 'on its way')
  alice.env.api = async () => new Promise(() => undefined)
  void showRoom(alice.env, room)
  await expect.poll(shownTexts).toEqual(['one, folded', 'on its way, folded'])
  await refreshPreview(alice.env, room)
  expect(roomById(room.id)?.preview?.text).toBe('on its way, folded')
})

test('The line of the list is folded where it is read from the vault', async () => {
  const { alice, room } = await talking(['one'])
  await refreshPreview(alice.env, room)
  expect(roomById(room.id)?.preview?.text).toBe('one, folded')
})

test('A search finds and shows what the fold has made of an entry', async () => {
  const { alice, room } = await talking(['one', 'two'])
  const found = await alice.core.search({ query: 'two folded', chatRoomIds: [room.id], limit: 9 })
  expect(found.messages.map(({ text }) => text)).toEqual(['two, folded'])
})

test('An export has what the fold has made of sent and unsent entries', async () => {
  const { alice, room } = await talking(['one'])
  await unsent(alice, room, 'on its way')
  const options = { rooms: [room], hasFiles: true, onProgress: () => undefined, signal: new AbortController().signal }
  const { archive } = await exportAccount(
    alice.env,
    { username: 'alice', displayName: 'Alice', onionAddress: null } as User,
    options,
  )
  const files = unzipSync(new Uint8Array(await archive.arrayBuffer()))
  const [chat] = Object.keys(files).filter((name) => /^chats\/.*\.json$/.test(name))
  const { messages } = JSON.parse(new TextDecoder().decode(files[chat ?? '']))
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(['one, folded', 'on its way, folded'])
})

test('A notification of the system tells what the fold has made of an entry', async () => {
  const { alice, room } = await talking(['one'])
  const told: (string | undefined)[] = []
  vi.stubGlobal(
    'Notification',
    class extends EventTarget {
      constructor(_: string, { body }: NotificationOptions) {
        super()
        told.push(body)
      }
      close = () => undefined
    },
  )
  prefsStore.setState({ hasContent: true })
  const { seq } = (await alice.core.page({ chatRoomId: room.id, limit: 1 })).messages[0] ?? {}
  const lastMessage = { id: crypto.randomUUID(), seq: seq ?? 0, senderId: '', createdAt: new Date().toISOString() }
  changeRoom(room.id, () => ({ unreadCount: 1, lastMessage }))
  await showNews(alice.env, [roomById(room.id) ?? room])
  prefsStore.setState({ hasContent: false })
  expect(told).toEqual(['one, folded'])
})

test('What a chat has shared, and what can be reported of it, is folded', async () => {
  const { alice, room } = await talking(['https://one.example/a'])
  planted.fold = (entries) => JSON.parse(JSON.stringify(entries).replaceAll('one.example', 'two.example'))
  expect((await sharedPage(alice.env, room.id)).links.map(({ address }) => address)).toEqual(['https://two.example/a'])
  expect((await reportable(alice.env, room)).map(({ text }) => text)).toEqual(['https://two.example/a'])
})

test('A page is full, upwards and downwards, however many entries the fold takes out of it', async () => {
  const { alice, room } = await talking(Array.from({ length: 41 }, (_, at) => `${at}`))
  planted.fold = sparse
  const left = Array.from({ length: 41 }, (_, at) => `${at}`).filter((text) => /[048]$/.test(text))
  const pages = async (next: (end: number | undefined, start: number | undefined) => { before?: number; after?: number }) => {
    const read: string[][] = []
    for (let range = next(undefined, undefined); ; ) {
      const { messages } = await alice.core.page({ chatRoomId: room.id, limit: 5, ...range })
      read.push(messages.map(({ body }) => (body.kind === 'content' && body.content.type === 'text' ? body.content.text : '')))
      if (messages.length < 5) return read
      range = next(messages.at(-1)?.seq, messages[0]?.seq)
    }
  }
  const down = await pages((_, start) => (start === undefined ? {} : { before: start }))
  const up = await pages((end = 0) => ({ after: end }))
  for (const read of [down, up]) expect(read.slice(0, -1).map(({ length }) => length)).toEqual(read.slice(1).map(() => 5))
  expect(down.toReversed().flat()).toEqual(left)
  expect(up.flat()).toEqual(left)
})
