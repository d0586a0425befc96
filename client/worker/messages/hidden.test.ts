import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Act, Content, Hide } from '../../../contract/chat/content.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { gatherMarks } from '../../rooms/log/gatherMarks.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { at, type TestPerson, wordsOf } from '../../testing/people.ts'
import { notesOf, patchedClient, people } from '../../testing/room.ts'
import { openLive } from '../account/openAccount.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'
import { STORES, type VaultValue } from '../vault/vaultRows.ts'
import { hideWrites, withoutHidden } from './hidden.ts'
import { QUEUE } from './queue.ts'
import { hiddenKey } from './takenActs.ts'

let alice: TestPerson
let bob: TestPerson
let chatRoomId: string

beforeEach(async () => {
  ;({ alice, bob, roomId: chatRoomId } = await people())
  await alice.says(bob, 'stays')
  await bob.says(alice, 'goes')
  await alice.reads(bob)
})

async function says(me: TestPerson, room: Parameters<TestPerson['sends']>[0], content: Content | Act): Promise<void> {
  const sentAt = new Date().toISOString()
  await me.core.keepInOutbox({ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
  await me.sends(room)
}

async function readsNotes(person: TestPerson): Promise<void> {
  await refreshOwnDevices(person.env)
  await catchUp(person.env, notesOf(person))
}

const page = async (person: TestPerson) => (await person.core.page({ chatRoomId, limit: 50 })).messages
const texts = async (person: TestPerson) => (await page(person)).map(({ body }) => wordsOf(body))

async function found(person: TestPerson, query: string): Promise<number> {
  await person.core.indexRooms({ chatRoomIds: [chatRoomId] })
  return (await person.core.search({ query, chatRoomIds: [chatRoomId], limit: 9 })).messages.length
}

/** Rows of the vault with these words. */
async function rowsWith(person: TestPerson, words: string): Promise<number> {
  const { vault } = await at(person.computer, () => openLive(person.userId, person.unlock))
  const rows = await Promise.all(STORES.map((store) => vault.all(store)))
  vault.close()
  return rows.flat().filter((row) => JSON.stringify(row).includes(words)).length
}

async function hideOf(person: TestPerson, text: string): Promise<Hide> {
  const message = (await page(person)).find(({ body }) => wordsOf(body) === text) ?? expect.fail(`${text} is not there`)
  const { senderId, id, seq } = message
  return { type: 'hide', room: chatRoomId, target: { senderId, id }, at: seq }
}

const hides = (person: TestPerson, ...hidden: Hide[]) =>
  person.core.hideMessages({ hides: hidden, sentAt: new Date().toISOString() })

test('what Alice deletes for herself leaves her browser at once, the other one with her notes, and a later one never shows it; Bob keeps it', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  await bob.says(alice, 'after')
  await alice.reads(bob)
  await laptop.reads(bob)
  expect(await texts(laptop)).toContain('goes')
  const hide = await hideOf(alice, 'goes')
  expect(await hides(alice, hide)).toEqual([chatRoomId])
  expect(await texts(alice)).toEqual(['stays', 'after'])
  await alice.sends(notesOf(alice))

  await readsNotes(laptop)
  expect(await laptop.core.hidingRooms()).toEqual([chatRoomId])
  expect(await laptop.core.dropHidden()).toEqual([chatRoomId])
  expect(await texts(laptop)).toEqual(['stays', 'after'])
  expect(await laptop.core.hidingRooms()).toEqual([])

  const phone = await alice.newComputer()
  await readsNotes(phone)
  await gatherMarks(phone.env, notesOf(phone))
  expect(await phone.core.dropHidden()).toEqual([])
  await phone.reads(bob)
  expect(await texts(phone)).toEqual(['stays', 'after'])
  const tablet = await alice.newComputer()
  await tablet.reads(bob)
  expect(await texts(tablet)).toEqual(['stays', 'goes', 'after'])
  await readsNotes(tablet)
  await gatherMarks(tablet.env, notesOf(tablet))
  expect(await tablet.core.dropHidden()).toEqual([chatRoomId])
  expect(await texts(tablet)).toEqual(['stays', 'after'])
  expect(await texts(bob)).toEqual(['stays', 'goes', 'after'])
})

test('a note that is too old to leave the server leaves the browsers of its writer all the same', async () => {
  const notes = notesOf(alice)
  const laptop = await alice.newComputer()
  await says(alice, notes, { type: 'text', text: 'a note that goes' })
  await readsNotes(alice)
  await readsNotes(laptop)
  const inNotes = async (person: TestPerson) =>
    (await person.core.page({ chatRoomId: notes.id, limit: 50 })).messages.map(({ body }) => wordsOf(body)).filter(Boolean)
  expect(await inNotes(laptop)).toContain('a note that goes')
  const { senderId, id, seq } =
    (await alice.core.page({ chatRoomId: notes.id, limit: 50 })).messages.find(({ body }) => wordsOf(body)) ?? expect.fail()
  await hides(alice, { type: 'hide', room: notes.id, target: { senderId, id }, at: seq })
  await alice.sends(notes)
  await readsNotes(laptop)
  await laptop.core.dropHidden()
  expect([await inNotes(alice), await inNotes(laptop)]).toEqual([[], []])
  expect(await rowsWith(laptop, 'a note that goes')).toBe(0)
})

test('an edit or a reaction that comes later brings nothing back, and the log goes on', async () => {
  const hide = await hideOf(alice, 'goes')
  const { target } = hide
  await hides(alice, hide)
  await says(bob, bob.room(alice), { type: 'edit', target, n: 1, text: 'goes on' })
  await says(bob, bob.room(alice), { type: 'reaction', target, emojis: ['👍'] })
  await alice.reads(bob)
  expect(await texts(alice)).toEqual(['stays'])
  expect(await texts(bob)).toEqual(['stays', 'goes on'])
  await bob.says(alice, 'more')
  expect((await alice.hears(bob)).at(-1)).toBe('more')
})

test('a place that has another message by now stays', async () => {
  const hide = await hideOf(alice, 'goes')
  expect(await hides(alice, { ...hide, target: { ...hide.target, id: randomUUID() } })).toEqual([])
  expect(await texts(alice)).toEqual(['stays', 'goes'])
  expect(await alice.core.hidingRooms()).toEqual([])
})

test("Eve's word in the chat hides nothing: only the account's own notes count", async () => {
  const hide = await hideOf(alice, 'stays')
  const patched = await patchedClient(bob, alice)
  const sent = await patched.seals({ content: hide })
  await patched.posts(sent.id, sent.content)
  await alice.reads(bob)
  expect(await alice.core.hidingRooms()).toEqual([])
  expect(await texts(alice)).toEqual(['stays', 'goes'])
})

test('no word of it is left in the vault or the index', async () => {
  expect(await found(alice, 'goes')).toBe(1)
  expect(await rowsWith(alice, 'goes')).toBeGreaterThan(0)
  await hides(alice, await hideOf(alice, 'goes'))
  expect(await found(alice, 'goes')).toBe(0)
  expect(await rowsWith(alice, 'goes')).toBe(0)
  expect(await found(alice, 'stays')).toBe(1)
})

test('a browser that is added later keeps no word of it, nor of its edits, in whatever order they come', async () => {
  const hide = await hideOf(alice, 'goes')
  const { target } = hide
  await says(bob, bob.room(alice), { type: 'edit', target, n: 1, text: 'goes elsewhere' })
  await alice.reads(bob)
  await hides(alice, hide)
  await alice.sends(notesOf(alice))
  const phone = await alice.newComputer()
  await readsNotes(phone)
  await gatherMarks(phone.env, notesOf(phone))
  await phone.reads(bob)
  await says(bob, bob.room(alice), { type: 'edit', target, n: 2, text: 'goes nowhere' })
  await phone.reads(bob)
  expect(await texts(phone)).toEqual(['stays'])
  expect(await rowsWith(phone, 'goes')).toBe(0)
  expect(await phone.core.roomRecord(chatRoomId)).not.toMatchObject({ hasWaitingActs: true })
  await bob.says(alice, 'more')
  await phone.reads(bob)
  expect(await texts(phone)).toEqual(['stays', 'more'])
})

test('where the notes have no room for all of them, none is deleted and none is told', async () => {
  const hide = await hideOf(alice, 'goes')
  const many = Array.from({ length: QUEUE.room }, (_, index) => ({
    ...hide,
    target: { ...hide.target, id: randomUUID() },
    at: index + 90,
  }))
  await expect(hides(alice, hide, ...many)).rejects.toMatchObject({ code: 'queue_full' })
  expect(await texts(alice)).toEqual(['stays', 'goes'])
  expect(await alice.core.outbox(notesRoomId(alice.userId))).toEqual([])
})

test('the names that a build of before kept as a list still hold, beside new ones', async () => {
  const hide = await hideOf(alice, 'goes')
  const live = await at(alice.computer, () => openLive(alice.userId, alice.unlock))
  const old = [`${hide.target.senderId} ${hide.target.id}`]
  await live.vault.write([{ store: 'sealed', key: hiddenKey(chatRoomId), value: { json: old } }])
  await hides(alice, await hideOf(alice, 'stays'))
  const names = await live.vault.get('sealed', hiddenKey(chatRoomId))
  live.vault.close()
  expect(Object.keys((names as { json: object }).json)).toHaveLength(2)
  await bob.says(alice, 'more')
  expect(await alice.hears(bob)).toEqual(['goes', 'more'])
})

test('of too many the newest are known, whichever way the notes are read', async () => {
  const vault = { get: async () => row } as unknown as Vault
  const hide = await hideOf(alice, 'goes')
  const at = (seq: number) => ({ ...hide, target: { ...hide.target, id: `of ${seq}` }, seq })
  let row: VaultValue | undefined
  const takes = async (...seqs: number[]) => {
    row = (await hideWrites(vault, seqs.map(at)))[0]?.value ?? undefined
  }
  const isKnown = (seq: number) =>
    row !== undefined &&
    withoutHidden(row, [{ ...hide.target, id: `of ${seq}`, body: { kind: 'deleted' } } as StoredMessage]).gone.length > 0
  const page = (from: number) => Array.from({ length: 1000 }, (_, index) => from + index)
  await takes(...page(2001))
  await takes(...page(1001))
  await takes(...page(1))
  expect([1, 1000, 1001, 3000].map(isKnown)).toEqual([false, false, true, true])
})
