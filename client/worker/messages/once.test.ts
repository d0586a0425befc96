import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Act, Content, OnceContent } from '../../../contract/chat/content.ts'
import { type Draft, messagesApi } from '../../../contract/chat/messages.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { ApiError } from '../../net/api.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../account/openAccount.ts'
import type { StoredMessage } from '../crypto.ts'
import { randomBytes } from '../primitives/seal.ts'
import { messageAt, messageWrites } from '../vault/storedMessage.ts'
import { STORES } from '../vault/vaultRows.ts'
import { takeActs } from './acts.ts'

const DAY_MS = 24 * 60 * 60_000

let alice: TestPerson
let bob: TestPerson
let chatRoomId: string
let wire: Wire

beforeEach(async () => {
  ;({ alice, bob, wire, roomId: chatRoomId } = await people())
  await alice.says(bob, 'stays')
})
afterEach(() => vi.restoreAllMocks())

const passes = (ms: number) => {
  const nowMs = Date.now() + ms
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
}

function picture(): OnceContent & { file: NonNullable<OnceContent['file']> } {
  const [key, hash] = [toBase64(randomBytes(32)), toBase64(randomBytes(32))]
  const file = {
    object: randomUUID(),
    storedBytes: 20_480,
    key,
    hash,
    mediaType: 'image/png',
    sizeBytes: 20_000,
    caption: 'the sea',
  }
  return { type: 'once', as: 'image', file }
}

async function says(me: TestPerson, other: TestPerson, content: Content | Act): Promise<void> {
  await me.core.keepInOutbox({ id: randomUUID(), chatRoomId, content, replyToId: null, sentAt: new Date().toISOString() })
  await me.sends(me.room(other))
}

const page = async (person: TestPerson) => (await person.core.page({ chatRoomId, limit: 50 })).messages

async function newest(person: TestPerson): Promise<StoredMessage> {
  const message = (await page(person)).at(-1)
  if (!message) throw new Error('Nothing is there')
  return message
}

/** Says for whom it can still be opened, and who has opened it. */
async function stateOf(person: TestPerson) {
  const { body, acts } = await newest(person)
  if (body.kind !== 'content' || body.content.type !== 'once') return body.kind
  return { isClosed: body.content.file !== undefined, openedBy: Object.keys(acts?.opened ?? {}) }
}

async function sends(content: OnceContent = picture()): Promise<OnceContent> {
  await says(alice, bob, content)
  await bob.reads(alice)
  return content
}

async function opening(person: TestPerson): Promise<Act> {
  const { senderId, id, seq } = await newest(person)
  return { type: 'opened', target: { senderId, id }, place: seq, as: 'image' }
}

/** The rows of the vault that have these words. */
async function rowsWith(words: string, { userId, unlock, computer }: TestPerson): Promise<string[]> {
  const { vault } = await at(computer, () => openLive(userId, unlock))
  const rows = await Promise.all(STORES.map((store) => vault.all(store)))
  vault.close()
  return rows.flat().flatMap((row) => (JSON.stringify(row).includes(words) ? [JSON.stringify(row).slice(0, 200)] : []))
}

const OPENED = () => ({ isClosed: false, openedBy: [bob.userId] })

test('The author’s browsers keep no key of what opens once, and the reader’s none once it was opened', async () => {
  const posted: Draft[] = []
  const { api } = alice.env
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path === messagesApi.send.path && endpoint.method === 'POST') posted.push(input as Draft)
    return api(endpoint, input)
  }) as typeof api
  const { file } = await sends()
  expect(posted).toMatchObject([{ messageType: 'image', isOnce: true, fileName: file?.object }])
  expect(posted[0]).not.toHaveProperty('isSilent')
  expect(await stateOf(alice)).toEqual({ isClosed: false, openedBy: [] })
  expect(await stateOf(bob)).toEqual({ isClosed: true, openedBy: [] })
  expect(await rowsWith(file?.key ?? '', bob)).toHaveLength(1)

  await says(bob, alice, await opening(bob))
  await alice.reads(bob)
  for (const person of [alice, bob, await bob.newTab(), await bob.newComputer(), await alice.newComputer()]) {
    await person.reads(person.userId === alice.userId ? bob : alice)
    expect(await stateOf(person)).toEqual(OPENED())
    for (const words of [file?.key ?? '', file?.object ?? '', 'the sea']) expect(await rowsWith(words, person)).toEqual([])
  }
})

