import 'fake-indexeddb/auto'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { browserWith, type Disk, readDisk } from '../../testing/disk.ts'
import { openFixture } from '../../testing/fixtures/fixture.ts'
import { hkdf, lockedKey, openWith, randomBytes } from '../primitives/seal.ts'
import { answerOf } from './database.ts'
import { createVault } from './newvault.ts'
import { addLock, removeLock, renewLockPassword, setLockAfter } from './rewrap.ts'
import { openVault, type Write } from './vault.ts'
import { lockStanding } from './vaultLock.ts'
import type { LockSecret } from './wraps.ts'

const ALICE = { userId: '6f1c0f3a-0000-4000-8000-000000000001', username: 'Alice', deviceId: 'aa'.repeat(16) }
const { userId } = ALICE
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const row: Write = { store: 'messages', key: ['dm_a_b', 1], value: { json: 'kept' } }

const passwordSecret = (salt = randomBytes(16)): LockSecret => ({ kind: 'password', secret: randomBytes(32), salt })
const passkeySecret = (id: string): LockSecret => ({ kind: 'passkey', secret: randomBytes(32), id })

let browser: IDBFactory
let unlockSecret: Uint8Array

beforeEach(async () => {
  browser = new IDBFactory()
  unlockSecret = randomBytes(32)
  ;(await createVault(ALICE, unlockSecret, [row], browser)).close()
})
afterEach(() => vi.restoreAllMocks())

/** Opens the vault with the entered secrets, and reads a row. */
async function reads(entered: LockSecret[] = [], factory = browser): Promise<unknown> {
  const vault = await openVault(userId, unlockSecret, { factory, entered })
  const value = await vault.get('messages', ['dm_a_b', 1])
  vault.close()
  return value?.json
}

const keys = (...entered: LockSecret[]) => ({ userId, unlockSecret, entered })
/** What a thief of the profile and the session has: the whole disk and the unlock secret. */
const copied = async () => browserWith(await readDisk(browser))
const headIn = (disk: Disk[]) =>
  disk.flatMap(({ stores }) => stores.flatMap(({ rows }) => rows)).find(([key]) => key === 'head')?.[1]

test('A copied profile with its session opens nothing while the lock is on; one secret of the person opens it', async () => {
  const password = passwordSecret()
  const passkey = passkeySecret('AQL6')
  expect(await reads([], await copied())).toBe('kept')
  await addLock(keys(), { secrets: [password, passkey], after: 15 }, browser)
  const thief = await copied()
  await expect(reads([], thief)).rejects.toThrow(failure('vault_locked'))
  await expect(reads([passwordSecret(password.salt)], thief)).rejects.toThrow(failure('lock_secret'))
  // The right bytes with another kind or another passkey id open nothing.
  await expect(reads([{ ...passkey, kind: 'password' }], thief)).rejects.toThrow(failure('lock_secret'))
  await expect(reads([{ ...passkey, id: 'other' }], thief)).rejects.toThrow(failure('lock_secret'))
  for (const secret of [password, passkey]) expect(await reads([secret], await copied())).toBe('kept')
})

test('The lock says what it asks for, and changes its time without a secret', async () => {
  expect(await lockStanding(userId, browser)).toBeNull()
  await setLockAfter(userId, 5, browser)
  expect(await lockStanding(userId, browser)).toBeNull()
  const password = passwordSecret(new Uint8Array(16))
  await addLock(keys(), { secrets: [password, passkeySecret('AQL6')], after: 60 }, browser)
  const passwordSalt = 'AAAAAAAAAAAAAAAAAAAAAA=='
  expect(await lockStanding(userId, browser)).toEqual({ after: 60, passwordSalt, passkeyIds: ['AQL6'] })
  await setLockAfter(userId, 'hidden', browser)
  expect(await lockStanding(userId, browser)).toMatchObject({ after: 'hidden' })
  expect(await reads([password])).toBe('kept')
})

test('Switching the lock off and changing its password take what opens it; without, everything stays as it is', async () => {
  const [first, next] = [passwordSecret(), passwordSecret()]
  const passkey = passkeySecret('AQL6')
  await addLock(keys(), { secrets: [first, passkey], after: 5 }, browser)
  for (const change of [
    removeLock(keys(), browser),
    removeLock(keys(next), browser),
    renewLockPassword(keys(next), next, browser),
    addLock(keys(next), { secrets: [next], after: 5 }, browser),
  ])
    await expect(change).rejects.toMatchObject({ name: 'CryptoFailure' })
  expect(await reads([first])).toBe('kept')
  await renewLockPassword(keys(first), next, browser)
  await expect(reads([first])).rejects.toThrow(failure('lock_secret'))
  for (const secret of [next, passkey]) expect(await reads([secret])).toBe('kept')
  await removeLock(keys(passkey), browser)
  expect(await lockStanding(userId, browser)).toBeNull()
  expect(await reads()).toBe('kept')
})

test('A lock without a secret is not made', () => {
  expect(() => addLock(keys(), { secrets: [], after: 5 }, browser)).toThrow(failure('password'))
})

