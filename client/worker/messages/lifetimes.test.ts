import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Act, Content } from '../../../contract/chat/content.ts'
import { type Draft, messagesApi } from '../../../contract/chat/messages.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../account/openAccount.ts'
import type { StoredMessage } from '../crypto.ts'
import { STORES } from '../vault/vaultRows.ts'

const HOUR = 3600
const MS = 1000

let alice: TestPerson
let bob: TestPerson
let chatRoomId: string
let nowMs: number
let wire: Wire

beforeEach(async () => {
  ;({ alice, bob, wire, roomId: chatRoomId } = await people())
  nowMs = Date.now()
  await alice.says(bob, 'stays')
  await says(alice, bob, { type: 'timer', seconds: HOUR })
})
afterEach(() => vi.restoreAllMocks())

const passes = (seconds: number) => {
  nowMs += seconds * MS
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
}

async function says(me: TestPerson, other: TestPerson, content: Content | Act): Promise<void> {
  await me.core.keepInOutbox({ id: randomUUID(), chatRoomId, content, replyToId: null, sentAt: new Date().toISOString() })
  await me.sends(me.room(other))
}

const page = (person: TestPerson) => person.core.page({ chatRoomId, limit: 50 })

const shown = async (person: TestPerson) =>
  (await page(person)).messages.map(({ body }) =>
    body.kind === 'content' && 'text' in body.content ? body.content.text : body.kind,
  )

async function newest(person: TestPerson): Promise<StoredMessage> {
  const message = (await page(person)).messages.at(-1)
  if (!message) throw new Error('Nothing is there')
  return message
}

const readsAll = async (person: TestPerson) => person.core.startLifetimes({ chatRoomId, readSeq: (await newest(person)).seq })

/** The rows of the vault that have these words. */
async function rowsWith(words: RegExp, { userId, unlock, computer }: TestPerson): Promise<string[]> {
  const { vault } = await at(computer, () => openLive(userId, unlock))
  const rows = await Promise.all(STORES.map((store) => vault.all(store)))
  vault.close()
  return rows.flat().flatMap((row) => (words.test(JSON.stringify(row)) ? [JSON.stringify(row).slice(0, 200)] : []))
}

const TIMED = ['stays', 'content']

test('A message of a chat with a timer goes from both sides, with its edit, its quote and what the search knows', async () => {
  const posted: Draft[] = []
  const { api } = alice.env
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path === messagesApi.send.path && endpoint.method === 'POST') posted.push(input as Draft)
    return api(endpoint, input)
  }) as typeof api
  await alice.says(bob, 'first words')
  const { senderId, id } = await newest(alice)
  await says(alice, bob, { type: 'edit', target: { senderId, id }, n: 1, text: 'better words' })
  expect(posted.map(({ lifetime }) => lifetime)).toEqual([HOUR, HOUR])
  await bob.reads(alice)
  await bob.core.keepReply({ chatRoomId, quote: { senderId, id, words: 'better words' } })
  await bob.core.indexRooms({ chatRoomIds: [chatRoomId] })
  expect(await newest(bob)).toMatchObject({ lifetime: HOUR })
  expect(await newest(bob)).not.toHaveProperty('endsMs')
  passes(60)
  expect(await readsAll(bob)).toBe(true)
  expect(await readsAll(bob)).toBe(false)
  expect(await newest(bob)).toMatchObject({ endsMs: nowMs + HOUR * MS })
  for (const [person, left] of [
    [alice, HOUR - 60],
    [bob, 57],
  ] as const) {
    passes(left - 2)
    await person.core.endDue()
    expect(await shown(person)).toEqual([...TIMED, 'better words'])
    passes(4)
    expect(await person.core.endDue()).toEqual({ chatRoomIds: [chatRoomId], nextMs: undefined })
    expect(await shown(person)).toEqual(TIMED)
    expect(await rowsWith(/first words|better words/, person)).toEqual([])
    expect(await person.core.search({ query: 'words', chatRoomIds: [chatRoomId], limit: 9 })).toMatchObject({ messages: [] })
    expect((await person.core.quoted({ chatRoomId, senderId, id })).said).toBe(undefined)
  }
  // What names it comes to nothing, and waits for nothing.
  await says(bob, alice, { type: 'reaction', target: { senderId, id }, emojis: ['👍'] })
  await alice.reads(bob)
  expect(await shown(alice)).toEqual(TIMED)
  expect((await alice.core.roomRecord(chatRoomId))?.hasWaitingActs ?? false).toBe(false)
})

