import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { browserWith } from '../../testing/disk.ts'
import { openFixture } from '../../testing/fixtures/fixture.ts'
import { at } from '../../testing/people.ts'
import { createCore } from '../core.ts'
import { randomBytes } from '../primitives/seal.ts'
import { answerOf, UPDATED_ELSEWHERE } from './database.ts'
import type { Migration } from './migrations.ts'
import { createVault, listVault } from './newvault.ts'
import { openVault, type Vault, type Write } from './vault.ts'
import { jsonOf } from './vaultRows.ts'
import { knownVaultOf } from './vaults.ts'

// Two tabs of one browser: one of this build, and one of a newer build with one more vault version.

const ALICE = { userId: '6f1c0f3a-0000-4000-8000-000000000001', username: 'Alice', deviceId: 'aa'.repeat(16) }
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const row: Write = { store: 'messages', key: ['dm_a_b', 1], value: { json: 'kept' } }

interface Newer {
  openVault: typeof openVault
  knownVaultOf: typeof knownVaultOf
  listVault: typeof listVault
}

let newer: Newer
/** Runs in the newer build's last migration, after it has created a store. */
let step: (upgrade: IDBTransaction) => void

/** The newer build's migrations of the list of vaults. */
let list: Migration[]

beforeAll(async () => {
  vi.resetModules()
  vi.doMock('./migrations.ts', async (original) => {
    const ours = await original<{ VAULT: Migration[]; LIST: Migration[] }>()
    const last: Migration = (database, upgrade) => {
      database.createObjectStore('notes')
      step(upgrade)
    }
    list = [...ours.LIST]
    return { ...ours, VAULT: [...ours.VAULT, last], LIST: list }
  })
  newer = { ...(await import('./vault.ts')), ...(await import('./vaults.ts')), ...(await import('./newvault.ts')) }
  vi.doUnmock('./migrations.ts')
  vi.resetModules()
})

let browser: IDBFactory
let secret: Uint8Array
let old: Vault

beforeEach(async () => {
  step = () => undefined
  browser = new IDBFactory()
  secret = randomBytes(32)
  old = await createVault(ALICE, secret, [], browser)
  await old.write([row])
})

const versionOf = async (name: string) => (await browser.databases()).find((one) => one.name === name)?.version
const databaseName = `conclave-${ALICE.userId}`

test('A newer tab takes the vault over with all that is in it; the older one lets go and says why', async () => {
  const onClosed = vi.fn()
  old.onClosed(onClosed)
  const vault = await newer.openVault(ALICE.userId, secret, { factory: browser })
  expect(await vault.get('messages', ['dm_a_b', 1])).toEqual({ json: 'kept' })
  expect(await versionOf(databaseName)).toBe(4)
  expect(onClosed.mock.calls).toEqual([['update']])
  for (const work of [() => old.get('messages', ['dm_a_b', 1]), () => old.write([row]), () => old.all('outbox')])
    await expect(work()).rejects.toThrow(failure('vault_newer'))
  await expect(old.write([row])).rejects.toThrow(UPDATED_ELSEWHERE)
})

test('To an older tab a newer vault is not an absent one: it opens nothing and makes nothing', async () => {
  ;(await newer.openVault(ALICE.userId, secret, { factory: browser })).close()
  await expect(openVault(ALICE.userId, secret, { factory: browser })).rejects.toThrow(failure('vault_newer'))
  await expect(knownVaultOf('alice', browser)).rejects.toThrow(failure('vault_newer'))
  await expect(createVault(ALICE, randomBytes(32), [], browser)).rejects.toThrow(failure('vault_newer'))
  expect(await (await newer.openVault(ALICE.userId, secret, { factory: browser })).get('messages', ['dm_a_b', 1])).toEqual({
    json: 'kept',
  })
  const row = { ...ALICE, database: databaseName }
  list.push(() => undefined)
  await newer.listVault(row, browser)
  await expect(listVault(row, browser)).rejects.toThrow(failure('vault_newer'))
  list.pop()
})

