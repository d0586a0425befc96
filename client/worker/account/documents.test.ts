import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Keyring, Manifest } from '../../../contract/account/documents.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { type NewerBuild, newerBuild } from '../../testing/newer.ts'
import { at, passwordOf, type TestPerson } from '../../testing/people.ts'
import { changesKeys, patchedClient, people } from '../../testing/room.ts'
import { accountIn, saltOf } from '../../testing/state.ts'
import type { Wire } from '../../testing/wire.ts'
import { signDocument } from '../keys/document.ts'
import { openKeyring, rewrapKeyring } from '../keys/keyring.ts'
import { stretchPassword } from '../keys/password.ts'
import { signBook } from '../keys/signature.ts'
import { openBookText, readBook } from '../lists/book.ts'
import { hkdf, sealWith } from '../primitives/seal.ts'

// Documents written by a build of next year: they hold unknown fields or have an unknown version.

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let newer: NewerBuild

beforeAll(async () => {
  newer = await newerBuild()
})
beforeEach(async () => {
  const made = await people()
  wire = made.wire
  alice = made.alice
  bob = made.bob
})

async function wayOf({ username }: TestPerson) {
  const { passwordSeed } = await stretchPassword(username, passwordOf(username), fromBase64(saltOf(username)))
  return { kind: 'password', seed: passwordSeed } as const
}

const accountOf = ({ userId }: TestPerson) => accountIn(wire, userId)

const json = ({ content }: Signed) => JSON.parse(content)

/** Another browser of the person signs fields that only a newer build knows. Both documents get the next version. */
async function signsNewer(person: TestPerson, change: (manifest: Manifest) => object, extra: object = {}) {
  const account = accountOf(person)
  const opened = await openKeyring(account.keys.keyring, await wayOf(person))
  const { secret } = opened
  const ways = opened.keyring.ways.map((way) => ({ ...way, counter: 7 }))
  const keyring = { ...opened.keyring, ways, policy: { strict: true } } as Keyring
  const inside = { ...secret, ways: secret.ways.map((way) => ({ ...way, label: 'mine' })), lockSeeds: ['x'] }
  const next = await rewrapKeyring({ ...opened, keyring, secret: inside })
  const manifest = json(account.keys.manifest) as Manifest
  const changed = { ...manifest, version: manifest.version + 1, keyringVersion: next.keyring.version, ...change(manifest) }
  account.keys.manifest = signDocument(secret.identitySeed, 'conclave/manifest/v1', changed)
  account.keys.keyring = signDocument(secret.identitySeed, 'conclave/keyring/v1', { ...next.keyring, ...extra })
}

const withMore = ({ devices }: Manifest) => ({
  nickname: 'alice',
  removedAt: {},
  devices: devices.map((device) => ({ ...device, model: { year: 2030 } })),
})

test('A change of keys carries what a newer build has put into manifest and keyring, inside and out', async () => {
  const tablet = await alice.newComputer()
  await signsNewer(alice, withMore)
  await alice.core.newKit()
  await changesKeys(alice, { removeDevices: [tablet.deviceId], kit: 'new' })
  const { keyring, manifest } = accountOf(alice).keys
  expect(json(manifest)).toMatchObject({
    ...{ nickname: 'alice', removedAt: {}, removed: [tablet.deviceId] },
    devices: [{ id: alice.deviceId, model: { year: 2030 } }],
  })
  expect(json(keyring)).toMatchObject({
    policy: { strict: true },
    ways: [{ id: 'password', counter: 7 }, { id: 'kit' }],
  })
  expect(json(keyring).ways[1]).not.toHaveProperty('counter')
  const { secret } = await openKeyring(keyring, await wayOf(alice))
  expect(secret).toMatchObject({ lockSeeds: ['x'], ways: [{ id: 'password', label: 'mine' }, { id: 'kit' }] })
  expect(secret.historyKeys).toHaveLength(2)
})

test('A browser that is added carries it too', async () => {
  await signsNewer(alice, withMore)
  const laptop = await alice.newComputer()
  const { manifest } = accountOf(alice).keys
  expect(json(manifest)).toMatchObject({ nickname: 'alice', devices: [{ model: { year: 2030 } }, { id: laptop.deviceId }] })
  await alice.says(bob, 'hello')
  expect(await laptop.hears(bob)).toEqual(['hello'])
})