test('A second browser of the reader is refused, and closes it when it reads', async () => {
  await sends()
  const other = await bob.newComputer()
  await other.reads(alice)
  expect(await stateOf(other)).toEqual({ isClosed: true, openedBy: [] })
  const act = await opening(other)
  await says(bob, alice, await opening(bob))
  await expect(says(other, alice, act)).rejects.toThrow('This was opened already')
  await other.reads(alice)
  expect(await stateOf(other)).toEqual(OPENED())
})

test('A browser that knows the message only as an emptied place shows it as opened, in whatever order it comes', async () => {
  await sends()
  await says(bob, alice, await opening(bob))
  for (let each = 0; each < 3; each++) await alice.says(bob, `more ${each}`)
  // It reads from the end: the opening comes before what was opened.
  const later = await bob.newComputer()
  await later.reads(alice)
  await later.older(alice)
  const opened = (await page(later)).find(({ body }) => body.kind === 'content' && body.content.type === 'once')
  expect(opened?.body).toEqual({ kind: 'content', content: { type: 'once', as: 'image' } })
  expect(Object.keys(opened?.acts?.opened ?? {})).toEqual([bob.userId])
})

test('The author opens nothing by a signed act, nobody opens a text, and a deletion wins over an opening', async () => {
  const { seq } = await newest(alice)
  const { file } = await sends()
  const { senderId, id, seq: place } = await newest(bob)
  // The wire refuses it: a server that does not.
  wire.rooms.get(chatRoomId)?.once?.add(seq)
  const say = async (who: TestPerson, act: Act) => {
    const { api } = who.env
    who.env.api = ((endpoint, input) => {
      const { opens: _, ...draft } = input as Draft
      return api(endpoint, endpoint.path === messagesApi.send.path && endpoint.method === 'POST' ? (draft as never) : input)
    }) as typeof api
    await says(who, who === alice ? bob : alice, act)
    who.env.api = api
  }
  await say(alice, { type: 'opened', target: { senderId, id }, place, as: 'image' })
  await bob.reads(alice)
  expect(await stateOf(bob)).toEqual({ isClosed: true, openedBy: [] })
  const text = (await page(bob))[0]
  if (!text) throw new Error('The text is not there')
  await say(bob, { type: 'opened', target: { senderId: text.senderId, id: text.id }, place: text.seq, as: 'image' })
  await alice.reads(bob)
  expect((await page(alice))[0]).toMatchObject({ body: { content: { type: 'text', text: 'stays' } } })

  await says(alice, bob, { type: 'delete', target: { senderId, id }, places: [place] })
  await say(bob, { type: 'opened', target: { senderId, id }, place, as: 'image' })
  for (const person of [alice, bob, await bob.newComputer()]) {
    await person.reads(person === alice ? bob : alice)
    expect(await stateOf(person)).toBe('deleted')
    expect(await rowsWith(file?.key ?? '', person)).toEqual([])
  }
})

test.each([
  [['opened'], 'content'],
  [['opened', 'delete'], 'deleted'],
  [['delete', 'opened'], 'deleted'],
] as const)('An emptied place that comes after %s is %s', async (types, kind) => {
  await bob.reads(alice)
  const live = await at(bob.computer, () => openLive(bob.userId, bob.unlock))
  const { vault } = live
  const message = await newest(bob)
  const id = randomUUID()
  const target = { senderId: alice.userId, id }
  const told: Record<'opened' | 'delete', Pick<StoredMessage, 'senderId' | 'body'>> = {
    opened: { senderId: bob.userId, body: { kind: 'act', act: { type: 'opened', target, place: 100, as: 'image' } } },
    delete: { senderId: alice.userId, body: { kind: 'act', act: { type: 'delete', target, places: [100] } } },
  }
  const take = async (entry: StoredMessage) =>
    vault.write((await takeActs(live, { chatRoomId, hasWaitingActs: true }, [entry])).writes)
  for (const [index, type] of types.entries()) await take({ ...message, ...told[type], id: randomUUID(), seq: 101 + index })
  await take({ ...message, id, senderId: alice.userId, seq: 100, body: { kind: 'withheld' } })
  expect((await messageAt(vault, chatRoomId, 100))?.body.kind).toBe(kind)
  vault.close()
})

