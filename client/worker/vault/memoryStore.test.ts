import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeLocks } from '../../testing/locks.ts'
import { randomBytes } from '../primitives/seal.ts'
import { createVault } from './newvault.ts'
import { destroyVault, openVault } from './vault.ts'
import { knownVaultOf } from './vaults.ts'
import { readyStore } from './windowStore.ts'

const ALICE = { userId: '6f1c0f3a-0000-4000-8000-000000000001', username: 'Alice', deviceId: 'aa'.repeat(16) }

const [kept, range] = [globalThis.indexedDB, globalThis.IDBKeyRange]
const refusing = (name: string) => ({
  databases: () => Promise.reject(new DOMException('A mutation operation was attempted', name)),
  open: () => expect.fail('opened'),
})

/** The part with databases in memory cannot be loaded meanwhile. */
async function withoutPart(work: () => Promise<void>): Promise<void> {
  vi.doMock('./memoryStore.ts', () => expect.fail('loaded'))
  await work().finally(() => vi.doUnmock('./memoryStore.ts'))
}

beforeEach(() => vi.stubGlobal('navigator', { locks: fakeLocks() }))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  for (const [name, value] of Object.entries({ indexedDB: kept, IDBKeyRange: range }))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
})

test.each(['InvalidStateError', 'SecurityError'])(
  'In a window that refuses its store with %s a vault is made, written, found and deleted in memory',
  async (name) => {
    vi.stubGlobal('indexedDB', refusing(name))
    vi.stubGlobal('IDBKeyRange', undefined)
    await readyStore()
    const secret = randomBytes(32)
    const vault = await createVault(ALICE, secret, [{ store: 'messages', key: ['room', 1], value: { json: 'hello' } }])
    vault.close()
    expect(await knownVaultOf('alice')).toEqual({ userId: ALICE.userId, deviceId: ALICE.deviceId })
    const again = await openVault(ALICE.userId, secret)
    expect(await again.page('messages', 'room', { limit: 5 })).toEqual([{ seq: 1, value: { json: 'hello' } }])
    await destroyVault(ALICE.userId)
    expect(await knownVaultOf('alice')).toBeUndefined()
  },
)

test('A browser without IndexedDB gets one in memory', async () => {
  vi.stubGlobal('indexedDB', undefined)
  await readyStore()
  expect(globalThis.indexedDB).toBeInstanceOf(IDBFactory)
  expect(globalThis.IDBKeyRange).toBe(IDBKeyRange)
})

test('A store that opens is used, and so is that of an older Firefox, which lists nothing', async () => {
  for (const store of [new IDBFactory(), { open: () => undefined }]) {
    vi.stubGlobal('indexedDB', store)
    await withoutPart(readyStore)
    expect(globalThis.indexedDB).toBe(store)
  }
})

test('An error of the disk is not taken for a window without a store: the vaults on it stay', async () => {
  const broken = refusing('UnknownError')
  vi.stubGlobal('indexedDB', broken)
  await withoutPart(readyStore)
  expect(globalThis.indexedDB).toBe(broken)
})

test('A second tab of such a window is refused by name, and takes over once the first is gone', async () => {
  vi.stubGlobal('indexedDB', refusing('InvalidStateError'))
  const tab = new AbortController()
  const isClosed = new Promise((resolve) => tab.signal.addEventListener('abort', resolve))
  const first = navigator.locks.request('conclave/memory-vault', () => isClosed)
  const gone = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(gone.signal)
  const second = readyStore()
  const refused = expect(second).rejects.toMatchObject({ code: 'other_tab', message: expect.stringContaining('another tab') })
  await vi.waitFor(() => expect(AbortSignal.timeout).toHaveBeenCalled())
  gone.abort(new DOMException('late', 'TimeoutError'))
  await refused
  vi.mocked(AbortSignal.timeout).mockReturnValue(new AbortController().signal)
  const third = readyStore()
  tab.abort()
  await Promise.all([first, third])
  expect(globalThis.indexedDB).toBeInstanceOf(IDBFactory)
})
