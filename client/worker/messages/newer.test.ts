import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { ApiError } from '../../net/api.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { type NewerBuild, newerBuild, pollShape } from '../../testing/newer.ts'
import { at, newPerson, personAt, type TestPerson, wordsOf } from '../../testing/people.ts'
import { profileCopy } from '../../testing/profile.ts'
import { patchedClient } from '../../testing/room.ts'
import { createWire, type Wire } from '../../testing/wire.ts'

// Bob's page is of next year. He writes content and envelopes that this build does not know.

let newer: NewerBuild
let wire: Wire
let alice: TestPerson
let bob: TestPerson
let chatRoomId: string

let putBack: (() => Promise<TestPerson>)[]

/** Returns a function that restores a person to the state right after the sign-up. */
async function newcomer(made: Promise<TestPerson>): Promise<() => Promise<TestPerson>> {
  const person = await made
  const account = signedUp.accounts.get(person.userId)
  const restore = await profileCopy(person.userId)
  return async () => {
    await restore()
    if (account) wire.accounts.set(person.userId, structuredClone(account))
    return person.newTab(wire)
  }
}

const signedUp = createWire()

beforeAll(async () => {
  newer = await newerBuild()
  putBack = [await newcomer(newPerson(signedUp)), await newcomer(newer.people.newPerson(signedUp))]
})
beforeEach(async () => {
  newer.envelope = 1
  wire = createWire()
  const [hers, his] = await Promise.all(putBack.map((back) => back()))
  if (!hers || !his) throw new Error('Somebody is missing')
  alice = hers
  bob = his
  bob.env.api = newer.over(bob.env.api)
  chatRoomId = alice.contact(bob).chatRoomId
  await alice.says(bob, 'hello')
})

const reaction = (emoji: string) => ({ type: 'poll' as const, to: randomUUID(), emoji })

const keepsReaction = (me: TestPerson, emoji: string) =>
  me.core.keepInOutbox({
    id: randomUUID(),
    chatRoomId,
    content: reaction(emoji) as never,
    replyToId: null,
    sentAt: new Date().toISOString(),
  })

async function reacts(me: TestPerson, other: TestPerson, emoji: string) {
  await keepsReaction(me, emoji)
  await me.sends(me.room(other))
}

/** Bob sends a reaction, then an envelope of version 2, then a normal message. */
async function bobWrites() {
  await reacts(bob, alice, 'thumbs up')
  newer.envelope = 2
  await bob.says(alice, 'from next year')
  newer.envelope = 1
  await bob.says(alice, 'from this year')
}

/** Returns the texts that the newer build shows, with an emoji for a reaction. */
const shown = ({ messages }: Pick<Awaited<ReturnType<TestPerson['core']['page']>>, 'messages'>) =>
  messages.map(({ body }) => {
    const read = body.kind === 'content' ? pollShape.safeParse(body.content) : undefined
    return read?.success ? read.data.emoji : wordsOf(body)
  })

/** The same browser with the page of next year, and a server that does not respond. */
async function upgraded(me: TestPerson): Promise<TestPerson> {
  await me.core.close()
  const core = newer.createCore()
  await at(me.computer, () => core.open({ userId: me.userId, username: me.username, unlock: me.unlock }))
  const next = newer.people.personAt(wire, { ...me, core })
  next.env.api = () => Promise.reject(new ApiError(0, 'offline', 'The server is not asked'))
  return next
}

const ALL = ['hello', 'thumbs up', 'from next year', 'from this year']

test('What a newer page wrote stands in its place, is never shown as plain text, and the chat goes on', async () => {
  await bobWrites()
  expect(await alice.hears(bob)).toEqual(['hello', 'newer', 'newer', 'from this year'])
  const { messages } = await alice.core.page({ chatRoomId, limit: 50 })
  expect(messages.map(({ senderId }) => senderId)).toEqual([alice.userId, bob.userId, bob.userId, bob.userId])
  expect(messages.some(({ isOutOfPlace }) => isOutOfPlace)).toBe(false)
  await alice.says(bob, 'I read you')
  expect((await bob.hears(alice)).at(-1)).toBe('I read you')
})