test('Another secret of the server is said as such, never taken for a wrong password', async () => {
  const password = passwordSecret()
  await addLock(keys(), { secrets: [password], after: 5 }, browser)
  unlockSecret = randomBytes(32)
  for (const entered of [[], [password], [passwordSecret()]]) await expect(reads(entered)).rejects.toThrow(failure('vault_shut'))
})

test('A crash while the lock is switched leaves the old head or the new one', async () => {
  const password = passwordSecret()
  const { put } = IDBObjectStore.prototype
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    const request = put.call(this, value, key)
    if (key === 'head') this.transaction.abort()
    return request
  })
  await expect(addLock(keys(), { secrets: [password], after: 5 }, browser)).rejects.toThrow()
  expect(await reads()).toBe('kept')
  vi.restoreAllMocks()
  await addLock(keys(), { secrets: [password], after: 5 }, browser)
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    const request = put.call(this, value, key)
    if (key === 'head') this.transaction.abort()
    return request
  })
  await expect(removeLock(keys(password), browser)).rejects.toThrow()
  await expect(reads()).rejects.toThrow(failure('vault_locked'))
  expect(await reads([password])).toBe('kept')
})

test("Two tabs switch the lock at the same moment: one of the two is what holds, and the vault's rows stay readable", async () => {
  const [one, other] = [passwordSecret(), passwordSecret()]
  const outcomes = await Promise.allSettled([
    addLock(keys(), { secrets: [one], after: 5 }, browser),
    addLock(keys(), { secrets: [other], after: 60 }, browser),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await reads([one])).toBe('kept')
})

test('A vault of the first version opens as it was, its local key goes with its head, and a lock then holds for every copy', async () => {
  const { disk, alice } = await openFixture('first')
  const before = headIn(disk)
  expect(before).toMatchObject({ format: 1, localKey: expect.anything() })
  browser = await browserWith(disk)
  unlockSecret = fromBase64(alice.unlock.unlockSecret)
  const open = (entered: LockSecret[] = []) => openVault(alice.userId, unlockSecret, { factory: browser, entered })
  // Two tabs open the vault at the same time.
  const tabs = await Promise.all([open(), open()])
  const rows = await tabs[0].all('sealed')
  for (const tab of tabs) tab.close()
  const after = await readDisk(browser)
  expect(headIn(after)).toMatchObject({ format: 2, wraps: [{ kind: 'none' }] })
  expect(headIn(after)).not.toHaveProperty('localKey')
  // No row was sealed again.
  const sealedIn = (all: Disk[]) => all.flatMap(({ stores }) => stores.filter(({ name }) => name !== 'meta' && name !== 'vaults'))
  expect(sealedIn(after)).toEqual(sealedIn(disk))

  const password = passwordSecret()
  await addLock({ userId: alice.userId, unlockSecret, entered: [] }, { secrets: [password], after: 15 }, browser)
  const stolen = await readDisk(browser)
  await expect(open()).rejects.toThrow(failure('vault_locked'))
  const localKeys = JSON.stringify(stolen).matchAll(/"localKey":\{"\$bytes":"([^"]+)"/g)
  const messages = stolen.flatMap(({ stores }) => stores).find(({ name }) => name === 'sealed')?.rows ?? []
  expect(messages.length).toBeGreaterThan(0)
  const [key, value] = messages[0] ?? []
  // By V1, no local key on the disk derives the row key any more.
  for (const [, localKey = ''] of localKeys) {
    const made = await lockedKey(await hkdf(encodeFields(fromBase64(localKey), unlockSecret), 'conclave/vault/v1'))
    const sealed = fromBase64((value as { $bytes: string }).$bytes)
    await expect(openWith(made, 'conclave/vault-row/v1', sealed, 'sealed', String(key))).rejects.toThrow(failure('seal'))
  }
  const opened = await open([password])
  expect(await opened.all('sealed')).toEqual(rows)
  opened.close()
})

test('A vault of before opens on a full disk too, and is brought up to date later', async () => {
  const { disk, alice } = await openFixture('first')
  browser = await browserWith(disk)
  unlockSecret = fromBase64(alice.unlock.unlockSecret)
  const { put } = IDBObjectStore.prototype
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    if (key === 'head') throw new DOMException('The disk is full', 'QuotaExceededError')
    return put.call(this, value, key)
  })
  const open = async () => (await openVault(alice.userId, unlockSecret, { factory: browser })).close()
  await open()
  expect(headIn(await readDisk(browser))).toMatchObject({ format: 1 })
  vi.restoreAllMocks()
  await open()
  expect(headIn(await readDisk(browser))).toMatchObject({ format: 2 })
})

test('A tab of a build that knows only the first head lets go of the vault', async () => {
  const { disk, alice } = await openFixture('first')
  browser = await browserWith(disk)
  const old = await answerOf(browser.open(`conclave-${alice.userId}`, 1))
  const onVersionChange = vi.fn(() => old.close())
  old.onversionchange = onVersionChange
  ;(await openVault(alice.userId, fromBase64(alice.unlock.unlockSecret), { factory: browser })).close()
  expect(onVersionChange).toHaveBeenCalledTimes(1)
  await expect(answerOf(browser.open(`conclave-${alice.userId}`, 1))).rejects.toMatchObject({ name: 'VersionError' })
})