test('A browser that was off shows nothing of what has ended meanwhile', async () => {
  await alice.says(bob, 'secret')
  await bob.reads(alice)
  await readsAll(bob)
  await bob.core.close()
  passes(HOUR + 1)
  const tab = await bob.newTab()
  expect(await shown(tab)).toEqual(TIMED)
  expect(await rowsWith(/secret"/, tab)).toEqual([])
})

test('What nobody reads here ends 30 days and its lifetime after it came', async () => {
  await alice.says(bob, 'unread')
  await bob.reads(alice)
  passes(30 * 24 * HOUR)
  expect(await shown(bob)).toContain('unread')
  passes(HOUR + 60)
  expect(await shown(bob)).toEqual(TIMED)
})

test('A clock that is set back prolongs nothing', async () => {
  await alice.says(bob, 'secret')
  await bob.reads(alice)
  passes(50 * 60)
  await bob.core.endDue()
  const seenMs = nowMs
  passes(-6 * HOUR)
  await readsAll(bob)
  expect(await newest(bob)).toMatchObject({ endsMs: seenMs + HOUR * MS })
})

test('The newest timer holds for what is sealed after it, whoever set it; off leaves the rest as it was', async () => {
  expect((await page(alice)).timer).toBe(HOUR)
  await bob.reads(alice)
  expect((await page(bob)).timer).toBe(HOUR)
  await bob.says(alice, 'with an end')
  await says(bob, alice, { type: 'timer', seconds: 0 })
  await alice.reads(bob)
  expect((await page(alice)).timer).toBe(0)
  await alice.says(bob, 'without')
  expect((await page(alice)).messages.map(({ lifetime }) => lifetime)).toEqual([undefined, undefined, HOUR, undefined, undefined])
})

test('A lifetime counts as it is signed, whatever is posted beside it', async () => {
  const { seals, live } = await patchedClient(alice, bob)
  const { id, content } = await seals({ lifetime: 60 })
  live.vault.close()
  await alice.env.api(messagesApi.send, { id, chatRoomId, content, messageType: 'text', lifetime: 24 * HOUR })
  await bob.reads(alice)
  await readsAll(bob)
  expect(await newest(bob)).toMatchObject({ lifetime: 60 })
  passes(61)
  expect(await shown(bob)).toEqual(TIMED)
})

test('An edit of a message that has ended meanwhile is not sent', async () => {
  await alice.says(bob, 'secret')
  const { senderId, id } = await newest(alice)
  passes(HOUR + 60)
  expect(await shown(alice)).toEqual(TIMED)
  const edit: Act = { type: 'edit', target: { senderId, id }, n: 1, text: 'another secret' }
  await expect(says(alice, bob, edit)).rejects.toThrow('The message has disappeared')
})

test('An edit that waits to be sent goes with its message', async () => {
  await alice.says(bob, 'secret')
  const { senderId, id } = await newest(alice)
  const content: Act = { type: 'edit', target: { senderId, id }, n: 1, text: 'another secret' }
  await alice.core.keepInOutbox({ id: randomUUID(), chatRoomId, content, replyToId: null, sentAt: new Date().toISOString() })
  passes(HOUR + 60)
  expect(await shown(alice)).toEqual(TIMED)
  expect(await alice.core.outbox(chatRoomId)).toEqual([])
  expect(await rowsWith(/another secret/, alice)).toEqual([])
})

test('An edit that comes after its message has ended leaves no word', async () => {
  await alice.says(bob, 'secret')
  const { senderId, id } = await newest(alice)
  await bob.reads(alice)
  await readsAll(bob)
  await says(alice, bob, { type: 'edit', target: { senderId, id }, n: 1, text: 'another secret' })
  passes(HOUR + 60)
  expect(await shown(bob)).toEqual(TIMED)
  await bob.reads(alice)
  expect(await rowsWith(/another secret/, bob)).toEqual([])
})

test('A server’s time that is far from the clock ends nothing', async () => {
  await alice.says(bob, 'stays for an hour')
  await bob.reads(alice)
  await readsAll(bob)
  await alice.says(bob, 'from next century')
  const entry = wire.rooms.get(chatRoomId)?.log.at(-1)
  if (entry) entry.createdAt = '2100-01-01T00:00:00.000Z'
  await bob.reads(alice)
  expect(await shown(bob)).toContain('stays for an hour')
})

test('One message with a lifetime sets no timer in a chat that is whole here and has others', async () => {
  const { alice: carol, bob: dan, roomId } = await people()
  await carol.says(dan, 'without')
  await dan.reads(carol)
  const { seals, live } = await patchedClient(carol, dan)
  const { id, content } = await seals({ lifetime: 60 })
  live.vault.close()
  await carol.env.api(messagesApi.send, { id, chatRoomId: roomId, content, messageType: 'text', lifetime: 60 })
  await dan.reads(carol)
  expect((await dan.core.page({ chatRoomId: roomId, limit: 9 })).timer ?? 0).toBe(0)
})

test('A chat whose first message has no lifetime takes none from one that came with it', async () => {
  const { alice: carol, bob: dan, roomId } = await people()
  await carol.says(dan, 'without')
  const { seals, live } = await patchedClient(carol, dan)
  const { id, content } = await seals({ lifetime: 60 })
  live.vault.close()
  await carol.env.api(messagesApi.send, { id, chatRoomId: roomId, content, messageType: 'text', lifetime: 60 })
  await dan.reads(carol)
  expect((await dan.core.page({ chatRoomId: roomId, limit: 9 })).timer ?? 0).toBe(0)
})

test('A new browser takes the timer from a message that has one, until it has read who set it', async () => {
  await alice.says(bob, 'with an end')
  const later = await alice.newComputer()
  await later.reads(bob)
  expect((await page(later)).timer).toBe(HOUR)
})