test('With a newer page everything opens that was kept meanwhile, and the server is not asked', async () => {
  await bobWrites()
  await alice.reads(bob)
  const next = await upgraded(alice)
  // No new entries of the log: the core looks again at messages in the vault.
  await next.core.receiveLog({ chatRoomId, peerIds: [bob.userId], entries: [], now: Date.now() })
  const page = await next.core.page({ chatRoomId, limit: 50 })
  expect(shown(page)).toEqual(ALL)
  expect(page.messages.some(({ isOutOfPlace }) => isOutOfPlace)).toBe(false)
  expect((await next.core.roomRecord(chatRoomId))?.newer).toBeUndefined()
  // An older page of the same browser continues to read.
  await next.core.close()
  await at(alice.computer, () => alice.core.open({ userId: alice.userId, username: alice.username, unlock: alice.unlock }))
  await bob.says(alice, 'and on')
  expect(await alice.hears(bob)).toEqual(['hello', 'newer', 'from next year', 'from this year', 'and on'])
})

test('A browser that reads by the archive keeps what only a newer page knows, and a newer page opens it', async () => {
  await bobWrites()
  const laptop = await alice.newComputer()
  expect(await laptop.hears(bob)).toEqual(['hello', 'newer', 'newer', 'from this year'])
  const next = await upgraded(laptop)
  next.env.api = newer.over(wire.api(alice.userId, () => laptop.deviceId))
  expect(shown({ messages: await next.reads(bob) })).toEqual(ALL)
})

test('A repeated envelope of a newer version opens once', async () => {
  await bobWrites()
  const log = wire.rooms.get(chatRoomId)?.log ?? []
  const again = log.find((entry) => entry.kind === 'message' && entry.content.startsWith('{"v":2,'))
  if (again?.kind !== 'message') throw new Error('Nothing of version 2')
  log.push({ ...again, seq: log.length + 1 })
  await alice.reads(bob)
  const next = await upgraded(alice)
  await next.core.receiveLog({ chatRoomId, peerIds: [bob.userId], entries: [], now: Date.now() })
  const { messages } = await next.core.page({ chatRoomId, limit: 50 })
  expect(messages.slice(-3).map(({ body }) => wordsOf(body))).toEqual([
    'from next year',
    'from this year',
    expect.stringMatching(/^unreadable: .*already/),
  ])
})

test('A kind that is not known is proven like any other: one that is played twice is refused', async () => {
  await reacts(bob, alice, 'heart')
  const log = wire.rooms.get(chatRoomId)?.log ?? []
  const last = log.at(-1)
  if (last?.kind !== 'message') throw new Error('No message')
  log.push({ ...last, seq: last.seq + 1 })
  expect(await alice.hears(bob)).toEqual(['hello', 'newer', expect.stringMatching(/^unreadable: .*already/)])
})

test('A newer tab of the same browser: what it keeps to send is shown, not sent by the older one, and stays whole', async () => {
  const tab = await upgraded(await alice.newTab())
  tab.env.api = newer.over(wire.api(alice.userId, () => alice.deviceId))
  const { id } = await keepsReaction(tab, 'wave')
  expect(await alice.core.outbox(chatRoomId)).toMatchObject([{ id, content: null }])
  await expect(alice.sends(alice.room(bob))).rejects.toThrow('The message is kept')
  expect(await alice.core.sealOutboxRow({ chatRoomId, peerIds: [bob.userId], id })).toMatchObject({ envelope: null })
  await alice.core.changeOutbox({ chatRoomId, id, failure: null, unseal: true })
  expect(await tab.core.outbox(chatRoomId)).toMatchObject([{ id, content: { emoji: 'wave' } }])
  // The newer tab sends. The older tab reads the log first and so settles the message.
  await tab.core.sealOutboxRow({ chatRoomId, peerIds: [bob.userId], id })
  const [row] = await tab.core.outbox(chatRoomId)
  await alice.env.api(messagesApi.send, { id, chatRoomId, content: row?.envelope ?? '', messageType: 'text' })
  await catchUp(alice.env, alice.room(bob))
  expect(await tab.core.outbox(chatRoomId)).toEqual([])
  expect(shown(await alice.core.page({ chatRoomId, limit: 50 }))).toEqual(['hello', 'newer'])
  expect(shown(await tab.core.page({ chatRoomId, limit: 50 }))).toEqual(['hello', 'wave'])
  expect(shown({ messages: await bob.reads(alice) })).toEqual(['hello', 'wave'])
})

