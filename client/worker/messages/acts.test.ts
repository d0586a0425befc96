import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Act } from '../../../contract/chat/content.ts'
import { readyRoom } from '../../rooms/log/readyRoom.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../account/openAccount.ts'
import type { StoredMessage } from '../crypto.ts'
import { messageAt } from '../vault/storedMessage.ts'
import { STORES } from '../vault/vaultRows.ts'
import { takeActs } from './acts.ts'
import { waitingActsIn } from './waitingActs.ts'

let alice: TestPerson
let bob: TestPerson
let chatRoomId: string
let wire: Wire

beforeEach(async () => {
  const scene = await people()
  ;({ alice, bob, wire, roomId: chatRoomId } = scene)
  await alice.says(bob, 'first words')
  await alice.says(bob, 'other words')
  await bob.reads(alice)
})

const pageOf = async (person: TestPerson) => (await person.core.page({ chatRoomId, limit: 50 })).messages

async function named(person: TestPerson, text: string): Promise<StoredMessage> {
  const found = (await pageOf(person)).find(
    ({ body }) => body.kind === 'content' && body.content.type === 'text' && body.content.text === text,
  )
  if (!found) throw new Error(`${text} is not there`)
  return found
}

const targetOf = ({ senderId, id }: StoredMessage) => ({ senderId, id })

async function acts(me: TestPerson, other: TestPerson, act: Act): Promise<void> {
  await me.core.keepInOutbox({ id: randomUUID(), chatRoomId, content: act, replyToId: null, sentAt: new Date().toISOString() })
  await me.sends(me.room(other))
}

const shown = async (person: TestPerson) =>
  (await pageOf(person)).map(({ body, acts: { reactions = {} } = {} }) => ({
    words: body.kind === 'content' && body.content.type === 'text' ? body.content.text : body.kind,
    reactions: Object.values(reactions).flatMap(({ emojis }) => emojis),
  }))

/** Everything that the vault keeps. */
async function allRows({ userId, unlock, computer }: TestPerson): Promise<unknown[]> {
  const { vault } = await at(computer, () => openLive(userId, unlock))
  const rows = await Promise.all(STORES.map((store) => vault.all(store)))
  vault.close()
  return rows
}

const search = async (person: TestPerson, query: string) =>
  (await person.core.search({ query, chatRoomIds: [chatRoomId], limit: 9 })).messages.map(({ text }) => text)

test('An edit and a reaction change the message on both sides, after a reload, and in the search', async () => {
  const target = targetOf(await named(alice, 'first words'))
  expect(await search(bob, 'first')).toHaveLength(1)
  await acts(alice, bob, { type: 'edit', target, n: 1, text: 'better words' })
  await bob.reads(alice)
  await acts(bob, alice, { type: 'reaction', target, emojis: ['👍'] })
  await alice.reads(bob)
  const both = [
    { words: 'better words', reactions: ['👍'] },
    { words: 'other words', reactions: [] },
  ]
  for (const person of [alice, bob, await bob.newTab()]) expect(await shown(person)).toEqual(both)
  expect(await search(bob, 'first')).toEqual([])
  expect(await search(bob, 'better')).toHaveLength(1)
})

