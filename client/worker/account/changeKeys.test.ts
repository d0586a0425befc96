import { randomBytes } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { expect, test } from 'vitest'
import { devicesApi, type KeyChange } from '../../../contract/account/devices.ts'
import { ADDED_AT_SEALED, keyringShape, manifestShape } from '../../../contract/account/documents.ts'
import { fromBase64, toBase64, toBase64Url } from '../../../contract/ground/bytes.ts'
import { changeKeys } from '../../me/account/keys.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { at, newPerson, passwordOf, type TestPerson } from '../../testing/people.ts'
import { saltOf } from '../../testing/state.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { historyKeyOf, openHistorySeal, readHistory } from '../keys/history.ts'
import { openKeyring } from '../keys/keyring.ts'
import { signManifest } from '../keys/newidentity.ts'
import { stretchPassword } from '../keys/password.ts'
import { openBook, readBook } from '../lists/book.ts'
import { takeOwnManifest } from '../lists/ownManifest.ts'
import { peerOf, removedIn } from '../lists/peers.ts'
import { openArchiveKey, sealArchiveKey } from '../messages/archive.ts'
import { sealTo } from '../primitives/seal.ts'
import type { KeyChangeRequest } from './changeKeys.ts'
import { openLive } from './openAccount.ts'
import { reviewAccount } from './reviewAccount.ts'

const typed = ({ username }: TestPerson) => ({ username, password: passwordOf(username), salt: saltOf(username) })

async function wayOf(person: TestPerson) {
  const { username, password, salt } = typed(person)
  const { passwordSeed } = await stretchPassword(username, password, fromBase64(salt))
  return { id: 'password', kind: 'password' as const, seed: passwordSeed }
}

const on = (wire: Wire, { userId }: TestPerson) => {
  const account = wire.accounts.get(userId)
  if (!account) throw new Error('The account is not on the wire')
  return account
}

const manifestOf = (wire: Wire, person: TestPerson) => manifestShape.parse(JSON.parse(on(wire, person).keys.manifest.content))
const waysOf = (wire: Wire, person: TestPerson) => keyringShape.parse(JSON.parse(on(wire, person).keys.keyring.content)).ways

async function drafts(wire: Wire, person: TestPerson, request: KeyChangeRequest): Promise<KeyChange> {
  await person.core.reviewAccount(on(wire, person).keys)
  await syncBook(person.env)
  return person.core.draftChange(request)
}

/** Changes the keys by the way in that the worker holds. Returns what was sent. */
async function changes(person: TestPerson, request: KeyChangeRequest): Promise<KeyChange> {
  const sent: KeyChange[] = []
  async function draftChange(asked: KeyChangeRequest): Promise<KeyChange> {
    const change = await person.core.draftChange(asked)
    sent.push(change)
    return change
  }
  await changeKeys({ ...person.env, crypto: { ...person.core, draftChange } }, { kind: 'fresh' }, request)
  const change = sent.at(-1)
  if (!change) throw new Error('Nothing was sent')
  return change
}

/** Alice at two computers; the second has the password entered. */
async function twoComputers() {
  const wire = createWire()
  const alice = await newPerson(wire)
  const laptop = await alice.newComputer()
  await laptop.core.stretch(typed(alice))
  return { wire, alice, laptop }
}