test('The search passes over what only a newer page knows', async () => {
  await bobWrites()
  await alice.reads(bob)
  while (!(await alice.core.indexRooms({ chatRoomIds: [chatRoomId] })));
  const find = (query: string) => alice.core.search({ query, chatRoomIds: [chatRoomId], limit: 10 })
  expect((await find('thumbs')).messages).toEqual([])
  expect((await find('next')).messages).toEqual([])
  expect(await find('year')).toMatchObject({ isComplete: true, messages: [{ text: 'from this year' }] })
})

test('A statement that says more than this build knows is shown, and kept whole for one that knows it', async () => {
  const { seals, live } = await patchedClient(alice, bob)
  const sealed = await seals({ fromNextYear: 60 } as never)
  live.vault.close()
  await alice.env.api(messagesApi.send, { id: sealed.id, chatRoomId, content: sealed.content, messageType: 'text' })
  const laptop = await alice.newComputer()
  const { body } = (await laptop.reads(bob)).at(-1) ?? {}
  expect(body).toMatchObject({ kind: 'content', content: { text: 'sealed by a patched client' }, kept: {} })
  expect(JSON.parse(body?.kind === 'content' ? (body.kept?.statement ?? '') : '')).toMatchObject({ fromNextYear: 60 })
})

test('A damaged envelope of this version is a failure to show, not plain text', async () => {
  for (const content of ['{"v":1,"groupId":"AAAA"}', '{"v":1,', '{"v":1}'])
    await bob.env.api(messagesApi.send, { chatRoomId, content, messageType: 'text' })
  expect((await alice.hears(bob)).slice(1)).toEqual(Array(3).fill('unreadable: The message is damaged'))
})

/** The schemas of rows and documents in the first builds. */
const FIRST = {
  body: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('content'), content: z.object({ type: z.literal('text'), text: z.string() }) }),
    z.object({ kind: z.literal('plain'), text: z.string() }),
    z.object({ kind: z.literal('sealed'), envelope: z.string() }),
    z.object({ kind: z.literal('unreadable'), reason: z.string() }),
    z.object({ kind: z.literal('notice'), text: z.string() }),
  ]),
  envelope: z.strictObject({
    ...{ v: z.literal(1), groupId: z.string(), epoch: z.number() },
    ...{ mls: z.string(), archive: z.string(), body: z.string() },
  }),
  book: z.object({
    pins: z.record(z.string(), z.object({ identityKey: z.string(), isVerified: z.boolean() })),
    aliases: z.record(z.string(), z.string()),
    generations: z.record(z.string(), z.number()),
  }),
}

test('A tab of the first builds beside this one reads every row and says of the newer ones that they are', async () => {
  await bobWrites()
  await alice.reads(bob)
  const { live } = await patchedClient(alice, bob)
  const rows = await live.vault.all('messages', chatRoomId)
  const bodies = rows.map(({ value }) => FIRST.body.parse((value.json as { body: unknown }).body))
  const unread = { kind: 'unreadable', reason: NEEDS_NEWER }
  expect(bodies).toEqual([
    { kind: 'content', content: { type: 'text', text: 'hello' } },
    unread,
    unread,
    { kind: 'content', content: { type: 'text', text: 'from this year' } },
  ])
  const sent = wire.rooms.get(chatRoomId)?.log.find((entry) => entry.kind === 'message' && entry.senderId === alice.userId)
  FIRST.envelope.parse(JSON.parse(sent?.kind === 'message' ? sent.content : ''))
  const book = await live.vault.get('sealed', 'book')
  z.object({ book: FIRST.book }).parse(book?.json)
  live.vault.close()
  const again = personAt(wire, { ...alice, core: alice.core })
  expect(await again.hears(bob)).toEqual(['hello', 'newer', 'newer', 'from this year'])
})
