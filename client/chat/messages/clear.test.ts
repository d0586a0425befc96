import { afterEach, beforeEach, expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { ApiError } from '../../net/api.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { readDisk } from '../../testing/disk.ts'
import { opensArriving, sendsFile, servesFiles } from '../../testing/files.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { clearChat } from './clear.ts'
import { takeClears } from './takeClears.ts'

beforeEach(resetRooms)
afterEach(resetRooms)

async function talking() {
  const at = await people()
  await at.alice.says(at.bob, 'apples')
  await at.bob.says(at.alice, 'pears')
  const phone = await at.alice.newComputer()
  await phone.reads(at.bob)
  await at.alice.reads(at.bob)
  return { ...at, phone }
}

/** What the search finds in this browser. */
const found = async (person: TestPerson, other: TestPerson, text: string) => {
  const chatRoomIds = [person.room(other).id]
  await person.core.indexRooms({ chatRoomIds })
  return (await person.core.search({ chatRoomIds, query: text, limit: 10 })).messages.length
}

/** How many messages and parts of the search's index this browser has on its disk. */
async function onDisk(person: TestPerson) {
  const disks = (await readDisk(person.computer)).filter(({ name }) => name.includes(person.userId))
  const stores = disks.flatMap((disk) => disk.stores)
  const keys = (name: string) =>
    stores.filter((store) => store.name === name).flatMap(({ rows }) => rows.map(([key]) => String(key)))
  return { messages: keys('messages').length, segments: keys('sealed').filter((key) => key.startsWith('search:')).length }
}

/** What a start or a frame does: the list, the book, and what follows from both. */
async function syncs(person: TestPerson) {
  resetRooms()
  await refreshRooms(person.env)
  await syncBook(person.env)
  await takeClears(person.env)
}

test('Clearing a chat takes its files from this browser, and from one that was away', async () => {
  const { alice, bob, phone, roomId } = await talking()
  const stored = new Map<string, Blob>()
  const content = await sendsFile(alice, bob, { name: 'plan.pdf' }, stored)
  servesFiles(stored)
  await phone.reads(bob)
  // The two browsers of this test share one memory for files.
  expect((await alice.core.keptFiles()).rooms).toMatchObject([{ chatRoomId: roomId, files: [{ object: content.object }] }])
  await refreshRooms(alice.env)
  await clearChat(alice.env, alice.room(bob))
  expect((await alice.core.keptFiles()).rooms).toEqual([])
  expect(await alice.core.openFile({ chatRoomId: roomId, content })).toBeUndefined()

  await opensArriving(phone.core, { chatRoomId: roomId, content }, stored.get(content.object) ?? new Blob())
  expect((await phone.core.keptFiles()).rooms).toHaveLength(1)
  await syncs(phone)
  expect((await phone.core.keptFiles()).rooms).toEqual([])
})

test('A chat that Alice clears is gone in this browser, in one that was away, in the search, and for a new one; Bob keeps his', async () => {
  const { alice, bob, phone, roomId } = await talking()
  expect(await found(alice, bob, 'apples')).toBe(1)
  expect(await onDisk(alice)).toEqual({ messages: 2, segments: 1 })
  await refreshRooms(alice.env)
  await clearChat(alice.env, alice.room(bob))
  expect(await onDisk(alice)).toEqual({ messages: 0, segments: 0 })
  expect(await alice.hears(bob)).toEqual([])
  expect(await found(alice, bob, 'apples')).toBe(0)

  expect(await phone.hears(bob)).toEqual(['apples', 'pears'])
  await syncs(phone)
  expect(await phone.hears(bob)).toEqual([])
  expect(await found(phone, bob, 'apples')).toBe(0)

  const tablet = await alice.newComputer()
  await bob.says(alice, 'plums')
  resetRooms()
  await refreshRooms(tablet.env)
  expect(await tablet.hears(bob)).toEqual(['plums'])
  const { from } = await tablet.core.page({ chatRoomId: roomId, limit: 1 })
  expect(from).toBe(1)
  expect(await loadOlderPage(tablet.env, tablet.room(bob), from)).toBe(false)
  expect(await bob.hears(alice)).toEqual(['apples', 'pears', 'plums'])
  expect(await alice.hears(bob)).toEqual(['plums'])
})

test('Where the server refuses, nothing is cleared here', async () => {
  const { alice, bob, wire } = await talking()
  wire.beforeEffect = (_caller, path) => {
    if (path === contactsApi.clearChat.path) throw new ApiError(503, 'unavailable', 'The server is busy')
  }
  putRooms([alice.room(bob)])
  await expect(clearChat(alice.env, alice.room(bob))).rejects.toThrow('busy')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
})

test('Neither a server alone nor a number in the book alone takes messages away', async () => {
  const { alice, bob, wire, roomId } = await talking()
  // The server says that Alice has cleared the chat.
  const listed = wire.contacts.get(`${alice.userId} ${bob.userId}`)
  if (listed) listed.clearedSeq = 99
  await syncs(alice)
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
  // A number beyond the server's word goes no further than that.
  if (listed) listed.clearedSeq = 0
  await alice.core.clearRoom({ chatRoomId: roomId, clearedSeq: 0 })
  await syncs(alice)
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
})

test('What comes after the chat was cleared is searched and shown as ever', async () => {
  const { alice, bob } = await talking()
  await refreshRooms(alice.env)
  await clearChat(alice.env, alice.room(bob))
  await bob.says(alice, 'plums')
  await alice.says(bob, 'figs')
  expect(await alice.hears(bob)).toEqual(['plums', 'figs'])
  expect(await found(alice, bob, 'plums')).toBe(1)
  const messages = await alice.reads(bob)
  expect(messages.filter(({ isOutOfPlace }) => isOutOfPlace)).toEqual([])
})
