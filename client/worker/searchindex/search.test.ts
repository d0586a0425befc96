import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { sendsFile } from '../../testing/files.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { turns } from '../../testing/turns.ts'
import { answerOf } from '../vault/database.ts'
import { recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Vault } from '../vault/vault.ts'
import type { Found } from './search.ts'
import { readIntoIndex } from './searchindex.ts'

/** Sends plain text messages as a program does, which is fast. */
async function writes(from: TestPerson, to: TestPerson, texts: string[]): Promise<void> {
  const { chatRoomId } = from.contact(to)
  for (const content of texts)
    await from.env.api(messagesApi.send, { id: randomUUID(), chatRoomId, content, messageType: 'text' })
}

async function looksFor(person: TestPerson, query: string, chatRoomIds: string[], limit = 50): Promise<Found> {
  while (!(await person.core.indexRooms({ chatRoomIds })));
  return person.core.search({ query, chatRoomIds, limit })
}

const textsOf = ({ messages }: Found) => messages.map(({ text }) => text)

/** Alice, with these messages from Bob. */
async function withWords(texts: string[]) {
  const at = await people()
  await at.bob.says(at.alice, 'The first one')
  await at.alice.reads(at.bob)
  await writes(at.bob, at.alice, texts)
  await at.alice.reads(at.bob)
  return { ...at, finds: async (query: string) => textsOf(await looksFor(at.alice, query, [at.roomId])) }
}

test('Alice finds what Bob wrote, and what she wrote, by any part of its words, in any order', async () => {
  const { alice, bob, finds } = await withWords(['Meet me at the station', 'The stationery shop', 'understated'])
  await alice.says(bob, 'At the station, then')
  expect(await finds('station')).toEqual(['At the station, then', 'The stationery shop', 'Meet me at the station'])
  expect(await finds('stationer')).toEqual(['The stationery shop'])
  expect(await finds('stat ME')).toEqual(['Meet me at the station'])
  expect(await finds('me stat')).toEqual(['Meet me at the station'])
  expect(await finds('first')).toEqual(['The first one'])
  expect(await finds('tation')).toEqual(['At the station, then', 'The stationery shop', 'Meet me at the station'])
  expect(await finds('derst')).toEqual(['understated'])
  expect(await finds('m stat')).toEqual(['Meet me at the station'])
  expect(await finds('e-me')).toEqual([])
  expect(await finds('nowhere')).toEqual([])
  expect(await finds(' ?! ')).toEqual([])
})

test('A file is found by any part of its name and of its caption, and not by the word that its row shows', async () => {
  const { alice, bob, roomId } = await withWords(['a word of text'])
  await sendsFile(alice, bob, { name: 'Quarterly-Report_2026.pdf', caption: 'figures for Zürich' })
  await sendsFile(alice, bob, { name: 'IMG_0042.jpg', as: 'image', mediaType: 'image/jpeg', caption: 'our boat' })
  await alice.reads(bob)
  const finds = async (query: string) => textsOf(await looksFor(alice, query, [roomId]))
  const report = ['Quarterly-Report_2026.pdf figures for Zürich']
  expect(await finds('arter')).toEqual(report)
  expect(await finds('report 2026')).toEqual(report)
  expect(await finds('zurich figur')).toEqual(report)
  expect(await finds('0042')).toEqual(['IMG_0042.jpg our boat'])
  expect(await finds('oat')).toEqual(['IMG_0042.jpg our boat'])
  expect(await finds('photo')).toEqual([])
})

test('Accents, case and apostrophes do not count; scripts without spaces and emoji are found anywhere', async () => {
  const long = `${'a long letter '.repeat(1500)}with Zürich at its end`
  const { finds } = await withWords(['Café Straße', "I don't know", '我们在北京见面', 'Yes 👍🏽', long])
  expect(await finds('CAFE')).toEqual(['Café Straße'])
  expect(await finds('strasse')).toEqual(['Café Straße'])
  expect(await finds('dont')).toEqual(["I don't know"])
  expect(await finds('don’t')).toEqual(["I don't know"])
  expect(await finds('北京')).toEqual(['我们在北京见面'])
  expect(await finds('👍')).toEqual(['Yes 👍🏽'])
  expect(await finds('zurich')).toEqual([expect.stringMatching(/^….*Zürich at its end$/)])
})

