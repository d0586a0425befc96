import 'fake-indexeddb/auto'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { randomBytes } from '../primitives/seal.ts'
import { answerOf } from './database.ts'
import { createVault } from './newvault.ts'
import { destroyVault, openVault, type Vault, type Write } from './vault.ts'
import { knownVaultOf, vaultDeviceOf } from './vaults.ts'

const ALICE = { userId: '6f1c0f3a-0000-4000-8000-000000000001', username: 'Alice', deviceId: 'aa'.repeat(16) }
const ROOM = 'dm_a_b'
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })

let browser: IDBFactory
let secret: Uint8Array
let vault: Vault

beforeEach(async () => {
  browser = new IDBFactory()
  secret = randomBytes(32)
  vault = await createVault(ALICE, secret, [], browser)
})
afterEach(() => {
  vi.restoreAllMocks()
  vault.close()
})

/** Reads every key and value on the disk, as a thief of the profile does. */
async function disk(): Promise<{ store: string; key: IDBValidKey; value: unknown }[]> {
  const rows: { store: string; key: IDBValidKey; value: unknown }[] = []
  for (const { name } of await browser.databases()) {
    const database = await answerOf(browser.open(name ?? ''))
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store)
      const [keys, values] = await Promise.all([answerOf(objects.getAllKeys()), answerOf<unknown[]>(objects.getAll())])
      keys.forEach((key, at) => {
        rows.push({ store, key, value: values[at] })
      })
    }
    database.close()
  }
  return rows
}

function bytesIn(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (value !== null && typeof value === 'object') return Buffer.concat(Object.values(value).map(bytesIn))
  return Buffer.from(String(value))
}

const holds = async (canary: Uint8Array) =>
  (await disk()).some(({ key, value }) => bytesIn([key, value]).includes(Buffer.from(canary)))

async function meddle(edit: (objects: (store: string) => globalThis.IDBObjectStore) => Promise<void>): Promise<void> {
  const database = await answerOf(browser.open(`conclave-${ALICE.userId}`))
  const transaction = database.transaction([...database.objectStoreNames], 'readwrite')
  await edit((store) => transaction.objectStore(store))
  database.close()
}

const message = (seq: number, text = `message ${seq}`): Write => ({
  store: 'messages',
  key: [ROOM, seq],
  value: { json: { text } },
})

describe('reading and writing', () => {
  test('What was written is there after a reload, JSON and bytes, in every store', async () => {
    const bytes = randomBytes(1000)
    await vault.write([
      { store: 'sealed', key: 'device', value: { json: { id: 1 }, bytes } },
      { store: 'groups', key: ROOM, value: { json: null, bytes: new Uint8Array() } },
      message(7),
      { store: 'outbox', key: [ROOM, 1], value: { json: 'waiting' } },
      { store: 'own', key: 'id-1', value: { json: { seq: 7 } } },
    ])
    vault.close()
    vault = await openVault(ALICE.userId, secret, { factory: browser })
    expect(vault).toMatchObject({ userId: ALICE.userId, deviceId: ALICE.deviceId })
    expect(await vault.get('sealed', 'device')).toEqual({ json: { id: 1 }, bytes })
    expect(await vault.get('groups', ROOM)).toEqual({ json: null, bytes: new Uint8Array() })
    expect(await vault.get('messages', [ROOM, 7])).toEqual({ json: { text: 'message 7' } })
    expect(await vault.all('outbox')).toEqual([{ key: [ROOM, 1], value: { json: 'waiting' } }])
    expect(await vault.get('own', 'id-1')).toEqual({ json: { seq: 7 } })
    expect(await vault.get('own', 'id-2')).toBeUndefined()
  })

  test('Pages: the newest, those before and those after a seq, oldest first, of one room only', async () => {
    const room = [9, 10, 11, 100, 101]
    await vault.write([...room.map((seq) => message(seq)), { store: 'messages', key: ['dm_a_c', 50], value: { json: {} } }])
    const seqs = async (range: { before?: number; after?: number; limit: number }) =>
      (await vault.page('messages', ROOM, range)).map((row) => row.seq)
    expect(await seqs({ limit: 2 })).toEqual([100, 101])
    expect(await seqs({ limit: 50 })).toEqual(room)
    expect(await seqs({ before: 100, limit: 2 })).toEqual([10, 11])
    expect(await seqs({ after: 9, limit: 2 })).toEqual([10, 11])
    expect(await seqs({ after: 9, before: 101, limit: 50 })).toEqual([10, 11, 100])
    expect(await seqs({ after: 101, limit: 50 })).toEqual([])
    expect((await vault.page('messages', ROOM, { limit: 1 }))[0]?.value).toEqual({ json: { text: 'message 101' } })
    expect(await vault.page('messages', 'dm_nobody', { limit: 50 })).toEqual([])
  })

  test('All rows of one room, in order, and none of another', async () => {
    const row = (room: string, order: number): Write => ({ store: 'outbox', key: [room, order], value: { json: order } })
    await vault.write([row(ROOM, 2), row(ROOM, 1), row('dm_a_c', 3)])
    expect((await vault.all('outbox', ROOM)).map(({ key }) => key)).toEqual([
      [ROOM, 1],
      [ROOM, 2],
    ])
    expect(await vault.all('outbox')).toHaveLength(3)
  })

  test('A row is deleted in the same transaction that writes another', async () => {
    await vault.write([{ store: 'outbox', key: [ROOM, 1], value: { json: 'waiting' } }])
    await vault.write([{ store: 'outbox', key: [ROOM, 1], value: null }, message(3)])
    expect(await vault.all('outbox')).toEqual([])
    expect(await vault.get('messages', [ROOM, 3])).toBeDefined()
  })

  test('A write waits for the disk: every transaction asks for strict durability', async () => {
    const database = vi.spyOn((await import('fake-indexeddb')).IDBDatabase.prototype, 'transaction')
    await vault.write([message(1)])
    expect(database).toHaveBeenCalledWith(['sealed', 'messages'], 'readwrite', { durability: 'strict' })
  })
})

