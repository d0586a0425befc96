import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogEntry } from '../../../contract/chat/rooms.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { messageWrites } from '../vault/storedMessage.ts'

let alice: TestPerson
let bob: TestPerson
let place: { chatRoomId: string; peerIds: string[] }
let log: LogEntry[]

beforeEach(async () => {
  const at = await people()
  alice = at.alice
  bob = at.bob
  place = { chatRoomId: at.roomId, peerIds: [bob.userId] }
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  await bob.says(alice, 'three')
  log = at.wire.rooms.get(at.roomId)?.log ?? []
})

afterEach(() => vi.restoreAllMocks())

/** Counts requests to the vault's database. */
function requests() {
  return {
    reads: vi.spyOn(IDBObjectStore.prototype, 'get'),
    writes: vi.spyOn(IDBObjectStore.prototype, 'put'),
    steps: vi.spyOn(IDBCursor.prototype, 'continue'),
    transactions: vi.spyOn(IDBDatabase.prototype, 'transaction'),
  }
}

test('A message that comes costs a handful of reads and one transaction', async () => {
  const { reads, writes, transactions } = requests()
  await alice.core.receiveLog({ ...place, entries: log.slice(-1), now: Date.now() })
  // Of these, one is what was deleted for oneself, and one, inside the transaction, the rooms' locks as they were when the rows were sealed.
  expect(reads.mock.calls.length).toBeLessThanOrEqual(7)
  expect(transactions.mock.calls.filter(([, mode]) => mode === 'readwrite')).toHaveLength(1)
  expect(writes.mock.calls.length).toBe(4)
})

test('A message that goes out costs a handful of reads and one transaction', async () => {
  const { id } = await alice.core.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId: place.chatRoomId, replyToId: null, sentAt: new Date().toISOString() },
    content: { type: 'text', text: 'four' },
  })
  const { reads, transactions } = requests()
  await alice.core.sealOutboxRow({ ...place, id })
  expect(reads.mock.calls.length).toBeLessThanOrEqual(8)
  expect(transactions.mock.calls.filter(([, mode]) => mode === 'readwrite')).toHaveLength(1)
})

test('A batch is taken whole or not at all, and entries that are there already are passed over', async () => {
  const before = await alice.core.roomRecord(place.chatRoomId)
  const [last] = log.slice(-1)
  if (!last) throw new Error('no entry')
  const strange = { ...last, seq: last.seq + 1, chatRoomId: 'dm_x' }
  await expect(alice.core.receiveLog({ ...place, entries: [last, strange], now: Date.now() })).rejects.toMatchObject({
    code: 'place',
  })
  expect(await alice.core.roomRecord(place.chatRoomId)).toEqual(before)
  const outcome = await alice.core.receiveLog({ ...place, entries: [...log, ...log], now: Date.now() })
  expect(outcome).toMatchObject({ cursor: log.length, hasGap: false, mustEnter: false })
  const gap = await alice.core.receiveLog({ ...place, entries: [{ ...last, seq: last.seq + 2 }], now: Date.now() })
  expect(gap).toMatchObject({ cursor: log.length, hasGap: true })
})

test("A state that cannot be read any more is entered anew, and the room's messages are read meanwhile", async () => {
  const { live } = await patchedClient(alice, bob)
  await live.vault.write([{ store: 'groups', key: place.chatRoomId, value: { json: null, bytes: new Uint8Array(9) } }])
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three'])
  await alice.says(bob, 'four')
  expect((await bob.hears(alice)).at(-1)).toBe('four')
})

test('A page of a long chat reads the rows of that page, not the chat', async () => {
  const { live } = await patchedClient(alice, bob)
  const rows = Array.from({ length: 3000 }, (_, at) =>
    messageWrites({
      ...{ id: crypto.randomUUID(), chatRoomId: place.chatRoomId, seq: 100 + at, senderId: bob.userId },
      ...{ at: new Date().toISOString(), body: { kind: 'plain' as const, text: `line ${at}` } },
    }),
  )
  await live.vault.write(rows.flat())
  const all = vi.spyOn(IDBObjectStore.prototype, 'getAll')
  const { steps } = requests()
  const { chatRoomId } = place
  for (const range of [{}, { before: 2000 }, { after: 1500 }, { after: 0 }]) {
    steps.mockClear()
    const { messages } = await alice.core.page({ chatRoomId, limit: 50, ...range })
    expect(messages).toHaveLength(50)
    expect(steps.mock.calls.length).toBeLessThanOrEqual(50)
  }
  expect(all).not.toHaveBeenCalled()
  const { messages } = await alice.core.page({ chatRoomId, limit: 50, before: 2000 })
  expect(messages.at(-1)?.seq).toBe(1999)
})