test('Every list is full and every document has fields without end: a browser can still be removed, the kit made, and 16 KiB of them stay', async () => {
  const tablet = await alice.newComputer()
  const removed = Array.from({ length: LIMITS.devicesEverMax - 2 }, (_, at) => at.toString(16).padStart(32, '0'))
  const later = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`)
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`field ${at}`, at]))
  await signsNewer(alice, () => ({ removed, removedAt: Object.fromEntries(removed.map((id) => [id, 1])), later, ...many }), {
    later,
    ...many,
  })
  // No further browser, so that each one that is there can be removed.
  await expect(alice.newComputer()).rejects.toMatchObject({ code: 'too_many_devices' })
  await alice.core.newKit()
  await changesKeys(alice, { removeDevices: [tablet.deviceId], kit: 'new' })
  const { keyring, manifest } = accountOf(alice).keys
  for (const { content } of [keyring, manifest]) expect(content.length).toBeLessThan(LIMITS.bodyBytes / 2)
  expect(json(manifest)).toMatchObject({ devices: [{ id: alice.deviceId }], 'field 1': 1 })
  expect(json(manifest)).not.toHaveProperty('later')
  expect(json(keyring)).not.toHaveProperty('later')
})

test('A way in of a kind that is not known stays, and does not keep the others from opening', async () => {
  const account = accountOf(alice)
  const opened = await openKeyring(account.keys.keyring, await wayOf(alice))
  const [way] = opened.secret.ways
  if (!way) throw new Error('No way in')
  const other = { ...way, id: 'card:1', kind: 'card' }
  const next = await rewrapKeyring({ ...opened, secret: { ...opened.secret, ways: [way, other] } })
  const manifest = json(account.keys.manifest)
  account.keys.keyring = next.signed
  account.keys.manifest = signDocument(opened.secret.identitySeed, 'conclave/manifest/v1', {
    ...manifest,
    version: manifest.version + 1,
    keyringVersion: next.keyring.version,
  })
  await alice.core.newKit()
  await changesKeys(alice, { kit: 'new' })
  expect(json(account.keys.keyring).ways.map(({ kind }: { kind: string }) => kind)).toEqual(['password', 'card', 'kit'])
})

test('A device list in a form that is not known is refused by that name, and nothing is put in its place', async () => {
  await alice.says(bob, 'hello')
  await signsNewer(bob, () => ({ v: 2, branches: [] }))
  await signsNewer(alice, () => ({ v: 2, branches: [] }))
  const kept = structuredClone(accountOf(alice).keys)
  await expect(alice.says(bob, 'to whom?')).rejects.toMatchObject({ code: 'newer_version', message: NEEDS_NEWER })
  await expect(changesKeys(alice, { keepsHistory: false })).rejects.toMatchObject({ code: 'newer_version' })
  expect(accountOf(alice).keys).toEqual(kept)
  expect(wire.rooms.get(alice.contact(bob).chatRoomId)?.log.filter(({ kind }) => kind === 'message')).toHaveLength(1)
})

test('A keyring in a form that is not known is not called a wrong password', async () => {
  await signsNewer(alice, () => ({}), { v: 2 })
  const { keyring } = accountOf(alice).keys
  await expect(openKeyring(keyring, await wayOf(alice))).rejects.toMatchObject({ code: 'newer_version' })
})

/** Opens the account's book on the server, as any browser of the account can. */
async function bookOnServer(person: TestPerson): Promise<string> {
  const { live } = await patchedClient(person, bob)
  const { book } = accountOf(person)
  if (book.sealed === null) throw new Error('No book')
  await person.core.ownDevices()
  const text = await openBookText(live, { ...book, sealed: book.sealed })
  live.vault.close()
  return text
}

/** Saves a book as another browser of the account. */
async function savesBook(person: TestPerson, change: (book: Record<string, unknown>) => object): Promise<string> {
  const { live } = await patchedClient(person, bob)
  const { book } = await readBook(live)
  const text = JSON.stringify(change(JSON.parse(JSON.stringify(book))))
  const account = accountOf(person)
  const version = account.book.version + 1
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const key = await hkdf(history.seed, 'conclave/book-key/v1')
  const sealed = await sealWith(key, 'conclave/book/v1', utf8(text), live.identityKey, String(version))
  account.book = signBook(live, { version, historyKeyId: history.id, sealed: toBase64(sealed) })
  live.vault.close()
  return text
}

const verifies = async (person: TestPerson, userId: string) => {
  const { identityKey } = await person.core.safetyNumber({ userId })
  await person.core.setVerified({ userId, identityKey, isVerified: true })
}

interface AnyBook {
  pins: Record<string, object>
}

test('A book carries what a newer build has put into it and its pins, through a decision and a merge', async () => {
  await alice.says(bob, 'hello')
  await savesBook(alice, (book) => {
    const { pins } = book as unknown as AnyBook
    return {
      ...book,
      rules: { room: { n: 1 } },
      pins: Object.fromEntries(Object.entries(pins).map(([id, pin]) => [id, { ...pin, motto: 'bob', later: { n: 3 } }])),
    }
  })
  await syncBook(alice.env)
  await verifies(alice, bob.userId)
  // Meanwhile another browser saved a book with more entries. Afterwards the book has the entries of both.
  await savesBook(alice, (book) => ({ ...book, rules: { chat: { n: 2 } }, seen: 4 }))
  await syncBook(alice.env)
  const saved = JSON.parse(await bookOnServer(alice))
  expect(saved).toMatchObject({
    rules: { room: { n: 1 }, chat: { n: 2 } },
    seen: 4,
    pins: { [bob.userId]: { isVerified: true, motto: 'bob', later: { n: 3 } } },
  })
  const before = accountOf(alice).book.version
  await syncBook(alice.env)
  expect(accountOf(alice).book.version).toBe(before)
})

test('A book in a form that is not known is never replaced: decisions wait here until a newer page writes them into it', async () => {
  await alice.says(bob, 'hello')
  await syncBook(alice.env)
  const text = await savesBook(alice, (book) => ({ v: 2, ...book, folders: ['friends'] }))
  await syncBook(alice.env)
  await verifies(alice, bob.userId)
  await syncBook(alice.env)
  expect(await bookOnServer(alice)).toBe(text)
  expect(await alice.verified()).toEqual([bob.userId])
  await alice.says(bob, 'still here')
  expect((await bob.hears(alice)).at(-1)).toBe('still here')

  await alice.core.close()
  const core = newer.createCore()
  await at(alice.computer, () => core.open({ userId: alice.userId, username: alice.username, unlock: alice.unlock }))
  const { sealed, ...stored } = accountOf(alice).book
  await core.mergeBook({ ...stored, sealed })
  const saved = await core.sealBook()
  if (!saved) throw new Error('Nothing to save')
  accountOf(alice).book = saved
  await core.close()
  await at(alice.computer, () => alice.core.open({ userId: alice.userId, username: alice.username, unlock: alice.unlock }))
  expect(JSON.parse(await bookOnServer(alice))).toMatchObject({
    ...{ v: 2, folders: ['friends'] },
    pins: { [bob.userId]: { isVerified: true } },
  })
})

test('A removal under a new history key passes such a book on as it is', async () => {
  await alice.says(bob, 'hello')
  const tablet = await alice.newComputer()
  await syncBook(alice.env)
  const text = await savesBook(alice, (book) => ({ v: 2, ...book, folders: ['friends'] }))
  await syncBook(alice.env)
  await changesKeys(alice, { removeDevices: [tablet.deviceId] })
  expect(accountOf(alice).book.historyKeyId).toBe(2)
  expect(await bookOnServer(alice)).toBe(text)
  await syncBook(alice.env)
  expect(await bookOnServer(alice)).toBe(text)
})

test('A browser whose first book is in such a form pins nobody', async () => {
  await alice.says(bob, 'hello')
  await syncBook(alice.env)
  await savesBook(alice, (book) => ({ v: 2, ...book }))
  const laptop = await alice.newComputer()
  await expect(laptop.reads(bob)).rejects.toMatchObject({ code: 'newer_version', message: NEEDS_NEWER })
  expect(await laptop.verified()).toEqual([])
  await expect(laptop.core.safetyNumber({ userId: bob.userId })).rejects.toMatchObject({ code: 'no_key' })
})
