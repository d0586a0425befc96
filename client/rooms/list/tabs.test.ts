import { expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { catchUp } from '../log/catchUp.ts'
import { readyRoom } from '../log/readyRoom.ts'

async function talking() {
  const at = await people()
  await at.alice.says(at.bob, 'one')
  await at.bob.says(at.alice, 'two')
  await at.alice.reads(at.bob)
  return { ...at, place: { chatRoomId: at.roomId, peerIds: [at.bob.userId] } }
}

/** Breaks the connection once, after the request took effect. */
function breakOnce(wire: Wire, person: TestPerson, path: string): void {
  wire.afterEffect = (caller, asked) => {
    if (caller !== person.userId || asked !== path) return
    wire.afterEffect = undefined
    throw new Error('the connection broke')
  }
}

/** More than the transactions of one sealing. */
const STEPS = 9

/** Does `first`, and begins `other` whenever the disk begins one of these transactions, or at the end. */
async function inSteps(steps: number[], first: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  const { transaction } = IDBDatabase.prototype
  const waiting = [...steps]
  const begun: Promise<unknown>[] = []
  let step = 0
  const begin = (last: number) => {
    for (; waiting[0] !== undefined && waiting[0] <= last; waiting.shift()) begun.push(Promise.resolve().then(other))
  }
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...input) {
    begin(++step)
    return transaction.apply(this, input)
  })
  begin(step)
  await first()
  begin(Number.POSITIVE_INFINITY)
  await Promise.all(begun)
  spy.mockRestore()
}

const commitsOf = (wire: Wire, roomId: string) => wire.rooms.get(roomId)?.log.filter(({ kind }) => kind === 'commit') ?? []

test('Two tabs renew the keys at once: they make one commit, and both go on', async () => {
  const { alice, bob, wire, roomId, place } = await talking()
  const tab = await alice.newTab()
  const before = commitsOf(wire, roomId).length
  const drafts = await Promise.all([alice.core.commitRoom(place), tab.core.commitRoom(place)])
  expect(drafts[0]?.commit).toBe(drafts[1]?.commit)
  for (const draft of drafts) await alice.env.api(roomsApi.commit, draft).catch(() => undefined)
  await alice.says(bob, 'from one tab')
  await tab.says(bob, 'from the other')
  expect(commitsOf(wire, roomId)).toHaveLength(before + 1)
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'from one tab', 'from the other'])
})

test('The answer to a commit is lost and the list of contacts is old: no second commit is made', async () => {
  const { alice, bob, wire, roomId } = await people()
  const old = alice.room(bob)
  breakOnce(wire, alice, roomsApi.commit.path)
  await expect(alice.says(bob, 'hello')).rejects.toThrow('broke')
  expect(await readyRoom(alice.env, old)).toEqual({ ready: true })
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
  expect(commitsOf(wire, roomId)).toHaveLength(2)
})

test('A message is sealed while the person deletes it: it is gone, or it is sent, never half', async () => {
  const { alice, bob, roomId, place } = await talking()
  const tab = await alice.newTab()
  for (let step = 0; step < STEPS; step++) {
    const { id } = await alice.keeps(bob, `in step ${step}`)
    const seal = () => alice.core.sealOutboxRow({ ...place, id })
    await inSteps([step], seal, () => tab.core.dropFromOutbox({ chatRoomId: roomId, id }))
    expect(await alice.core.outbox(roomId)).toEqual([])
  }
  await alice.says(bob, 'three')
  expect((await bob.hears(alice)).at(-1)).toBe('three')
})

test('A message is sealed while its failure is cleared in another tab: the sealed bytes stay, so a retry sends the same', async () => {
  const { alice, bob, roomId, place } = await talking()
  const tab = await alice.newTab()
  for (let step = 0; step < STEPS; step++) {
    const { id } = await alice.keeps(bob, `in step ${step}`)
    const seal = () => alice.core.sealOutboxRow({ ...place, id })
    const change = () => tab.core.changeOutbox({ chatRoomId: roomId, id, failure: null, unseal: false })
    await inSteps([step, step + 1, step + 2, step + 3], seal, change)
    const [row] = await alice.core.outbox(roomId)
    expect(row?.envelope).toBeTruthy()
    expect((await seal())?.envelope).toBe(row?.envelope)
    await alice.core.dropFromOutbox({ chatRoomId: roomId, id })
  }
})

test('A message comes back by the log while its row is changed: it does not stay in the outbox', async () => {
  const { alice, bob, roomId, place } = await talking()
  const tab = await alice.newTab()
  const { id } = await alice.keeps(bob, 'three')
  const row = await alice.core.sealOutboxRow({ ...place, id })
  await alice.env.api(messagesApi.send, { id, chatRoomId: roomId, content: row?.envelope ?? '', messageType: 'text' })
  await Promise.all([
    catchUp(alice.env, alice.room(bob)),
    ...Array.from({ length: 8 }, () => tab.core.changeOutbox({ chatRoomId: roomId, id, failure: 'odd', unseal: false })),
  ])
  expect(await alice.core.outbox(roomId)).toEqual([])
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})