test('Results say where they stand: room, place, id, sender, time, and which words no device has sealed', async () => {
  const { alice, bob, roomId } = await withWords(['find me'])
  const [stored] = (await alice.reads(bob)).slice(-1)
  const { messages } = await looksFor(alice, 'find', [roomId])
  const { chatRoomId, seq, id, senderId, at } = stored ?? {}
  const marked = { marks: [[0, 4]], places: [[0, 4]] }
  expect(messages).toEqual([{ chatRoomId, seq, id, senderId, at, isEncrypted: false, text: 'find me', ...marked }])
  expect(senderId).toBe(bob.userId)
  await bob.says(alice, 'find me sealed')
  await alice.reads(bob)
  const both = await looksFor(alice, 'find', [roomId])
  expect(both.messages.map(({ isEncrypted }) => isEncrypted)).toEqual([true, false])
})

test('The newest results of all rooms come first, as many as were asked for, and no room that was not asked for', async () => {
  const { alice, bob, eve, roomId } = await withWords(['tea one', 'tea two'])
  const other = alice.contact(eve).chatRoomId
  for (const text of ['tea three', 'tea four']) {
    await writes(eve, alice, [text])
    const writtenAt = Date.now()
    await vi.waitUntil(() => Date.now() > writtenAt)
  }
  await alice.reads(eve)
  await writes(bob, alice, ['tea five'])
  await alice.reads(bob)
  expect(textsOf(await looksFor(alice, 'tea', [roomId, other]))).toEqual([
    'tea five',
    'tea four',
    'tea three',
    'tea two',
    'tea one',
  ])
  const few = await looksFor(alice, 'tea', [roomId, other], 2)
  expect([textsOf(few), few.hasMore]).toEqual([['tea five', 'tea four'], true])
  const all = await looksFor(alice, 'tea', [roomId], 3)
  expect([textsOf(all), all.hasMore]).toEqual([['tea five', 'tea two', 'tea one'], false])
})

test('A new message is found at once; older ones once their page is here', async () => {
  const { alice, bob, roomId } = await people()
  await bob.says(alice, 'apple 0')
  await writes(
    bob,
    alice,
    Array.from({ length: 320 }, (_, at) => `apple ${at + 1}`),
  )
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  const count = async () => textsOf(await looksFor(laptop, 'apple', [roomId], 400)).length
  expect(await count()).toBe(150)
  expect((await laptop.core.search({ query: 'x', chatRoomIds: [roomId], limit: 1 })).unloaded).toEqual([roomId])
  await writes(bob, alice, ['apple new'])
  await laptop.reads(bob)
  expect(textsOf(await laptop.core.search({ query: 'apple new', chatRoomIds: [roomId], limit: 1 }))).toEqual(['apple new'])
  await laptop.older(bob)
  expect(await count()).toBe(301)
  await laptop.older(bob)
  expect(await count()).toBe(322)
  expect((await laptop.core.search({ query: 'x', chatRoomIds: [roomId], limit: 1 })).unloaded).toEqual([])
})

test('A room of many thousand messages is read in steps; meanwhile a search says that it has not seen all', async () => {
  const { alice, bob, roomId } = await people()
  await writes(bob, alice, ['needle at the very beginning', ...Array.from({ length: 4200 }, (_, at) => `hay ${at}`)])
  await alice.reads(bob)
  while ((await alice.core.page({ chatRoomId: roomId, limit: 1 })).from > 1) await alice.older(bob)
  const early = await alice.core.search({ query: 'needle', chatRoomIds: [roomId], limit: 5 })
  expect([textsOf(early), early.isComplete]).toEqual([[], false])
  expect(textsOf(await alice.core.search({ query: 'hay 4199', chatRoomIds: [roomId], limit: 5 }))).toEqual(['hay 4199'])
  expect(textsOf(await looksFor(alice, 'needle', [roomId]))).toEqual(['needle at the very beginning'])
  expect((await looksFor(alice, 'hay', [roomId], 9999)).messages).toHaveLength(4200)
  const tab = await alice.newTab()
  expect(textsOf(await tab.core.search({ query: 'needle', chatRoomIds: [roomId], limit: 5 }))).toHaveLength(1)
})

test('A message whose key came later is found once it could be opened', async () => {
  const { alice, bob, wire, roomId } = await withWords([])
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  await bob.reads(alice)
  const peer = { chatRoomId: bob.contact(alice).chatRoomId, peerIds: [alice.userId] }
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom(peer))
  await bob.says(alice, 'a late surprise')
  await writes(bob, alice, ['a surprise behind it'])
  wire.lie = (caller, path, answer) => (caller === alice.userId && path === roomsApi.archiveKeys.path ? { keys: [] } : answer)
  expect((await laptop.hears(bob)).slice(-2)).toEqual(['sealed', 'a surprise behind it'])
  expect(textsOf(await looksFor(laptop, 'surprise', [roomId]))).toEqual(['a surprise behind it'])
  wire.lie = undefined
  laptop.env.clock = () => new Date(Date.now() + 6 * 60_000)
  await laptop.reads(bob)
  expect(textsOf(await looksFor(laptop, 'surprise', [roomId]))).toEqual(['a surprise behind it', 'a late surprise'])
  const tab = await laptop.newTab()
  expect(textsOf(await looksFor(tab, 'late', [roomId]))).toEqual(['a late surprise'])
})

