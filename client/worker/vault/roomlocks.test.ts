import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, expect, test } from 'vitest'
import { lockedKey, randomBytes } from '../primitives/seal.ts'
import { createVault } from './newvault.ts'
import { LOCKS, type RoomLock } from './roomlocks.ts'
import { openVault, type Vault, type Write } from './vault.ts'

// Two tabs of one browser: each has the vault open, and one of them locks a room.

const ROOM = 'dm_a_b'
const OWNER = { userId: '6f1c0f3a-0000-4000-8000-000000000001', username: 'Alice', deviceId: 'aa'.repeat(16) }
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const LOCK: RoomLock = { n: 1, publicKey: 'P', rowKeys: [{ publicKey: 'P', sealed: '' }], isSealed: true }
const locks = (lock: RoomLock | undefined): Write => ({
  store: 'sealed',
  key: LOCKS,
  value: { json: lock ? { [ROOM]: lock } : {} },
})
const message = (seq: number, text = 'apples'): Write => ({ store: 'messages', key: [ROOM, seq], value: { json: text } })

let one: Vault
let other: Vault

beforeEach(async () => {
  const browser = new IDBFactory()
  const secret = randomBytes(32)
  one = await createVault(OWNER, secret, [message(1)], browser)
  other = await openVault(OWNER.userId, secret, { factory: browser })
  // Both know the locks as they are: none.
  await other.write([message(2)])
  await one.write([message(3)])
})

const key = async () => [await lockedKey(randomBytes(32))]

test('From the moment at which one tab locks a room, the other writes nothing of it', async () => {
  await one.write([locks(LOCK)])
  await expect(other.write([message(4)])).rejects.toThrow(failure('room_locked'))
  await expect(other.write([message(4), { store: 'own', key: 'x', value: { json: 1 } }])).rejects.toThrow(failure('room_locked'))
  await expect(other.write([{ store: 'own', key: 'x', value: { json: 1 }, chatRoomId: ROOM }])).rejects.toThrow(
    failure('room_locked'),
  )
  expect(await one.keys('messages', ROOM)).toHaveLength(3)
  expect(await one.keys('own')).toEqual([])
  for (const tab of [one, other]) {
    await expect(tab.get('messages', [ROOM, 1])).rejects.toThrow(failure('room_locked'))
    await expect(tab.page('messages', ROOM, { limit: 9 })).rejects.toThrow(failure('room_locked'))
    expect(await tab.all('messages')).toEqual([])
    expect(await tab.isOpen(ROOM)).toBe(false)
  }
  // Other rooms go on.
  await other.write([{ store: 'messages', key: ['dm_a_c', 1], value: { json: 'pears' } }])
  expect(await one.all('messages')).toHaveLength(1)
})

test('A locked room is written and read by its key alone, and nothing that was read stays when it is shut', async () => {
  await one.write([locks(LOCK)])
  const keys = await key()
  one.openRoom(ROOM, keys)
  const large = 'a large row '.repeat(4000)
  await one.write([message(4, large)])
  expect(await one.get('messages', [ROOM, 4])).toEqual({ json: large })
  other.openRoom(ROOM, await key())
  await expect(other.get('messages', [ROOM, 4])).rejects.toThrow(failure('seal'))
  one.openRoom(ROOM, null)
  await expect(one.get('messages', [ROOM, 4])).rejects.toThrow(failure('room_locked'))
  one.openRoom(ROOM, keys)
  expect(await one.get('messages', [ROOM, 4])).toEqual({ json: large })
  // What was written before the lock is read as it is, until it is sealed.
  expect(await one.get('messages', [ROOM, 1])).toEqual({ json: 'apples' })
})

test('While a lock is taken off, no tab seals by it any more; of a locked room rows can be deleted', async () => {
  const keys = await key()
  await one.write([locks(LOCK)])
  other.openRoom(ROOM, keys)
  await other.write([message(4)])
  await one.write([{ store: 'messages', key: [ROOM, 2], value: null }])
  await one.write([locks({ ...LOCK, isOff: true })])
  await other.write([message(5, 'in the open')])
  await one.write([locks(undefined)])
  expect(await one.get('messages', [ROOM, 5])).toEqual({ json: 'in the open' })
  expect(await one.keys('messages', ROOM)).toEqual([1, 3, 4, 5].map((seq) => [ROOM, seq]))
})

test('Nothing that the search makes of a locked room is kept, not even while it is open', async () => {
  await one.write([locks(LOCK)])
  one.openRoom(ROOM, await key())
  for (const name of [`search:${ROOM}:0`, `searchhead:${ROOM}`, `late:${ROOM}:1`])
    await one.write([{ store: 'sealed', key: name, value: { json: 'apples' } }])
  expect((await one.keys('sealed')).filter((name) => name.includes(ROOM))).toEqual([])
})