describe('what a thief of the profile finds', () => {
  test('Not a word of what was written, after the search has found a planted one', async () => {
    const canary = toBase64(randomBytes(18))
    const raw = randomBytes(32)
    await vault.write([
      message(1, canary),
      { store: 'sealed', key: 'device', value: { json: { canary }, bytes: raw } },
      { store: 'groups', key: ROOM, value: { json: canary, bytes: raw } },
      { store: 'outbox', key: [ROOM, 1], value: { json: [canary], bytes: raw } },
      { store: 'own', key: 'id', value: { json: { [canary]: 1 } } },
    ])
    expect(await holds(utf8(canary))).toBe(false)
    expect(await holds(raw)).toBe(false)
    await meddle(async (objects) => {
      await answerOf(objects('meta').put({ note: { deep: canary }, raw }, 'planted'))
    })
    expect(await holds(utf8(canary))).toBe(true)
    expect(await holds(raw)).toBe(true)
  })

  test('Neither the unlock secret nor a CryptoKey', async () => {
    const rows = await disk()
    expect(rows.find((row) => row.key === 'head')?.value).toMatchObject({ deviceId: ALICE.deviceId, wraps: [{ kind: 'none' }] })
    expect(await holds(secret)).toBe(false)
    const kinds = rows.flatMap(({ value }) =>
      value !== null && typeof value === 'object' ? [value, ...Object.values(value)] : [value],
    )
    expect(kinds.some((value) => value instanceof CryptoKey)).toBe(false)
  })

  test('Without the half that the server keeps the vault stays shut', async () => {
    vault.close()
    await expect(openVault(ALICE.userId, randomBytes(32), { factory: browser })).rejects.toThrow(failure('vault_shut'))
    vault = await openVault(ALICE.userId, secret, { factory: browser })
  })

  test('Eve moves a sealed row to another place, or another store: it does not open there', async () => {
    await vault.write([message(1), { store: 'sealed', key: 'a', value: { json: 'a' } }])
    await meddle(async (objects) => {
      await answerOf(objects('messages').put(await answerOf(objects('messages').get([ROOM, 1])), [ROOM, 2]))
      await answerOf(objects('groups').put(await answerOf(objects('sealed').get('a')), 'a'))
    })
    expect(await vault.get('messages', [ROOM, 1])).toBeDefined()
    await expect(vault.get('messages', [ROOM, 2])).rejects.toThrow(failure('seal'))
    await expect(vault.get('groups', 'a')).rejects.toThrow(failure('seal'))
    await expect(vault.page('messages', ROOM, { limit: 50 })).rejects.toThrow(failure('seal'))
  })
})