test('Two tabs read into one index: each finds everything once, whoever read it', async () => {
  const { alice, bob, roomId } = await withWords(Array.from({ length: 30 }, (_, at) => `plum ${at}`))
  const tab = await alice.newTab()
  const [here, there] = await Promise.all([looksFor(alice, 'plum', [roomId]), looksFor(tab, 'plum', [roomId])])
  expect(textsOf(here)).toHaveLength(30)
  expect(textsOf(there)).toEqual(textsOf(here))
  await writes(bob, alice, ['plum here'])
  await alice.reads(bob)
  expect(textsOf(await looksFor(alice, 'plum', [roomId]))).toHaveLength(31)
  expect(textsOf(await looksFor(tab, 'plum', [roomId]))).toHaveLength(31)
  await writes(bob, alice, ['plum there'])
  await tab.reads(bob)
  await Promise.all([tab, alice, tab, alice].map((one) => one.core.indexRooms({ chatRoomIds: [roomId] })))
  expect(textsOf(await looksFor(tab, 'plum', [roomId])).slice(0, 2)).toEqual(['plum there', 'plum here'])
  expect(textsOf(await looksFor(alice, 'plum', [roomId]))).toHaveLength(32)
})

test('Two tabs never read into the index at the same time', async () => {
  const { alice, bob, roomId } = await withWords(Array.from({ length: 30 }, (_, at) => `plum ${at}`))
  const { live } = await patchedClient(alice, bob)
  const order: string[] = []
  const tabOf = (name: string): Vault => ({
    ...live.vault,
    named(beginning) {
      order.push(name)
      return live.vault.named(beginning)
    },
    async write(changes) {
      await turns(50)
      order.push(name)
      await live.vault.write(changes)
    },
  })
  await Promise.all(['one', 'other'].map((name) => readIntoIndex(tabOf(name), [roomId], 100)))
  expect(order.filter((name, at) => name !== order[at - 1])).toEqual(['one', 'other'])
})

/** Every key and value of the browser's databases, as a thief of the profile reads them. */
async function disk(): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const { name } of await indexedDB.databases()) {
    const database = await answerOf(indexedDB.open(name ?? ''))
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store)
      const [keys, values] = await Promise.all([answerOf(objects.getAllKeys()), answerOf<unknown[]>(objects.getAll())])
      parts.push(...[...keys, ...values].map(bytesOf))
    }
    database.close()
  }
  return Buffer.concat(parts)
}

function bytesOf(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (value !== null && typeof value === 'object') return Buffer.concat(Object.values(value).map(bytesOf))
  return Buffer.concat([Buffer.from(String(value)), Buffer.from(String(value), 'utf16le')])
}

const holds = async (word: string) => {
  const bytes = await disk()
  return bytes.includes(Buffer.from(word)) || bytes.includes(Buffer.from(word, 'utf16le'))
}

test('Eve reads the disk: no word of a message, of the index or of a search is on it', async () => {
  const { alice, roomId } = await withWords(['Rendezvous in Zürich at midnight'])
  expect(textsOf(await looksFor(alice, 'RENDEZVOUS zurich', [roomId]))).toHaveLength(1)
  await looksFor(alice, 'Whistleblower', [roomId])
  for (const word of ['Rendezvous', 'rendezvous', 'RENDEZVOUS', 'Zürich', 'zurich', 'midnight', 'Whistleblower', 'whistleblower'])
    expect(await holds(word), word).toBe(false)
  expect(await holds(`search:${roomId}:0`)).toBe(true)
})

test('A room that was entered anew is searched as far as it shows, and from then on further up', async () => {
  const { alice, bob, roomId, finds } = await withWords(['before the flood', 'after the flood'])
  expect(await finds('flood')).toEqual(['after the flood', 'before the flood'])
  const { live } = await patchedClient(alice, bob)
  const record = await roomRecord(live.vault, roomId)
  if (!record) throw new Error('The room is not known')
  await live.vault.write([recordWrite(roomId, { ...record, from: record.cursor })])
  expect(await finds('flood')).toEqual(['after the flood'])
  await alice.older(bob)
  expect(await finds('flood')).toEqual(['after the flood', 'before the flood'])
})

// This test comes last, because the browser's vault is gone afterwards.
test('The index goes with the vault', async () => {
  const { alice, roomId } = await withWords(['something to keep'])
  await looksFor(alice, 'keep', [roomId])
  await alice.core.destroy(alice.userId)
  expect(await holds(`search:${roomId}`)).toBe(false)
})