test('The person deletes a message that had reached the server: it shows as sent, and the browser stays in the room', async () => {
  const { alice, bob, roomId, place } = await talking()
  const { id } = await alice.keeps(bob, 'three')
  const row = await alice.core.sealOutboxRow({ ...place, id })
  await alice.env.api(messagesApi.send, { id, chatRoomId: roomId, content: row?.envelope ?? '', messageType: 'text' })
  await alice.core.dropFromOutbox({ chatRoomId: roomId, id })
  expect((await alice.hears(bob)).at(-1)).toBe('three')
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
})

test('The server takes a message and says that the room has moved on: it is sent once and leaves the outbox', async () => {
  const { alice, bob, roomId, place } = await talking()
  const { id } = await alice.keeps(bob, 'three')
  const row = await alice.core.sealOutboxRow({ ...place, id })
  await alice.env.api(messagesApi.send, { id, chatRoomId: roomId, content: row?.envelope ?? '', messageType: 'text' })
  await alice.core.changeOutbox({ chatRoomId: roomId, id, failure: null, unseal: true })
  await alice.core.sealOutboxRow({ ...place, id })
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three'])
  expect(await alice.core.outbox(roomId)).toEqual([])
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
})

test('Two tabs send, read and change at once: every message goes out once, in both tabs and at Bob', async () => {
  const { alice, bob, wire, roomId } = await talking()
  const tab = await alice.newTab()
  const sentTexts = Array.from({ length: 6 }, (_, at) => `message ${at}`)
  for (const text of sentTexts) await alice.keeps(bob, text)
  await Promise.all([alice.sends(alice.room(bob)), tab.sends(tab.room(bob)), bob.says(alice, 'meanwhile'), tab.reads(bob)])
  const received = await bob.hears(alice)
  expect(received.filter((text) => text.startsWith('message'))).toEqual(sentTexts)
  expect(await alice.hears(bob)).toEqual(received)
  expect(await tab.hears(bob)).toEqual(received)
  expect(await tab.core.outbox(roomId)).toEqual([])
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
})

test('Two tabs are shown a new room at once: both are in it', async () => {
  const { alice, bob, roomId } = await people()
  const tab = await bob.newTab()
  await alice.says(bob, 'hello')
  expect(await Promise.all([bob.hears(alice), tab.hears(alice)])).toEqual([['hello'], ['hello']])
  expect((await bob.core.roomRecord(roomId))?.standing).toBe('joined')
})

/** Simulates a full disk for this many writes. */
function fullDisk(writes: number) {
  const put = IDBObjectStore.prototype.put
  const spy = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...input) {
    if (writes-- > 0) throw new DOMException('full', 'QuotaExceededError')
    return put.apply(this, input)
  })
  return () => spy.mockRestore()
}

test('The disk is full while a message is sealed, and while one is read: nothing is half done, and the next try works', async () => {
  const { alice, bob, place } = await talking()
  const { id } = await alice.keeps(bob, 'three')
  let restore = fullDisk(1)
  await expect(alice.core.sealOutboxRow({ ...place, id })).rejects.toMatchObject({ code: 'quota' })
  restore()
  await alice.sends(alice.room(bob))
  restore = fullDisk(1)
  await expect(catchUp(bob.env, bob.room(alice))).rejects.toMatchObject({ code: 'quota' })
  restore()
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'three'])
  restore = fullDisk(1)
  await expect(bob.core.commitRoom({ ...place, peerIds: [alice.userId] })).rejects.toMatchObject({ code: 'quota' })
  restore()
  await bob.says(alice, 'four')
  expect((await alice.hears(bob)).at(-1)).toBe('four')
})

test('The connection breaks between messages and their keys: they are read when it is back', async () => {
  const { alice, bob, wire } = await talking()
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  await bob.reads(alice)
  await bob.env.api(
    roomsApi.commit,
    await bob.core.commitRoom({ chatRoomId: bob.contact(alice).chatRoomId, peerIds: [alice.userId] }),
  )
  await bob.says(alice, 'three')
  breakOnce(wire, laptop, roomsApi.archiveKeys.path)
  await expect(catchUp(laptop.env, laptop.room(bob))).rejects.toThrow('broke')
  const { messages } = await laptop.core.page({ chatRoomId: laptop.contact(bob).chatRoomId, limit: 9 })
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['one', 'two', 'sealed'])
  expect(await laptop.hears(bob)).toEqual(['one', 'two', 'three'])
})

test('The connection breaks before the first page of a room: it comes with the next try', async () => {
  const { alice, bob, wire } = await talking()
  const laptop = await alice.newBrowser()
  breakOnce(wire, laptop, roomsApi.log.path)
  await expect(laptop.reads(bob)).rejects.toThrow('broke')
  expect(await laptop.hears(bob)).toEqual(['one', 'two'])
})