describe('finding, making and deleting', () => {
  test('A sign-in finds the device of this browser by the name that was typed', async () => {
    expect(await knownVaultOf(' aLICE ', browser)).toEqual({ userId: ALICE.userId, deviceId: ALICE.deviceId })
    expect(await knownVaultOf('bob', browser)).toBeUndefined()
    expect(await vaultDeviceOf(ALICE.userId, browser)).toBe(ALICE.deviceId)
  })

  test('Looking for a vault that is not there says so, and makes none', async () => {
    const empty = new IDBFactory()
    await expect(openVault(ALICE.userId, secret, { factory: empty })).rejects.toThrow(failure('vault_absent'))
    expect(await vaultDeviceOf(ALICE.userId, empty)).toBeUndefined()
    expect(await empty.databases()).toEqual([])
  })

  test('A second vault never overwrites the first: it takes its place in the list, and the first stays as it is', async () => {
    await vault.write([message(1)])
    const identityKey = toBase64(randomBytes(32))
    const mark = { identityKey, manifest: { version: 7, hash: 'h' }, book: { version: 3 } }
    await vault.write([{ store: 'sealed', key: 'a', value: { json: 'a' }, mark }])
    const before = await disk()
    const next = { ...ALICE, deviceId: 'bb'.repeat(16) }
    const other = await createVault(next, secret, [{ store: 'own', key: 'x', value: { json: 'new' } }], browser)
    expect(await knownVaultOf('alice', browser)).toEqual({ userId: ALICE.userId, deviceId: next.deviceId })
    expect(await other.get('messages', [ROOM, 1])).toBeUndefined()
    expect(await other.get('own', 'x')).toEqual({ json: 'new' })
    expect(await vault.get('messages', [ROOM, 1])).toBeDefined()
    const after = (await disk()).map((row) => JSON.stringify(row))
    for (const row of before.filter(({ store }) => store !== 'vaults')) expect(after).toContain(JSON.stringify(row))
    // The new vault starts with the old vault's lowest versions; its own rows raise them.
    expect(await other.marks()).toEqual({ userId: ALICE.userId, ...mark })
    await other.write([
      { store: 'sealed', key: 'a', value: { json: 'a' }, mark: { manifest: { version: 6 }, book: { version: 4 } } },
    ])
    expect(await other.marks()).toMatchObject({ manifest: { version: 7, hash: 'h' }, book: { version: 4 } })
    other.close()
    await destroyVault(ALICE.userId, browser)
    expect(await disk()).toEqual([])
  })

  test('An attempt to make a vault that did not come to its end leaves the one before in the list, and can be repeated', async () => {
    await vault.write([message(1)])
    const next = { ...ALICE, deviceId: 'bb'.repeat(16) }
    const rubbish: Write = { store: 'own', key: 'x', value: { json: 1n } }
    await expect(createVault(next, secret, [rubbish], browser)).rejects.toThrow()
    expect(await knownVaultOf('alice', browser)).toEqual({ userId: ALICE.userId, deviceId: ALICE.deviceId })
    const other = await createVault(next, secret, [message(2)], browser)
    expect(await knownVaultOf('alice', browser)).toMatchObject({ deviceId: next.deviceId })
    other.close()
    await expect(createVault({ ...ALICE, username: 'Bob' }, secret, [], browser)).rejects.toThrow(failure('other_account'))
    await expect(openVault(ALICE.userId, secret, { factory: browser, username: 'bob' })).rejects.toThrow(failure('other_account'))
  })

  test('Deleted in one tab, it closes in the other, which is told once', async () => {
    const onClosed = vi.fn()
    const other = await openVault(ALICE.userId, secret, { factory: browser })
    other.onClosed(onClosed)
    await destroyVault(ALICE.userId, browser)
    expect(onClosed).toHaveBeenCalledTimes(1)
    await expect(other.get('sealed', 'device')).rejects.toThrow(failure('vault_closed'))
    await expect(other.write([message(1)])).rejects.toThrow(failure('vault_closed'))
    await expect(openVault(ALICE.userId, secret, { factory: browser })).rejects.toThrow(failure('vault_absent'))
    expect(await knownVaultOf('alice', browser)).toBeUndefined()
    expect(await disk()).toEqual([])
  })

  test('A vault whose head is damaged says so; it is not taken for a browser without one', async () => {
    await meddle(async (objects) => {
      await answerOf(objects('meta').delete('head'))
    })
    await expect(openVault(ALICE.userId, secret, { factory: browser })).rejects.toThrow(failure('vault_shut'))
  })

  test('Closing it oneself tells nobody', async () => {
    const onClosed = vi.fn()
    vault.onClosed(onClosed)
    vault.close()
    await destroyVault(ALICE.userId, browser)
    expect(onClosed).not.toHaveBeenCalled()
    await expect(vault.get('sealed', 'device')).rejects.toThrow(failure('vault_closed'))
  })
})

