import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { contentWords } from '../../../contract/chat/kinds/kinds.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { resetMessages } from '../../chat/messages/messages.ts'
import { sendText } from '../../chat/messages/send.ts'
import { placeOf } from '../../rooms/list/room.ts'
import { putRooms, type RoomRow, resetRooms } from '../../rooms/list/roomList.ts'
import { readyRoom } from '../../rooms/log/readyRoom.ts'
import { FRIENDS } from '../../testing/direct.ts'
import { nextListOf } from '../../testing/lists.ts'
import type { TestPerson } from '../../testing/people.ts'
import { changesKeys, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { ShownRoom } from './sealing.ts'

let alice: TestPerson
let bob: TestPerson
let roomId: string
let wire: Wire

beforeEach(async () => {
  const at = await people()
  ;({ alice, bob, roomId, wire } = at)
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
})

afterEach(() => vi.restoreAllMocks())

const shown = (): ShownRoom => {
  const room = alice.room(bob)
  return { ...placeOf(room), peers: room.peers, lastSeq: room.lastSeq, now: Date.now() }
}

const newMessage = (text: string) => ({
  ...{ id: crypto.randomUUID(), chatRoomId: roomId, replyToId: null, sentAt: new Date().toISOString() },
  content: { type: 'text' as const, text },
})

const keep = (text: string, room: ShownRoom | null = shown(), page = alice) =>
  page.core.keepAndSeal({ message: newMessage(text), room })

const hasSealed = async () => (await alice.core.outbox(roomId)).map(({ envelope }) => envelope !== null)

/** The transactions that write, from here on. */
function writing() {
  const transactions: IDBTransaction[] = []
  const { transaction } = IDBDatabase.prototype
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, stores, mode, options) {
    const begun = transaction.call(this, stores, mode, options)
    if (mode === 'readwrite') transactions.push(begun)
    return begun
  })
  return transactions
}

test('A message to a room that is ready is stored and sealed in one transaction, and Bob reads it', async () => {
  const written = writing()
  const row = await keep('three')
  expect(written).toHaveLength(1)
  expect(row.isAlone).toBe(true)
  expect(await alice.core.outbox(roomId)).toMatchObject([{ id: row.id, envelope: row.envelope, failure: null }])
  expect((await alice.core.roomRecord(roomId))?.ownMessages).toBe(2)
  await alice.env.api(messagesApi.send, { id: row.id, chatRoomId: roomId, content: row.envelope ?? '', messageType: 'text' })
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'three'])
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three'])
  expect(await alice.core.outbox(roomId)).toEqual([])
})

const drafted = (text: string) => alice.core.keepDraftText({ chatRoomId: roomId, text })
const onDisk = async () => ({
  draft: await alice.core.readDraft(roomId),
  texts: (await alice.core.outbox(roomId)).map(({ content }) => content && contentWords(content)),
})

test.each([
  ['sealed', shown],
  ['not sealed', () => null],
])(
  'The draft ends in the transaction that keeps its message, %s: the disk has one of them, never both and never none',
  async (_, room) => {
    await drafted('three')
    const written = writing()
    await keep('three', room())
    expect(written).toHaveLength(1)
    expect(await onDisk()).toEqual({ draft: '', texts: ['three'] })
    vi.restoreAllMocks()
    await drafted('four')
    // The disk takes the first row, and fails behind it.
    const { put } = IDBObjectStore.prototype
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...row) {
      if (this.name !== 'own') return put.apply(this, row)
      throw new DOMException('full', 'QuotaExceededError')
    })
    await expect(keep('four', room())).rejects.toMatchObject({ code: 'quota' })
    vi.restoreAllMocks()
    expect(await onDisk()).toEqual({ draft: 'four', texts: ['three'] })
  },
)

test('What was typed before a message and what is typed after it are kept in this order, although nobody waits between them', async () => {
  await Promise.all([drafted('thr'), keep('three')])
  expect(await onDisk()).toEqual({ draft: '', texts: ['three'] })
  await Promise.all([drafted('fo'), keep('four', null), drafted('fi')])
  expect(await onDisk()).toEqual({ draft: 'fi', texts: ['three', 'four'] })
})

const STOPS: [string, (room: ShownRoom) => ShownRoom][] = [
  ['whose key has changed', withPeer({ identityKey: btoa(String.fromCharCode(...new Uint8Array(32).fill(7))) })],
  ['whose name has changed', withPeer({ username: 'mallory' })],
  ['whose device list is newer than this browser knows', withPeer({ manifestVersion: 99 })],
  ['whose log this browser has not read to its end', (room) => ({ ...room, lastSeq: room.lastSeq + 1 })],
  ['that has not healed for a day', (room) => ({ ...room, now: room.now + 25 * 3_600_000 })],
]

function withPeer(change: Partial<ShownRoom['peers'][number]>) {
  return (room: ShownRoom): ShownRoom => ({ ...room, peers: room.peers.map((peer) => ({ ...peer, ...change })) })
}

test.each(STOPS)('A message to a room %s is stored, and not sealed', async (_, change) => {
  expect(await keep('not yet', change(shown()))).toMatchObject({ envelope: null, isAlone: false })
  expect(await hasSealed()).toEqual([false])
  await alice.sends(alice.room(bob))
  expect((await bob.hears(alice)).at(-1)).toBe('not yet')
})

const numbersDiffer = async (differs: boolean) => {
  const { identityKey } = await alice.core.safetyNumber(bob)
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: false, differs })
}

test('A message to somebody whose safety number differs is stored, and not sealed', async () => {
  await numbersDiffer(true)
  expect(await keep('not yet')).toMatchObject({ envelope: null, isAlone: false })
  await numbersDiffer(false)
  await alice.sends(alice.room(bob))
  expect((await bob.hears(alice)).at(-1)).toBe('not yet')
})