test('The author’s own file stays until the message is in the log, and goes then', async () => {
  const id = randomUUID()
  const about = { as: 'image' as const, name: 'sea.png', mediaType: 'image/png', caption: 'the sea' }
  const message = { id, chatRoomId, sentAt: new Date().toISOString(), isOnce: true as const }
  await alice.core.keepUpload({ ...message, file: new Blob(['the sea']), about })
  const object = randomUUID()
  await alice.core.uploadDone({ chatRoomId, id, object })
  const kept = async () => (await alice.core.keptFiles()).rooms.flatMap(({ files }) => files.map((file) => file.object))
  expect(await kept()).toEqual([object])
  // The server lost the file: it is sent again, to be opened once as before.
  const again = await alice.core.takeBackUpload({ chatRoomId, id, newId: randomUUID() })
  expect(again).toMatchObject({ isOnce: true, content: { caption: 'the sea' } })
  await alice.core.uploadDone({ chatRoomId, id: again?.id ?? '', object })
  await alice.sends(alice.room(bob))
  expect(await stateOf(alice)).toEqual({ isClosed: false, openedBy: [] })
  expect(await kept()).toEqual([])
  await bob.reads(alice)
  expect(await stateOf(bob)).toEqual({ isClosed: true, openedBy: [] })
})

test('What nobody opens is closed after 30 days, also where the message has a longer lifetime', async () => {
  const { file } = await sends()
  await bob.core.endDue()
  expect(await stateOf(bob)).toEqual({ isClosed: true, openedBy: [] })
  passes(30 * DAY_MS + 60_000)
  expect(await stateOf(bob)).toEqual({ isClosed: false, openedBy: [] })
  expect(await rowsWith(file?.key ?? '', bob)).toEqual([])
})

test('What a build of before has kept whole is closed without its statement, on both sides', async () => {
  const { file } = await sends()
  for (const person of [bob, alice]) {
    const { seq, ...entry } = await newest(person)
    const live = await at(person.computer, () => openLive(person.userId, person.unlock))
    const content = { type: 'once' as const, as: 'image' as const, file: file ?? expect.fail() }
    const kept = { statement: JSON.stringify({ content }), deviceId: 'x' }
    await live.vault.write(messageWrites({ ...entry, seq, body: { kind: 'newer', kept } }))
    live.vault.close()
    expect(await rowsWith(file?.key ?? '', person)).toHaveLength(1)
  }
  expect(await stateOf(alice)).toEqual({ isClosed: false, openedBy: [] })
  expect(await stateOf(bob)).toEqual({ isClosed: true, openedBy: [] })
  await says(bob, alice, await opening(bob))
  for (const person of [alice, bob]) expect(await rowsWith(file?.key ?? '', person)).toEqual([])
})

test('What was sealed and is given up leaves no key behind', async () => {
  const { api } = alice.env
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path === messagesApi.send.path && endpoint.method === 'POST')
      throw new ApiError(400, 'file_not_found', 'File not found')
    return api(endpoint, input)
  }) as typeof api
  const content = picture()
  await expect(says(alice, bob, content)).rejects.toThrow('File not found')
  const [row] = await alice.core.outbox(chatRoomId)
  expect(await rowsWith(content.file.key, alice)).not.toEqual([])
  await alice.core.dropFromOutbox({ chatRoomId, id: row?.id ?? '' })
  expect(await rowsWith(content.file.key, alice)).toEqual([])
})

test('With a lifetime it goes as any message does', async () => {
  await says(alice, bob, { type: 'timer', seconds: 3600 })
  await sends()
  const { seq } = await newest(bob)
  await bob.core.startLifetimes({ chatRoomId, readSeq: seq })
  passes(3600_000 + 1000)
  expect((await page(bob)).map((message) => message.seq)).not.toContain(seq)
  expect((await page(alice)).map((message) => message.seq)).not.toContain(seq)
})

test('What opens once is not found by a search, and a line of the list names no caption', async () => {
  await sends()
  await bob.core.indexRooms({ chatRoomIds: [chatRoomId] })
  expect(await bob.core.search({ query: 'sea', chatRoomIds: [chatRoomId], limit: 9 })).toMatchObject({ messages: [] })
})