test('A deleted message and its edits leave no word in the vault, and no later act brings one back', async () => {
  const message = await named(alice, 'first words')
  const target = targetOf(message)
  await acts(alice, bob, { type: 'edit', target, n: 1, text: 'better words' })
  await bob.reads(alice)
  expect(await search(bob, 'better')).toHaveLength(1)
  await acts(alice, bob, { type: 'delete', target, places: [message.seq, message.seq + 2] })
  await acts(alice, bob, { type: 'edit', target, n: 2, text: 'words that come too late' })
  await acts(bob, alice, { type: 'reaction', target, emojis: ['👍'] })
  for (const [person, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    await person.reads(other)
    expect(await shown(person)).toEqual([
      { words: 'deleted', reactions: [] },
      { words: 'other words', reactions: [] },
    ])
    expect(JSON.stringify(await allRows(person))).not.toMatch(/first words|better words|come too late/)
  }
})

test('What was begun at a message goes with it: an edit of its author, and a reply', async () => {
  const message = await named(alice, 'first words')
  const other = targetOf(await named(alice, 'other words'))
  const target = targetOf(message)
  const edit = { n: 1, text: 'first words, changed', before: 'first words', isCaption: false, isOpen: false }
  const [quote, otherQuote] = [target, other].map((name) => ({ ...name, words: 'first words' }))
  await alice.core.keepEdit({ chatRoomId, edit: { ...edit, target } })
  await alice.core.keepReply({ chatRoomId, quote: otherQuote ?? null })
  await bob.core.keepEdit({ chatRoomId, edit: { ...edit, target: other } })
  await bob.core.keepReply({ chatRoomId, quote: quote ?? null })
  await acts(alice, bob, { type: 'delete', target, places: [message.seq] })
  await bob.reads(alice)
  expect([await alice.core.readEdit(chatRoomId), await bob.core.readReply(chatRoomId)]).toEqual([null, null])
  expect(await alice.core.readReply(chatRoomId)).toEqual(otherQuote)
  expect(await bob.core.readEdit(chatRoomId)).toMatchObject({ target: other })
})

test('Somebody else’s edit and deletion change nothing', async () => {
  const message = await named(alice, 'first words')
  const [target, { seq }] = [targetOf(message), message]
  await acts(bob, alice, { type: 'edit', target, n: 1, text: 'by Bob' })
  await acts(bob, alice, { type: 'delete', target, places: [seq] })
  await alice.reads(bob)
  for (const person of [alice, bob])
    expect((await shown(person)).map(({ words }) => words)).toEqual(['first words', 'other words'])
})

test('A new browser reads the same from the archive', async () => {
  const target = targetOf(await named(alice, 'first words'))
  await acts(alice, bob, { type: 'edit', target, n: 1, text: 'better words' })
  await acts(bob, alice, { type: 'reaction', target, emojis: ['🎉'] })
  const second = await bob.newComputer()
  await second.reads(alice)
  await second.older(alice)
  expect(await shown(second)).toEqual([
    { words: 'better words', reactions: ['🎉'] },
    { words: 'other words', reactions: [] },
  ])
})

test('A browser that comes later is told of a deletion, sees no place of its edits, and reads no word of them', async () => {
  const message = await named(alice, 'first words')
  const target = targetOf(message)
  await acts(alice, bob, { type: 'edit', target, n: 1, text: 'better words' })
  const edit = message.seq + 2
  await acts(alice, bob, { type: 'delete', target, places: [message.seq, edit] })
  expect(wire.rooms.get(chatRoomId)?.emptied).toEqual(new Set([message.seq, edit]))
  const offline = bob
  const second = await bob.newComputer()
  await second.reads(alice)
  await second.older(alice)
  await offline.reads(alice)
  for (const person of [second, offline]) {
    expect(await shown(person)).toEqual([
      { words: 'deleted', reactions: [] },
      { words: 'other words', reactions: [] },
    ])
    expect(JSON.stringify(await allRows(person))).not.toMatch(/first words|better words/)
  }
  const waiting = async ({ computer, userId, unlock }: TestPerson) => {
    const { vault } = await at(computer, () => openLive(userId, unlock))
    const keys = await vault.keys('sealed', waitingActsIn(chatRoomId))
    vault.close()
    return keys
  }
  expect(await waiting(second)).toEqual([])
})

test('A place that the server empties, and that no deletion of its author names, is told as missing', async () => {
  const [first, other] = [await named(alice, 'first words'), await named(alice, 'other words')]
  await acts(alice, bob, { type: 'delete', target: targetOf(first), places: [first.seq] })
  wire.rooms.get(chatRoomId)?.emptied?.add(other.seq)
  // Bob names places of Alice.
  await bob.reads(alice)
  await acts(bob, alice, { type: 'delete', target: targetOf(other), places: [other.seq, other.seq] })
  const second = await bob.newComputer()
  await second.reads(alice)
  await second.older(alice)
  expect((await shown(second)).map(({ words }) => words)).toEqual(['deleted', 'withheld'])
})

test('An act whose key comes late changes its message, and views that were read before it came are read anew', async () => {
  const target = targetOf(await named(alice, 'first words'))
  const second = await bob.newComputer()
  await second.reads(alice)
  const page = async () => second.core.page({ chatRoomId, limit: 50 })
  const { waitsFor } = await page()
  await readyRoom(alice.env, alice.room(bob), { mustCommit: true })
  await acts(alice, bob, { type: 'edit', target, n: 1, text: 'better words' })
  const room = wire.rooms.get(chatRoomId)
  const keys = room?.archiveKeys.splice(0) ?? []
  const newest = Math.max(...keys.map(({ epoch }) => epoch))
  room?.archiveKeys.push(...keys.filter(({ epoch }) => epoch < newest))
  await second.reads(alice)
  expect((await shown(second)).map(({ words }) => words)).toEqual(['first words', 'other words', 'sealed'])
  await second.core.keepArchiveKeys(keys.filter(({ userId, epoch }) => userId === bob.userId && epoch === newest))
  await second.core.reopenWaiting({ chatRoomId, peerIds: [alice.userId] })
  expect((await shown(second)).map(({ words }) => words)).toEqual(['better words', 'other words'])
  expect((await page()).waitsFor).not.toBe(waitsFor)
})

test('The words of a message leave the search although the key of its deletion comes late', async () => {
  await alice.says(bob, 'unrepeatable')
  const message = await named(alice, 'unrepeatable')
  const second = await bob.newComputer()
  await second.reads(alice)
  expect(await search(second, 'unrepeatable')).toHaveLength(1)
  await readyRoom(alice.env, alice.room(bob), { mustCommit: true })
  await acts(alice, bob, { type: 'delete', target: targetOf(message), places: [message.seq] })
  const keys = wire.rooms.get(chatRoomId)?.archiveKeys.splice(0) ?? []
  await second.reads(alice)
  expect(JSON.stringify(await allRows(second))).toMatch(/unrepeatable/)
  await second.core.keepArchiveKeys(keys.filter(({ userId }) => userId === bob.userId))
  await second.core.reopenWaiting({ chatRoomId, peerIds: [alice.userId] })
  expect(JSON.stringify(await allRows(second))).not.toMatch(/unrepeatable/)
})

test('An edit that waits for the index is not lost where the next one comes before it is read', async () => {
  const [first, other] = [targetOf(await named(alice, 'first words')), targetOf(await named(alice, 'other words'))]
  expect(await search(bob, 'words')).toHaveLength(2)
  await acts(alice, bob, { type: 'edit', target: first, n: 1, text: 'apples' })
  await acts(alice, bob, { type: 'edit', target: other, n: 1, text: 'pears' })
  await bob.reads(alice)
  await acts(alice, bob, { type: 'edit', target: first, n: 2, text: 'plums' })
  await bob.reads(alice)
  expect(await search(bob, 'words')).toEqual([])
  expect(await search(bob, 'pears')).toHaveLength(1)
})

test('Nobody’s deletion makes more than a thousand places wait, and none behind itself', async () => {
  const live = await at(alice.computer, () => openLive(alice.userId, alice.unlock))
  const { vault } = live
  const message = await named(alice, 'first words')
  const target = { senderId: alice.userId, id: randomUUID() }
  const deletion = (seq: number): StoredMessage => ({
    ...{ ...message, id: randomUUID(), seq },
    body: { kind: 'act', act: { type: 'delete', target, places: Array.from({ length: 51 }, (_, at) => seq - 51 + at) } },
  })
  const take = async (entries: StoredMessage[]) =>
    vault.write((await takeActs(live, { chatRoomId, hasWaitingActs: true }, entries)).writes)
  await take(Array.from({ length: 30 }, (_, at) => deletion(10_000 + 100 * at)))
  await take([{ ...deletion(20_000), body: { kind: 'act', act: { type: 'delete', target, places: [20_001] } } }])
  const keys = (await vault.keys('sealed', waitingActsIn(chatRoomId))).filter((key) => key.endsWith('@'))
  expect(keys).toHaveLength(1)
  const places = (await vault.get('sealed', keys[0] ?? ''))?.json as [number, number][]
  expect(places).toHaveLength(1000)
  expect(places.at(-1)).toEqual([12_899, 12_900])
  vault.close()
})

test.each([
  ['edit', 24, 'A message can be edited within 24 hours'],
  ['delete', 48, 'A message can be deleted within 48 hours'],
] as const)('An %s that is sealed too late is not sent, and says so', async (type, hours, words) => {
  const message = await named(alice, 'first words')
  const target = targetOf(message)
  const act: Act = type === 'edit' ? { type, target, n: 1, text: 'too late' } : { type, target, places: [message.seq] }
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse(message.at) + hours * 60 * 60_000 + 60_000)
  await expect(acts(alice, bob, act)).rejects.toThrow(words)
  vi.restoreAllMocks()
  const [row] = await alice.core.outbox(chatRoomId)
  expect(row).toMatchObject({ content: act, envelope: null, failure: words })
})

test('What names a message that is not here yet waits for it, a hundred at most', async () => {
  const live = await at(alice.computer, () => openLive(alice.userId, alice.unlock))
  const { vault } = live
  const message = await named(alice, 'first words')
  const target = { senderId: alice.userId, id: randomUUID() }
  const act = (seq: number, text: string): StoredMessage => ({
    ...{ ...message, id: randomUUID(), seq },
    body: { kind: 'act', act: { type: 'edit', target, n: seq, text } },
  })
  const take = async (entries: StoredMessage[]) =>
    vault.write((await takeActs(live, { chatRoomId, hasWaitingActs: true }, entries)).writes)
  await take([act(1001, 'second words')])
  await take(Array.from({ length: 120 }, (_, at) => act(1002 + at, `words ${at}`)))
  const keys = () => vault.keys('sealed', waitingActsIn(chatRoomId))
  const [key = ''] = await keys()
  expect((await vault.get('sealed', key))?.json).toHaveLength(100)
  await take([{ ...message, id: target.id, seq: 1000 }])
  const now = await messageAt(vault, chatRoomId, 1000)
  expect(now?.acts?.edit).toEqual({ n: 1121, seq: 1121, text: 'words 119' })
  expect(await keys()).toEqual([])
  vault.close()
})
