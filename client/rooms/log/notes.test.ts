import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Act, Content, Mark, Star } from '../../../contract/chat/content.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { TestPerson } from '../../testing/people.ts'
import { wordsOf } from '../../testing/people.ts'
import { changesKeys, notesOf, patchedClient, people } from '../../testing/room.ts'
import type { StoredMessage } from '../../worker/crypto.ts'
import { isStarred } from '../list/marks.ts'
import { refreshOwnDevices } from '../trust/ownDevices.ts'
import { catchUp } from './catchUp.ts'
import { gatherMarks } from './gatherMarks.ts'
import { enterRoom } from './readyRoom.ts'

const notes = (person: TestPerson, text: string) => keeps(person, { type: 'text', text })

async function keeps(person: TestPerson, content: Content | Act): Promise<void> {
  const room = notesOf(person)
  await person.core.keepInOutbox({
    ...{ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt: new Date().toISOString() },
  })
  await person.sends(room)
}

async function reads(person: TestPerson): Promise<string[]> {
  await refreshOwnDevices(person.env)
  await catchUp(person.env, notesOf(person))
  const { messages } = await person.core.page({ chatRoomId: notesRoomId(person.userId), limit: 50 })
  return messages.map(({ body }) => wordsOf(body))
}

test('notes are begun alone, read by the other browser of before and by a later one, which all write', async () => {
  const { wire, alice, eve } = await people()
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await notes(alice, 'first')
  expect(wire.rooms.get(notesRoomId(alice.userId))?.log.map(({ kind }) => kind)).toEqual(['commit', 'message'])
  await enterRoom(laptop.env, notesOf(laptop, 2))
  expect(await reads(laptop)).toEqual(['first'])
  await notes(laptop, 'second')
  expect(await reads(alice)).toEqual(['first', 'second'])
  const phone = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await notes(phone, 'third')
  for (const browser of [alice, laptop, phone]) expect(await reads(browser)).toEqual(['first', 'second', 'third'])
  // Nobody else's room, whatever the server calls it.
  await expect(eve.core.roomNeed({ chatRoomId: notesRoomId(alice.userId), peerIds: [], now: 0 })).rejects.toMatchObject({
    code: 'place',
  })
  await expect(
    alice.core.roomNeed({ chatRoomId: notesRoomId(alice.userId), peerIds: [eve.userId], now: 0 }),
  ).rejects.toMatchObject({ code: 'place' })
})

const mark = (room: string, is: Mark['is'], on: boolean, at = 0): Mark => ({ type: 'mark', room, is, on, at })

test('what is marked is the same in every browser, also in a later one, and the last word holds', async () => {
  const { alice, roomId } = await people()
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await keeps(alice, mark(roomId, 'pinned', true))
  await notes(alice, 'between')
  await keeps(alice, mark(roomId, 'archived', true, 7))
  await reads(laptop)
  await enterRoom(laptop.env, notesOf(laptop, 4))
  await keeps(laptop, mark(roomId, 'pinned', false))
  const shown = { pinned: { on: false }, archived: { on: true, at: 7 } }
  const phone = await alice.newComputer()
  await reads(phone)
  await gatherMarks(phone.env, notesOf(phone, 0))
  for (const browser of [alice, laptop, phone]) {
    await reads(browser)
    expect((await browser.core.marks())[roomId]).toMatchObject(shown)
  }
  // Marks are no lines of the notes.
  expect(await reads(phone)).toEqual(['between'])
  await alice.core.keepInOutbox({
    ...{ id: randomUUID(), chatRoomId: notesRoomId(alice.userId), content: mark(roomId, 'unread', true, 9) },
    ...{ replyToId: null, sentAt: new Date().toISOString() },
  })
  expect((await alice.core.marks())[roomId]).toMatchObject({ ...shown, unread: { on: true, at: 9 } })
})

test("a message of Bob's is starred in every browser of Alice's, also before it is sent and in a later one, and Bob has no star", async () => {
  const { alice, bob, roomId } = await people()
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  const { messages } = await alice.core.page({ chatRoomId: roomId, limit: 1 })
  const [{ senderId, id, seq }] = messages as [StoredMessage]
  const star = (on: boolean): Star => ({ type: 'star', room: roomId, target: { senderId, id }, on, at: seq })
  const isStarredAt = async ({ core }: TestPerson) => isStarred(await core.marks(), roomId, { senderId, id })
  await alice.core.keepInOutbox({
    ...{ id: randomUUID(), chatRoomId: notesRoomId(alice.userId), content: star(true) },
    ...{ replyToId: null, sentAt: new Date().toISOString() },
  })
  expect(await isStarredAt(alice)).toBe(true)
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await keeps(alice, star(true))
  await reads(laptop)
  const phone = await alice.newComputer()
  await reads(phone)
  await gatherMarks(phone.env, notesOf(phone, 0))
  expect(await Promise.all([alice, laptop, phone, bob].map(isStarredAt))).toEqual([true, true, true, false])
  await enterRoom(laptop.env, notesOf(laptop, 3))
  await keeps(laptop, star(false))
  await reads(phone)
  expect(await isStarredAt(phone)).toBe(false)
  expect(await reads(phone)).toEqual([])
})

test('what a browser marked before it was removed holds in one that is added after', async () => {
  const { alice, roomId } = await people()
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await keeps(alice, mark(roomId, 'pinned', true))
  await enterRoom(laptop.env, notesOf(laptop, 2))
  await keeps(laptop, mark(roomId, 'pinned', false))
  await keeps(laptop, mark(roomId, 'archived', true, 7))
  await reads(alice)
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  await keeps(alice, mark(roomId, 'unread', true, 7))
  const phone = await alice.newComputer()
  await reads(phone)
  await gatherMarks(phone.env, notesOf(phone, 0))
  const shown = { pinned: { on: false }, archived: { on: true, at: 7 }, unread: { on: true, at: 7 } }
  for (const browser of [alice, phone]) expect((await browser.core.marks())[roomId]).toMatchObject(shown)
})

test('a page that ends before it has the keys of the notes leaves its marks to the next one', async () => {
  const { alice, roomId } = await people()
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await keeps(alice, mark(roomId, 'pinned', true))
  await reads(laptop)
  await gatherMarks(laptop.env, notesOf(laptop, 2))
  const phone = await alice.newComputer()
  await enterRoom(phone.env, notesOf(phone, 2))
  await keeps(phone, mark(roomId, 'archived', true))
  const { api } = laptop.env
  laptop.env.api = ((endpoint, input) =>
    endpoint.path === roomsApi.archiveKeys.path ? Promise.reject(new Error('The page ends')) : api(endpoint, input)) as typeof api
  await expect(reads(laptop)).rejects.toThrow('The page ends')
  laptop.env.api = api
  await gatherMarks(laptop.env, notesOf(laptop, 4))
  expect((await laptop.core.marks())[roomId]).toMatchObject({ pinned: { on: true }, archived: { on: true } })
})

test('a mark that somebody else sends, or that stands in another chat, changes nothing', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  const patched = await patchedClient(bob, alice)
  const sent = await patched.seals({ content: mark(roomId, 'archived', true) })
  await patched.posts(sent.id, sent.content)
  await alice.core.keepInOutbox({
    ...{ id: randomUUID(), chatRoomId: roomId, content: mark(roomId, 'pinned', true) },
    ...{ replyToId: null, sentAt: new Date().toISOString() },
  })
  await alice.sends(alice.room(bob))
  expect(await alice.hears(bob)).toEqual(['hello'])
  expect(await alice.core.marks()).toEqual({})
  expect(await bob.core.marks()).toEqual({})
})