/** All texts without the names of their fields, also in documents. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('{') ? textsIn(JSON.parse(value)) : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })

test('A removed browser opens neither the new address book nor new archive keys, whatever the server hands it', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const { historySeals, book } = await changes(laptop, { removeDevices: [alice.deviceId] })
  if (!book) throw new Error('no book')
  expect(historySeals.map(({ deviceId }) => deviceId)).toEqual([laptop.deviceId])
  const manifest = manifestOf(wire, alice)
  expect(manifest).toMatchObject({ historyKeyId: 2, removed: [alice.deviceId], devices: [{ id: laptop.deviceId }] })

  // The browser that made the change has stored all of it.
  const here = await at(laptop.computer, () => openLive(laptop.userId, laptop.unlock))
  expect(here.history.map(({ id }) => id)).toEqual([1, 2])
  expect(await readBook(here)).toMatchObject({ version: book.version, isDirty: false })
  expect((await peerOf(here, laptop.userId))?.version).toBe(manifest.version)

  const left = await openLive(alice.userId, alice.unlock)
  await expect(openBook(left, book)).rejects.toThrow(failure('history_key'))
  const [old] = left.history
  if (!old) throw new Error('no history key')
  const patched = { ...left, history: [old, { id: 2, seed: old.seed }] }
  await expect(openBook(patched, book)).rejects.toThrow(failure('seal'))
  await expect(openHistorySeal(left, manifest, historySeals)).rejects.toThrow(failure('history_key'))

  const place = { groupId: toBase64(randomBytes(48)), epoch: 3 }
  const signed = on(wire, alice).keys.manifest
  const account = { userId: alice.userId, identityKey: left.identityKey, version: manifest.version, signed, manifest }
  const archiveKey = await sealArchiveKey(account, place, new Uint8Array(randomBytes(32)))
  if (!archiveKey) throw new Error('nothing was sealed')
  expect(await openArchiveKey(patched, archiveKey)).toBeUndefined()
  expect(await alice.core.takeOwnManifest(signed, { historySeals })).toBe(false)
})

test('Another browser that stays learns the new history key, also one that missed several', async () => {
  const { wire, alice, laptop } = await twoComputers()
  await changes(laptop, { keepsHistory: false })
  await changes(laptop, { keepsHistory: true })
  expect(manifestOf(wire, alice)).toMatchObject({ historyKeyId: 3, keepsHistory: true })
  const { manifest, historySeals } = await alice.env.api(devicesApi.keys, {})
  if (!manifest) throw new Error('no manifest')
  // The server kept only the newest seal.
  expect(await alice.core.takeOwnManifest(manifest, { historySeals: historySeals.slice(-1) })).toBe(true)
  const live = await openLive(alice.userId, alice.unlock)
  expect(live.history.map(({ id }) => id)).toEqual([1, 2, 3])
  await syncBook(alice.env)
})

test('Where the server withholds the new history key, a way in brings it: it stands in the keyring', async () => {
  const { wire, alice, laptop } = await twoComputers()
  await changes(laptop, { keepsHistory: false })
  await alice.core.stretch(typed(alice))
  await alice.core.reviewAccount(on(wire, alice).keys)
  await alice.core.forgetPassword()
  await alice.core.takeOwnManifest(on(wire, alice).keys.manifest, { historySeals: [] })
  await syncBook(alice.env)
  const tab = await alice.newTab()
  expect(await tab.core.takeOwnManifest(on(wire, alice).keys.manifest, { historySeals: [] })).toBe(true)
})

test('Another tab learns from the vault what its neighbour was told', async () => {
  const { alice, laptop } = await twoComputers()
  const tab = await openLive(alice.userId, alice.unlock)
  await changes(laptop, { keepsHistory: false })
  const { manifest, historySeals } = await alice.env.api(devicesApi.keys, {})
  if (!manifest) throw new Error('no manifest')
  await alice.core.takeOwnManifest(manifest, { historySeals })
  expect(tab.history).toHaveLength(1)
  expect(await historyKeyOf(tab, 2)).toBeDefined()
})

test('The server makes up a history key, withholds it or hands out one for another browser: refused, and the device list holds', async () => {
  const { wire, alice, laptop } = await twoComputers()
  await changes(laptop, { keepsHistory: false })
  const { manifest } = on(wire, alice).keys
  const { historyKeyId, devices } = manifestOf(wire, alice)
  const live = await openLive(alice.userId, alice.unlock)
  const sealingKey = fromBase64(devices.find(({ id }) => id === alice.deviceId)?.sealingKey ?? '')
  const context = [live.identityKey, alice.deviceId, '2'] as const
  const made = (keys: Uint8Array) => sealTo(sealingKey, 'conclave/history-seal/v1', keys, ...context).then(toBase64)
  const ofServer = new Uint8Array([0, 0, 0, 2, ...randomBytes(32)])
  const right = on(wire, alice).historySeals.find(({ deviceId }) => deviceId === alice.deviceId)
  const elsewhere = on(wire, alice).historySeals.find(({ deviceId }) => deviceId === laptop.deviceId)
  if (!right || !elsewhere) throw new Error('no seals')
  const lies = [
    [],
    [{ historyKeyId, sealed: await made(ofServer) }],
    [{ historyKeyId, sealed: await made(new Uint8Array()) }],
    [{ historyKeyId, sealed: await made(new Uint8Array([0, 0, 0, 2, ...(live.history[0]?.seed ?? [])])) }],
    [{ historyKeyId, sealed: elsewhere.sealed }],
    [{ historyKeyId: 1, sealed: right.sealed }],
  ]
  for (const historySeals of lies) {
    await expect(alice.core.takeOwnManifest(manifest, { historySeals })).rejects.toThrow(failure('history_key'))
  }
  expect((await readHistory(live.vault))?.map(({ id }) => id)).toEqual([1])
  expect(await alice.core.manifestVersion(alice.userId)).toBe(3)
  expect(await alice.core.takeOwnManifest(manifest, { historySeals: [right] })).toBe(true)
})

test('The server plays keyring and device list back, or hands out those of somebody else: nothing is changed on top of them', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const eve = await newPerson(wire)
  const old = { ...on(wire, alice).keys }
  await changes(laptop, { keepsHistory: false })
  const { keyring, manifest } = on(wire, alice).keys
  const refused = (documents: typeof old) => expect(laptop.core.reviewAccount(documents)).rejects
  await refused({ ...old, keyring: old.keyring, manifest }).toThrow(failure('keyring_rollback'))
  await refused(old).toThrow(failure('manifest_rollback'))
  await refused(on(wire, eve).keys).toThrow(failure('identity'))
  await refused({ ...old, keyring, manifest: on(wire, eve).keys.manifest }).toThrow(failure('signature'))
  await expect(laptop.core.draftChange({})).rejects.toThrow(failure('password'))
})

test('Every change makes a new account key [Note: K2], and what is posted holds no seed', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const { passwordSeed: seed } = await stretchPassword(
    alice.username,
    passwordOf(alice.username),
    fromBase64(saltOf(alice.username)),
  )
  const way = { kind: 'password' as const, seed }
  const before = await openKeyring(on(wire, alice).keys.keyring, way)
  const kit = await laptop.core.newKit()
  const output = toBase64(randomBytes(32))
  await laptop.core.newPasskey({ id: 'Zm9v', output })
  const change = await changes(laptop, { removeDevices: [alice.deviceId], kit: 'new', passkey: 'new' })
  const after = await openKeyring(change.keyring, way)
  expect(after.accountKey).not.toEqual(before.accountKey)
  expect(after.secret.identitySeed).toEqual(before.secret.identitySeed)
  expect(after.keyring.ways.map(({ id, madeAt }) => [id, typeof madeAt])).toEqual([
    ['password', 'undefined'],
    ['kit', 'string'],
    ['passkey:Zm9v', 'string'],
  ])

  const body = JSON.stringify(change)
  const { identitySeed, historyKeys, ways } = after.secret
  const secrets = [seed, identitySeed, after.accountKey, ...historyKeys.map((key) => key.seed), ...ways.map(({ proof }) => proof)]
  expect(secrets).toHaveLength(8)
  for (const secret of secrets) {
    expect(body).not.toContain(toBase64(secret).slice(0, 42))
    expect(body).not.toContain(toBase64Url(secret).slice(0, 42))
  }
  expect(body).not.toContain(output.slice(0, 42))
  // The way in has the name of a word.
  expect(textsIn(change).filter((text) => wordlist.includes(text) && text !== 'kit')).toEqual([])
  expect(textsIn({ words: kit.words })).toEqual(kit.words)
  expect(body).not.toContain(kit.words.join(' '))
  expect(change.kitSecret).toBe(kit.kitSecret)
})

test('A kit and a passkey open the account like the password does; a kit of somebody else, or a removed way, does not', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const kit = await laptop.core.newKit()
  const passkey = { id: 'Zm9v', output: toBase64(randomBytes(32)) }
  await laptop.core.newPasskey(passkey)
  await changes(laptop, { kit: 'new', passkey: 'new' })
  await laptop.core.forgetPassword()
  await laptop.core.enterKit({ words: kit.words.join(' ') })
  // From now on the password alone does not open the account.
  await changes(laptop, { password: 'remove' })
  await laptop.core.stretch(typed(alice))
  await expect(drafts(wire, laptop, {})).rejects.toThrow(failure('way'))
  await laptop.core.enterPasskey(passkey)
  await laptop.core.stretchNew(typed(alice))
  await changes(laptop, { password: 'add', kit: 'remove' })
  expect(waysOf(wire, alice).map(({ id }) => id)).toEqual(['passkey:Zm9v', 'password'])
  expect(on(wire, alice).kitSecret).toBeNull()
  await laptop.core.enterKit({ words: kit.words.join(' ') })
  await expect(drafts(wire, laptop, {})).rejects.toThrow(failure('way'))
  await laptop.core.enterPasskey({ ...passkey, output: toBase64(randomBytes(32)) })
  await expect(drafts(wire, laptop, {})).rejects.toThrow(failure('way'))
  await laptop.core.stretch(typed(alice))
  await changes(laptop, { removePasskeys: ['Zm9v'] })
  expect(waysOf(wire, alice).map(({ id }) => id)).toEqual(['password'])
  await laptop.core.enterPasskey(passkey)
  await expect(drafts(wire, laptop, {})).rejects.toThrow(failure('way'))
})

test('The last way in stays, and so does the browser that asks', async () => {
  const { wire, laptop } = await twoComputers()
  await expect(drafts(wire, laptop, { password: 'remove' })).rejects.toThrow(failure('last_way'))
  await expect(drafts(wire, laptop, { removeDevices: [laptop.deviceId] })).rejects.toThrow(failure('own_device'))
  await expect(drafts(wire, laptop, { kit: 'new' })).rejects.toThrow(failure('kit'))
  await expect(drafts(wire, laptop, { password: 'new' })).rejects.toThrow(failure('password'))
  await expect(drafts(wire, laptop, { passkey: 'new' })).rejects.toThrow(failure('passkey'))
  await expect(laptop.core.newPasskey({ id: 'Zm9v', output: 'AAAA' })).rejects.toThrow(failure('passkey'))
})

test('After the seeds are forgotten nothing can be changed; a new kit outlives only a failed try', async () => {
  const { wire, laptop } = await twoComputers()
  await laptop.core.newKit()
  await laptop.core.eraseEntered()
  await expect(drafts(wire, laptop, { kit: 'new' })).rejects.toThrow(failure('password'))
  await laptop.core.stretch(typed(laptop))
  await drafts(wire, laptop, { kit: 'new' })
  await laptop.core.forgetPassword()
  await expect(laptop.core.changeKept()).rejects.toThrow(failure('password'))
  await laptop.core.stretch(typed(laptop))
  await expect(drafts(wire, laptop, { kit: 'new' })).rejects.toThrow(failure('kit'))
})

test('A device list names each browser; names from before a removal stay readable', async () => {
  const { alice, laptop } = await twoComputers()
  await changes(laptop, { removeDevices: [alice.deviceId] })
  expect(await laptop.core.ownDevices()).toMatchObject([
    { id: laptop.deviceId, name: 'Another browser', browser: 'Firefox', system: 'Linux', addedAt: expect.any(String) },
  ])
})

test('A list says which of its versions removed a browser; of one that an older build removed, this browser says when it saw it', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const phone = await laptop.newComputer()
  await laptop.core.stretch(typed(alice))
  await changes(laptop, { removeDevices: [alice.deviceId] })
  const { removedAt, version } = manifestOf(wire, alice)
  expect(removedAt).toEqual({ [alice.deviceId]: version })

  // An older build keeps fields that it does not know, and adds no dates.
  await laptop.core.stretch(typed(alice))
  const { opened, manifest } = (await reviewAccount(await wayOf(laptop), on(wire, alice).keys)).review
  const devices = manifest.devices.filter(({ id }) => id !== phone.deviceId)
  const undated = { ...manifest, version: version + 1, devices, removed: [...manifest.removed, phone.deviceId] }
  const live = await at(laptop.computer, () => openLive(laptop.userId, laptop.unlock))
  await takeOwnManifest(live, signManifest(opened.secret.identitySeed, undated))
  await takeOwnManifest(live, signManifest(opened.secret.identitySeed, { ...undated, version: version + 4 }))
  const known = await peerOf(live, live.userId)
  expect(known && [alice, phone, laptop].map(({ deviceId }) => removedIn(known, deviceId))).toEqual([
    version,
    version + 1,
    undefined,
  ])
})

test('Times of before, which every contact could read, are sealed at the next change of keys', async () => {
  const { wire, alice, laptop } = await twoComputers()
  const { opened, manifest } = (await reviewAccount(await wayOf(alice), on(wire, alice).keys)).review
  const addedAt = '2026-01-02T03:04:05.000Z'
  const before = { ...manifest, version: manifest.version + 1, devices: manifest.devices.map((one) => ({ ...one, addedAt })) }
  on(wire, alice).keys.manifest = signManifest(opened.secret.identitySeed, before)
  await laptop.core.newKit()
  await changes(laptop, { kit: 'new' })
  expect(manifestOf(wire, alice).devices.map((one) => one.addedAt)).toEqual([ADDED_AT_SEALED, ADDED_AT_SEALED])
  expect((await laptop.core.ownDevices()).map((one) => one.addedAt)).not.toContain(ADDED_AT_SEALED)
})