describe('a full disk', () => {
  /** Lets the second put of a transaction fail on a full disk: at once or at the end of the transaction, as browsers do. */
  function fillUp(end: (store: IDBObjectStore) => void): void {
    const put = IDBObjectStore.prototype.put
    let count = 0
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
      if (++count === 2) end(this)
      return put.call(this, value, key)
    })
  }

  const full = () => new DOMException('No room', 'QuotaExceededError')

  test('It is said as such, nothing is half written, and the vault goes on', async () => {
    fillUp(() => {
      throw full()
    })
    await expect(vault.write([message(1), message(2)])).rejects.toThrow(failure('quota'))
    vi.restoreAllMocks()
    expect(await vault.all('messages')).toEqual([])
    await vault.write([message(1), message(2)])
    expect(await vault.all('messages')).toHaveLength(2)
  })

  test('The same when the disk says so only at the end', async () => {
    fillUp(({ transaction }) => {
      queueMicrotask(() => {
        transaction.abort()
        Object.defineProperty(transaction, 'error', { value: full() })
      })
    })
    await expect(vault.write([message(1), message(2)])).rejects.toThrow(failure('quota'))
    vi.restoreAllMocks()
    expect(await vault.all('messages')).toEqual([])
  })

  test('A value that JSON cannot hold writes nothing of the others', async () => {
    const bad: Write = { store: 'own', key: 'id', value: { json: 1n } }
    await expect(vault.write([message(1), bad])).rejects.toThrow(TypeError)
    expect(await vault.all('messages')).toEqual([])
  })
})

test('Rows that are asked for in the same moment are read in one transaction, and each is what it was', async () => {
  await vault.write(Array.from({ length: 60 }, (_, at): Write => ({ store: 'sealed', key: `row:${at}`, value: { json: at } })))
  const database = vi.spyOn((await import('fake-indexeddb')).IDBDatabase.prototype, 'transaction')
  const read = await Promise.all([
    ...Array.from({ length: 60 }, (_, at) => vault.get('sealed', `row:${at}`)),
    vault.get('groups', 'no room'),
  ])
  expect(read.map((row) => row?.json)).toEqual([...Array.from({ length: 60 }, (_, at) => at), undefined])
  expect(database).toHaveBeenCalledTimes(1)
  vault.close()
  const late = await Promise.allSettled([vault.get('sealed', 'row:1'), vault.get('sealed', 'row:2')])
  expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('The address book is opened once for as long as it stays; what another tab writes is seen at once', async () => {
  const book = (first: string) => ({ pins: { first, rest: 'x'.repeat(20_000) } })
  const write = (by: Vault, first: string) => by.write([{ store: 'sealed', key: 'book', value: { json: book(first) } }])
  const tab = await openVault(ALICE.userId, secret, { factory: browser })
  await write(vault, 'Bob')
  const decrypt = vi.spyOn(crypto.subtle, 'decrypt')
  for (let time = 0; time < 3; time++) expect(await vault.get('sealed', 'book')).toEqual({ json: book('Bob') })
  expect(decrypt).toHaveBeenCalledTimes(1)
  await write(tab, 'Carol')
  expect(await vault.get('sealed', 'book')).toEqual({ json: book('Carol') })
  await write(vault, 'Dave')
  expect(await tab.get('sealed', 'book')).toEqual({ json: book('Dave') })
  tab.close()
})

test('A large row that was changed on the disk does not open, also after it was read', async () => {
  await vault.write([{ store: 'sealed', key: 'book', value: { json: 'x'.repeat(20_000) } }])
  await vault.get('sealed', 'book')
  await meddle(async (objects) => {
    const sealed = await answerOf<Uint8Array>(objects('sealed').get('book'))
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
    objects('sealed').put(sealed, 'book')
  })
  await expect(vault.get('sealed', 'book')).rejects.toThrow(failure('seal'))
})