test('While an older tab does not let go, a newer one waits, and an older one that asks meanwhile does not find an empty browser', async () => {
  old.close()
  // A suspended tab, which does not receive the request to close its connection.
  const asleep = await answerOf(browser.open(databaseName))
  const isAsked = new Promise((resolve) => asleep.addEventListener('versionchange', resolve))
  let hasOpened = false
  const opening = newer.openVault(ALICE.userId, secret, { factory: browser }).then((vault) => {
    hasOpened = true
    return vault
  })
  const asking = knownVaultOf('alice', browser).catch((error: unknown) => error)
  await isAsked
  // Another answer of the same databases: what was asked before would have been answered by now.
  await browser.databases()
  expect(hasOpened).toBe(false)
  asleep.close()
  expect(await (await opening).get('messages', ['dm_a_b', 1])).toEqual({ json: 'kept' })
  expect(await asking).toEqual(failure('vault_newer'))
})

test('A connection that was just opened lets go as well', async () => {
  old.close()
  const [first, second] = await Promise.allSettled([
    openVault(ALICE.userId, secret, { factory: browser }),
    newer.openVault(ALICE.userId, secret, { factory: browser }),
  ])
  expect(second.status).toBe('fulfilled')
  if (first.status === 'fulfilled') await expect(first.value.get('own', 'x')).rejects.toMatchObject({ name: 'CryptoFailure' })
})

test.each([
  [
    'throws',
    () => {
      throw new Error('crashed')
    },
  ],
  ['is given up', (upgrade: IDBTransaction) => upgrade.abort()],
])('An upgrade that %s in the middle leaves the vault as it was', async (_, crash) => {
  step = (upgrade) => {
    upgrade.objectStore('messages').clear()
    crash(upgrade)
  }
  await expect(newer.openVault(ALICE.userId, secret, { factory: browser })).rejects.toThrow(failure('vault_upgrade'))
  expect(await versionOf(databaseName)).toBe(3)
  const again = await openVault(ALICE.userId, secret, { factory: browser })
  expect(await again.get('messages', ['dm_a_b', 1])).toEqual({ json: 'kept' })
  again.close()
  step = () => undefined
  expect(await (await newer.openVault(ALICE.userId, secret, { factory: browser })).get('messages', ['dm_a_b', 1])).toEqual({
    json: 'kept',
  })
})

test('A vault of the first version opens in the newest build', async () => {
  const { disk, alice, chatRoomId } = await openFixture('first')
  const itsBrowser = await browserWith(disk)
  const vault = await newer.openVault(alice.userId, Buffer.from(alice.unlock.unlockSecret, 'base64'), { factory: itsBrowser })
  expect(await vault.page('messages', chatRoomId, { limit: 100 })).toHaveLength(8)
  expect(await newer.knownVaultOf(alice.username, itsBrowser)).toEqual({
    userId: alice.userId,
    deviceId: alice.unlock.deviceId,
  })
})

test('Nobody enrols an older page over a vault that a newer one keeps, and an open page is told to load again', async () => {
  const { phone, alice, wire } = await openFixture('first')
  const untilUpdated = phone.core.untilUpdated().catch((error: unknown) => error)
  const vault = await newer.openVault(alice.userId, Buffer.from(alice.unlock.unlockSecret, 'base64'), { factory: phone.computer })
  expect(await untilUpdated).toMatchObject({ code: 'vault_newer', message: UPDATED_ELSEWHERE })
  const core = createCore()
  await core.stretch(alice)
  const { keyring, manifest } = wire.accounts.get(alice.userId)?.keys ?? {}
  if (!keyring || !manifest) throw new Error('The fixture has no keys')
  await core.reviewAccount({ keyring, manifest })
  await core.draftDevice({ deviceName: { name: 'Older page', browser: '', system: '' }, username: alice.username })
  const { userId, username, unlock } = alice
  const keeps = at(phone.computer, () => core.keepKeys({ userId, username, unlockSecret: unlock.unlockSecret }))
  await expect(keeps).rejects.toThrow(failure('vault_newer'))
  expect(await vault.get('sealed', 'book')).toBeDefined()
})

test('A row that is not as it must be is said as such', () => {
  const shape = z.object({ seq: z.number() })
  expect(jsonOf(shape, { json: { seq: 1 } })).toEqual({ seq: 1 })
  for (const json of [null, 'text', {}, { seq: '1' }]) expect(() => jsonOf(shape, { json })).toThrow(failure('vault_row'))
})