test('A message to a room in which two device lists have the same number is stored, and not sealed', async () => {
  const account = wire.accounts.get(bob.userId)
  if (!account) throw new Error('The account is not on the wire')
  const shownToAlice = await nextListOf(wire, bob, 'RXZl')
  account.keys.manifest = await nextListOf(wire, bob, 'Qm9i')
  wire.lie = (caller, path, answer) =>
    caller === alice.userId && path === devicesApi.manifest.path ? { ...(answer as object), manifest: shownToAlice } : answer
  await bob.says(alice, 'from my browser')
  await alice.reads(bob)
  // Each shows the other the signed list by a commit, so that the fork alone stops her.
  await readyRoom(alice.env, alice.room(bob))
  await bob.reads(alice)
  await readyRoom(bob.env, bob.room(alice))
  await alice.reads(bob)
  const place = placeOf(alice.room(bob))
  expect(await alice.core.roomNeed({ ...place, now: Date.now() })).toMatchObject({
    need: 'ready',
    isPending: false,
    isForked: true,
  })
  expect(await keep('not yet')).toMatchObject({ envelope: null, isAlone: false })
  await alice.core.answerForks({ ...place, forks: (await alice.core.roomRecord(roomId))?.forks ?? [] })
  await alice.sends(alice.room(bob))
  expect((await bob.hears(alice)).at(-1)).toBe('not yet')
})

const STOPPED_ROWS: [string, Partial<RoomRow>][] = [
  ['a chat that asks to be restarted', { asksRestart: true }],
  ['a chat whose request is open', { direct: { ...FRIENDS, state: 'pending' } }],
  ['a chat that is closed', { isClosed: true }],
]

test.each(STOPPED_ROWS)('A message to %s is stored, and not sealed', async (_, change) => {
  const room = alice.room(bob)
  putRooms([{ ...room, ...change }])
  const kept: (string | null)[] = []
  const keepAndSeal: typeof alice.core.keepAndSeal = async (input) => {
    const row = await alice.core.keepAndSeal(input)
    kept.push(row.envelope)
    return row
  }
  await sendText({ ...alice.env, crypto: { ...alice.core, keepAndSeal } }, room, 'not yet')
  expect(kept).toEqual([null])
  resetMessages()
  resetRooms()
})

test('A message waits unsealed while a commit of this browser is on its way', async () => {
  await alice.core.commitRoom(placeOf(alice.room(bob)))
  expect(await keep('behind it')).toMatchObject({ envelope: null })
  expect(await readyRoom(alice.env, alice.room(bob))).toEqual({ ready: true })
  expect(await keep('not before the first')).toMatchObject({ envelope: null })
  await alice.sends(alice.room(bob))
  expect((await bob.hears(alice)).slice(-2)).toEqual(['behind it', 'not before the first'])
})

test('Nothing is sealed at once for a device that has been removed since', async () => {
  const laptop = await bob.newComputer()
  await laptop.says(alice, 'from the laptop')
  await alice.reads(bob)
  await changesKeys(bob, { removeDevices: [laptop.deviceId] })
  expect(await keep('a secret')).toMatchObject({ envelope: null })
})

test('A message is stored at once while something else is at work in the room', async () => {
  await exclusive(`conclave/${alice.userId}/${roomId}`, async () => {
    expect(await keep('meanwhile')).toMatchObject({ envelope: null })
  })
  await alice.sends(alice.room(bob))
  expect((await bob.hears(alice)).at(-1)).toBe('meanwhile')
})

test('Messages of two tabs in quick order are sealed in the order in which they are stored, and Bob reads each once', async () => {
  const tab = await alice.newTab()
  const texts = ['a', 'b', 'c', 'd', 'e', 'f']
  const rows = await Promise.all(texts.map((text, at) => keep(text, shown(), at % 2 ? alice : tab)))
  const inOrder = [...rows].sort((one, other) => one.order - other.order)
  expect(inOrder.map(({ content }) => content && contentWords(content))).toEqual(texts)
  expect(rows.filter(({ isAlone }) => isAlone)).toHaveLength(1)
  await Promise.all([alice.sends(alice.room(bob)), tab.sends(tab.room(bob))])
  expect((await bob.hears(alice)).slice(-6)).toEqual(texts)
})

test('A tab that dies while a message is stored leaves nothing of it, and the next message is sealed by the same state', async () => {
  for (let step = 0; step < 3; step++) {
    const { put } = IDBObjectStore.prototype
    let left = step
    const spy = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...input) {
      if (left-- === 0) throw new DOMException('full', 'QuotaExceededError')
      return put.apply(this, input)
    })
    await expect(keep(`lost in step ${step}`)).rejects.toMatchObject({ code: 'quota' })
    spy.mockRestore()
    expect(await alice.core.outbox(roomId)).toEqual([])
    expect((await alice.core.roomRecord(roomId))?.ownMessages).toBe(step + 1)
    await keep(`step ${step}`)
    await alice.sends(alice.room(bob))
  }
  expect((await bob.hears(alice)).slice(-3)).toEqual(['step 0', 'step 1', 'step 2'])
})

test('A tab that dies between the sealing and the answer sends the same bytes again, and Bob reads them once', async () => {
  const row = await keep('three')
  await alice.env.api(messagesApi.send, { id: row.id, chatRoomId: roomId, content: row.envelope ?? '', messageType: 'text' })
  await alice.core.close()
  const tab = await alice.newTab()
  expect((await tab.core.outbox(roomId))[0]?.envelope).toBe(row.envelope)
  await tab.sends(tab.room(bob))
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'three'])
  expect(await tab.hears(bob)).toEqual(['one', 'two', 'three'])
})
