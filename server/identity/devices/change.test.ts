import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { chatParticipants, chatRooms } from '../../ground/db/schema/rooms.ts'
import {
  type Changes,
  changed,
  newDeviceId,
  signedBook,
  signedChange,
  signedKeys,
  type TestIdentity,
  withDevice,
} from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const someone = () => world.person('someone')
const random = () => randomBytes(100).toString('base64')

/** Returns everything that a change of keys may write. */
async function stateOf({ id }: Person) {
  const rows = (table: string, key = 'user_id') => world.sql(`select * from ${table} t where ${key} = $1 order by t::text`, [id])
  return {
    account: await world.sql('select password_hash, kit_hash from users where id = $1', [id]),
    ...{ keyrings: await rows('keyrings'), manifests: await rows('manifests'), books: await rows('books') },
    devices: await world.sql('select id from devices where user_id = $1 order by id', [id]),
    sessions: await world.sql('select token_hash, device_id from sessions where user_id = $1 order by token_hash', [id]),
    ...{ packages: await rows('key_packages'), seals: await rows('history_seals'), archive: await rows('archive_keys') },
    rooms: await world.sql(
      'select r.* from chat_rooms r join chat_participants p on p.chat_room_id = r.id where p.user_id = $1 order by r.id',
      [id],
    ),
  }
}

async function archived(chatRoomId: string, ...people: Person[]): Promise<void> {
  for (const { id } of people) {
    await world.sql(
      `insert into archive_keys (room, group_id, epoch, user_id, history_key_id, sealed)
       values ((select number from chat_rooms where id = $1), $2, 1, $3, 1, $4)`,
      [chatRoomId, random(), id, random()],
    )
  }
}

const archivedFor = async ({ id }: Person) => (await world.sql('select from archive_keys where user_id = $1', [id])).length

test('a removed device is out at once: sessions, sockets, unlock secret, packages; everyone else hears of it', async () => {
  const [alice, bob, carol] = [await someone(), await someone(), await someone()]
  const rooms = [await alice.talksTo(bob), await alice.talksTo(carol)]
  const apart = await bob.talksTo(carol)
  const laptop = await alice.addsBrowser()
  const third = await alice.addsBrowser()
  const before = alice.identity
  const [lost, own, theirs] = [await laptop.opensSocket(), await third.opensSocket(), await bob.opensSocket()]

  await alice.changesKeys({ removes: [laptop.deviceId] })
  const { manifest } = await alice.does(devicesApi.keys, {})
  expect((await lost.hears('signed_out')).data.manifest).toEqual(manifest)
  expect(await lost.closed).toMatchObject({ code: 4401 })
  await own.hears('devices')
  await theirs.hears('contacts')
  expect(await laptop.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  expect(await laptop.tries(devicesApi.unlock, {})).toBeRefused(401)
  const left = await world.sql('select 1 from key_packages where user_id = $1 and device_id = $2', [alice.id, laptop.deviceId])
  expect(left).toEqual([])
  const login = { username: alice.username, password: alice.authSecret, kdf: 1 as const, deviceId: laptop.deviceId }
  expect(await world.stranger().does(accountApi.login, login)).toMatchObject({ unlock: null, deviceId: null })

  // Bob learns of the new device list. Only Alice's rooms need a commit.
  expect((await bob.does(devicesApi.manifest, { userId: alice.id })).manifest).toEqual(manifest)
  const waiting = await world.sql('select id from chat_rooms where needs_commit and id = any($1)', [[...rooms, apart]])
  expect(waiting.map((row) => row['id']).sort()).toEqual([...rooms].sort())

  // Each remaining device has the new history key, sealed to it, and the book under that key.
  for (const browser of [alice, third]) {
    expect((await browser.does(devicesApi.keys, {})).historySeals).toMatchObject([{ historyKeyId: 2 }])
  }
  const [mine, other] = [await alice.does(devicesApi.keys, {}), await third.does(devicesApi.keys, {})]
  expect(mine.historySeals[0]?.sealed).not.toBe(other.historySeals[0]?.sealed)
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 1, historyKeyId: 2 })
  expect((await (await alice.elsewhere()).does(devicesApi.keys, {})).historySeals).toEqual([])

  // The removed device signs in again with the password, and cannot return with its old documents or with new ones.
  const back = await alice.elsewhere()
  const proof = await back.proofBy(laptop.deviceId)
  const enrols = (identity: TestIdentity) => back.tries(devicesApi.enrol, { ...signedKeys(identity, laptop.deviceId), proof })
  expect(await enrols(before)).toBeRefused(409, 'stale_version')
  const again = withDevice(alice.identity, laptop.deviceId)
  expect(await enrols(again)).toBeRefused(400, 'invalid_input')
  const forgetful = { ...again, manifest: { ...again.manifest, removed: [] } }
  expect(await enrols(forgetful)).toBeRefused(400, 'invalid_input')
  const swapped = { ...again, manifest: { ...again.manifest, removed: [newDeviceId()] } }
  expect(await enrols(swapped)).toBeRefused(400, 'invalid_input')
  own.hangsUp()
  theirs.hangsUp()
})

test('the account lists its devices, when each was last here, and which one asks', async () => {
  const alice = await someone()
  const laptop = await alice.addsBrowser()
  const [first, second] = await laptop.does(devicesApi.list, {})
  expect(first).toMatchObject({ id: alice.deviceId, isCurrent: false })
  expect(second).toMatchObject({ id: laptop.deviceId, isCurrent: true })
  world.passes(3600)
  const now = world.env.clock().getTime()
  await laptop.does(accountApi.user, {})
  const [unseen, seen] = await laptop.does(devicesApi.list, {})
  expect(unseen?.lastSeenAt).toBe(first?.lastSeenAt)
  expect(Date.parse(seen?.lastSeenAt ?? '')).toBeGreaterThanOrEqual(now)
  expect(seen?.addedAt).toBe(second?.addedAt)
})

test('a device list that a commit names is fetched by its version; one that is not kept is answered by the newest', async () => {
  const [alice, bob, eve] = [await someone(), await someone(), await someone()]
  await alice.talksTo(bob)
  const { manifest: first } = await alice.does(devicesApi.keys, {})
  await alice.addsBrowser()
  const { manifest: second } = await alice.does(devicesApi.keys, {})
  const asks = (version?: number) => bob.does(devicesApi.manifest, { userId: alice.id, ...(version && { version }) })
  expect(await asks(1)).toMatchObject({ manifest: first, version: 2 })
  for (const version of [undefined, 2, 3, 900]) expect(await asks(version)).toMatchObject({ manifest: second, version: 2 })
  expect(await eve.tries(devicesApi.manifest, { userId: alice.id, version: 1 })).toBeRefused(404)
})

test('the date of a removal stays: nobody moves it behind what the removed browser wrote', async () => {
  const alice = await someone()
  const laptop = await alice.addsBrowser()
  const third = await alice.addsBrowser()
  await alice.changesKeys({ removes: [laptop.deviceId] })
  const before = alice.identity
  const next = changed(before, { removes: [third.deviceId] })
  const { removedAt = {}, version } = next.manifest
  const dated = (dates: Record<string, number>) =>
    alice.tries(devicesApi.changeKeys, {
      ...signedChange(before, { ...next, manifest: { ...next.manifest, removedAt: dates } }, { bookVersion: 1 }),
    })
  expect(await dated({ ...removedAt, [laptop.deviceId]: version })).toBeRefused(400, 'invalid_input')
  expect(await dated({ [third.deviceId]: version })).toBeRefused(400, 'invalid_input')
  expect(await dated({ ...removedAt, [third.deviceId]: version - 1 })).toBeRefused(400, 'invalid_input')
  expect(await dated({ ...removedAt, [alice.deviceId]: version })).toBeRefused(400, 'invalid_input')
  // An older page does not date the devices that it removes.
  const { [third.deviceId]: _, ...undated } = removedAt
  expect((await dated(undated)).status).toBe(200)
})

test('Eve, with a stolen cookie, changes nothing: she cannot sign, and what Alice signed fits once', async () => {
  const [alice, eve] = [await someone(), await someone()]
  const laptop = await alice.addsBrowser()
  await alice.talksTo(eve)
  const before = alice.identity
  const next = changed(before, { removes: [alice.deviceId] })
  const thief = world.stranger()
  thief.cookie = laptop.cookie
  const state = await stateOf(alice)
  const real = signedChange(before, next)
  const forged: [string, Record<string, unknown>][] = [
    ['invalid_signature', { ...signedChange(before, next, { seed: randomBytes(32) }) }],
    ['invalid_signature', { ...signedChange(before, next, { seed: eve.identity.seed }) }],
    ['invalid_signature', { ...signedChange(eve.identity, changed(eve.identity, { adds: ['passkey'] })) }],
    ['invalid_signature', { ...real, manifest: { ...real.manifest, content: `${real.manifest.content} ` } }],
    ['invalid_signature', { ...real, keyring: { ...real.keyring, signature: real.manifest.signature } }],
    ['invalid_signature', { ...real, keyring: { ...real.keyring, signature: '' } }],
    ['invalid_input', { ...real, keyring: { ...real.keyring, content: '{' } }],
  ]
  for (const [code, body] of forged) expect((await thief.tries(devicesApi.changeKeys, body)).code).toBe(code)
  // Documents that are already stored, as the server returns them, are no change, not even with a kit of her own.
  const { keyring, manifest } = await thief.does(devicesApi.keys, {})
  const stored = { keyring, manifest, historySeals: [], kitSecret: newAuthSecret() }
  await thief.tries(devicesApi.changeKeys, stored)
  expect(await stateOf(alice)).toEqual(state)

  // Alice removes a device. Eve repeats that same request, then the one before it.
  const third = await alice.addsBrowser()
  const accepted = signedChange(alice.identity, changed(alice.identity, { removes: [third.deviceId] }))
  expect(await laptop.does(devicesApi.changeKeys, accepted)).toEqual({ version: 4 })
  const settled = await stateOf(alice)
  expect(await thief.does(devicesApi.changeKeys, { ...accepted, kitSecret: newAuthSecret() })).toEqual({ version: 4 })
  expect(await thief.tries(devicesApi.changeKeys, { ...real })).toBeRefused(409, 'stale_version')
  expect(await third.tries(devicesApi.changeKeys, { ...accepted })).toBeRefused(401, 'not_signed_in')
  expect(await stateOf(alice)).toEqual(settled)
})

test('a change that does not fit is refused in words and leaves everything as it was', async () => {
  const alice = await someone()
  const laptop = await alice.addsBrowser()
  const third = await alice.addsBrowser()
  await alice.does(devicesApi.saveBook, signedBook(alice.identity, alice.deviceId, { version: 1 }))
  const before = alice.identity
  const state = await stateOf(alice)
  const after = (
    changes: Changes,
    manifest: Partial<TestIdentity['manifest']> = {},
    keyring: Partial<TestIdentity['keyring']> = {},
  ) => {
    const next = changed(before, changes)
    return { ...next, manifest: { ...next.manifest, ...manifest }, keyring: { ...next.keyring, ...keyring } }
  }
  const post = (next: TestIdentity) => signedChange(before, next, { bookVersion: 1 })
  const removal = after({ removes: [laptop.deviceId] })
  const sealed = post(removal)
  const [seal] = sealed.historySeals
  const plain = post(after({}))
  const others = before.manifest.devices.slice(1)
  const stays = before.manifest.devices.map((device) => ({ ...device, leafKey: random().slice(0, 44) }))
  const cases: [string, string, Record<string, unknown>][] = [
    ['stale_version', 'a manifest of the same version', post(after({}, { version: 3 }))],
    ['stale_version', 'a manifest two versions up', post(after({}, { version: 5 }))],
    ['stale_version', 'the old keyring', post(after({}, { keyringVersion: 1 }, { version: 1 }))],
    ['stale_version', 'a keyring two versions up', post(after({}, { keyringVersion: 3 }, { version: 3 }))],
    ['invalid_input', 'documents that do not name each other', post(after({}, { keyringVersion: 1 }))],
    ['stale_version', 'another password, too late', post(after({ adds: ['password'] }, { version: 3 }))],
    ['invalid_input', 'a device more', post(after({}, { devices: withDevice(before, newDeviceId()).manifest.devices }))],
    ['invalid_input', 'a device that vanishes', post(after({}, { devices: before.manifest.devices.slice(0, 2) }))],
    ['invalid_input', 'a removed device that was never there', post(after({}, { removed: [newDeviceId()] }))],
    ['invalid_input', 'a device with other keys', post(after({}, { devices: stays }))],
    ['invalid_input', 'the device that speaks', post(after({ removes: [alice.deviceId] }))],
    [
      'history_key_required',
      'a removal under the old history key',
      post(after({}, { devices: others.slice(0, 1).concat(before.manifest.devices[0] ?? []), removed: [third.deviceId] })),
    ],
    ['history_key_required', 'history off under the old key', post(after({}, { keepsHistory: false }))],
    ['invalid_input', 'another history key under the old number', post(after({}, { historyKey: random() }))],
    ['invalid_input', 'the old history key under a new number', post(after({}, { historyKeyId: 2 }))],
    ['invalid_input', 'a history key left out', post(after({ removes: [laptop.deviceId] }, { historyKeyId: 3 }))],
    ['invalid_input', 'a seal too few', { ...sealed, historySeals: sealed.historySeals.slice(1) }],
    ['invalid_input', 'a seal twice', { ...sealed, historySeals: [seal, seal] }],
    ['invalid_input', 'one more seal', { ...sealed, historySeals: [...sealed.historySeals, seal] }],
    [
      'invalid_input',
      'one more seal, for the removed device',
      { ...sealed, historySeals: [...sealed.historySeals, { ...seal, deviceId: laptop.deviceId }] },
    ],
    [
      'invalid_input',
      'a seal for the removed device',
      { ...sealed, historySeals: [seal, { ...seal, deviceId: laptop.deviceId }] },
    ],
    [
      'invalid_input',
      'a seal of another key',
      { ...sealed, historySeals: sealed.historySeals.map((each) => ({ ...each, historyKeyId: 1 })) },
    ],
    ['invalid_input', 'no book', { ...sealed, book: undefined }],
    ['invalid_input', 'a book under the old key', { ...sealed, book: { ...sealed.book, historyKeyId: 1 } }],
    ['stale_version', 'a stale book', { ...sealed, book: { ...sealed.book, version: 1 } }],
    ['stale_version', 'a book from the future', { ...sealed, book: { ...sealed.book, version: 3 } }],
    ['invalid_input', 'a book without need', { ...plain, book: sealed.book }],
    ['invalid_input', 'seals without need', { ...plain, historySeals: [{ ...seal, historyKeyId: 1 }] }],
    ['invalid_input', 'no way in', post(after({ drops: ['password'] }))],
    ['invalid_input', 'a way in twice', post(after({}, {}, { ways: [...before.keyring.ways, ...before.keyring.ways] }))],
    ['invalid_input', 'a kit that shows nothing', post(after({ adds: ['kit'] }))],
    ['invalid_input', 'a kit that opens nothing', { ...plain, kitSecret: newAuthSecret() }],
    ['invalid_input', 'another password without the password', post(after({ adds: ['password'] }))],
    ['invalid_credentials', 'a wrong password', { ...post(after({ adds: ['password'] })), password: newAuthSecret() }],
    ['invalid_input', 'a password as it was typed', { ...plain, password: 'hunter22' }],
  ]
  for (const [code, what, body] of cases) {
    const answer = await alice.tries(devicesApi.changeKeys, body)
    expect(answer.code, what).toBe(code)
    expect(await stateOf(alice), what).toEqual(state)
  }
  const answer = await alice.tries(devicesApi.changeKeys, post(after({ removes: [alice.deviceId] })))
  expect(answer.body).toMatchObject({ error: 'A device cannot remove itself. Remove it from another one, or log out' })
  // Each of these was refused only for its defect.
  expect(await alice.does(devicesApi.changeKeys, sealed)).toEqual({ version: 4 })
})

test('of an account without keys there is nothing to change', async () => {
  const bare = world.stranger()
  const form = { username: 'bare', displayName: 'Bare', password: 'hunter22', confirmPassword: 'hunter22' }
  await bare.does(accountApi.register, form)
  const { identity } = await someone()
  const change = signedChange(identity, changed(identity, {}))
  expect(await bare.tries(devicesApi.changeKeys, { ...change })).toBeRefused(409, 'stale_version')
  expect(await bare.does(devicesApi.list, {})).toEqual([])
})

test('a browser that signed in and has no place left removes a device first', async () => {
  const alice = await someone()
  for (let at = 1; at < 20; at++) await alice.addsBrowser()
  const browser = await alice.elsewhere()
  const full = withDevice(alice.identity, newDeviceId())
  const newest = full.manifest.devices.at(-1)?.id ?? ''
  const proof = await browser.proofBy(newest)
  expect(await browser.tries(devicesApi.enrol, { ...signedKeys(full, newest), proof })).toBeRefused(409, 'too_many_devices')
  await alice.changesKeys({ removes: [alice.deviceId] }, {}, browser)
  const next = withDevice(alice.identity, newest)
  expect(await browser.does(devicesApi.enrol, { ...signedKeys(next, newest), proof })).toMatchObject({ deviceId: newest })
})

test('the recovery kit is a way in and a secret, both or neither', async () => {
  const alice = await someone()
  const hashed = async () => (await world.sql('select kit_hash from users where id = $1', [alice.id]))[0]?.['kit_hash']
  const [kitSecret, another] = [newAuthSecret(), newAuthSecret()]
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret })
  expect(await hashed()).toEqual(createHash('sha256').update(kitSecret).digest())
  // The kit stays through other changes.
  await alice.changesKeys({ adds: ['passkey'] })
  expect(await hashed()).not.toBeNull()
  const tries = (changes: Changes, more: { kitSecret?: string | null } = {}) =>
    alice.tries(devicesApi.changeKeys, { ...signedChange(alice.identity, changed(alice.identity, changes), more) })
  expect(await tries({ drops: ['kit'] })).toBeRefused(400, 'invalid_input')
  expect(await tries({}, { kitSecret: null })).toBeRefused(400, 'invalid_input')
  expect(await tries({ adds: ['kit'] })).toBeRefused(400, 'invalid_input')
  expect(await tries({}, { kitSecret: another })).toBeRefused(400, 'invalid_input')
  expect(await tries({ drops: ['kit'] }, { kitSecret: another })).toBeRefused(400, 'invalid_input')
  expect(await hashed()).toEqual(createHash('sha256').update(kitSecret).digest())
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret: another })
  expect(await hashed()).toEqual(createHash('sha256').update(another).digest())
  await alice.changesKeys({ drops: ['kit'] }, { kitSecret: null })
  expect(await hashed()).toBeNull()
})

test('the password stops to open the keyring, and opens it again only with the password itself', async () => {
  const alice = await someone()
  await alice.changesKeys({ adds: ['passkey'] })
  await alice.changesKeys({ drops: ['password'] })
  expect((await alice.elsewhere()).cookie).toBeDefined()
  await expect(alice.changesKeys({ adds: ['password'] })).rejects.toBeRefused(400, 'invalid_input')
  await expect(alice.changesKeys({ adds: ['password'] }, { password: newAuthSecret() })).rejects.toBeRefused(
    401,
    'invalid_credentials',
  )
  await alice.changesKeys({ adds: ['password'] }, { password: alice.authSecret })
  await expect(alice.changesKeys({ drops: ['password', 'passkey'] })).rejects.toBeRefused(400, 'invalid_input')
})

test('guessing the password by changes of keys is as slow as at the front door', async () => {
  const strict = await startWorld({ hasLimits: true })
  const alice = await strict.person('alice')
  for (let at = 0; at < 10; at++) {
    await expect(alice.changesKeys({ adds: ['password'] }, { password: newAuthSecret() })).rejects.toBeRefused(401)
  }
  await expect(alice.changesKeys({ adds: ['password'] }, { password: alice.authSecret })).rejects.toBeRefused(429)
})

test("history off deletes the account's archive keys and nobody else's; on again it starts anew", async () => {
  const [alice, bob] = [await someone(), await someone()]
  const room = await alice.talksTo(bob)
  await archived(room, alice, bob)
  await alice.changesKeys({ adds: ['passkey'] })
  expect(await archivedFor(alice)).toBe(1)
  await alice.changesKeys({ keepsHistory: false })
  expect([await archivedFor(alice), await archivedFor(bob)]).toEqual([0, 1])
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 1, historyKeyId: 2 })
  await alice.changesKeys({ keepsHistory: true })
  expect((await alice.does(devicesApi.keys, {})).historySeals.map((seal) => seal.historyKeyId)).toEqual([2, 3])
  // The current epoch's archive key is under an older history key, so no more is sealed to this epoch.
  expect(await world.sql('select needs_commit from chat_rooms where id = $1', [room])).toEqual([{ needs_commit: true }])
})

test('a device that has not heard cannot put its book back under the old history key', async () => {
  const alice = await someone()
  const laptop = await alice.addsBrowser()
  await alice.does(devicesApi.saveBook, signedBook(alice.identity, alice.deviceId, { version: 1 }))
  await alice.changesKeys({ keepsHistory: false })
  for (const version of [2, 3]) {
    const stale = signedBook(alice.identity, laptop.deviceId, { version, historyKeyId: 1 })
    expect(await laptop.tries(devicesApi.saveBook, { ...stale })).toBeRefused(409, 'stale_version')
  }
  await laptop.does(devicesApi.saveBook, signedBook(alice.identity, laptop.deviceId, { version: 3 }))
})

test('of many changes at once one wins, and what it wrote is all there', async () => {
  const alice = await someone()
  const laptop = await alice.addsBrowser()
  const before = alice.identity
  const deviceId = newDeviceId()
  const browser = await alice.elsewhere()
  const wishes: Changes[] = [
    { adds: ['passkey'] },
    { removes: [laptop.deviceId] },
    { keepsHistory: false },
    { adds: ['passkey'] },
  ]
  const changes = wishes.map((wish) => ({ wish, next: changed(before, wish) }))
  const answers = await Promise.all([
    ...changes.map(({ next }) => alice.tries(devicesApi.changeKeys, { ...signedChange(before, next) })),
    browser.tries(devicesApi.enrol, { ...signedKeys(withDevice(before, deviceId), deviceId) }),
    laptop.tries(devicesApi.saveBook, { ...signedBook(before, laptop.deviceId, { version: 1 }) }),
  ])
  // The book is a separate document. It may have been saved first; then the two changes that carry a book are stale as well.
  const codes = answers.slice(0, 5).map((answer) => answer.code ?? 'won')
  expect(codes.filter((code) => code === 'won')).toHaveLength(1)
  const won = changes[codes.indexOf('won')]
  const state = await stateOf(alice)
  expect(state.manifests).toMatchObject([{ version: 3 }])
  expect(state.keyrings).toMatchObject([{ version: won ? 2 : 1 }])
  expect(state.devices).toHaveLength(won?.wish.removes ? 1 : won ? 2 : 3)
  expect(state.seals.length).toBe(won && won.next.manifest.historyKeyId === 2 ? state.devices.length : 0)
})

test('whoever changes the keys at the same time takes turns', async () => {
  const alice = await someone()
  for (let version = 2; version < 8; version++) {
    const before = alice.identity
    const nexts = Array.from({ length: 6 }, () => changed(before, { adds: ['passkey'] }))
    const answers = await Promise.all(nexts.map((next) => alice.tries(devicesApi.changeKeys, { ...signedChange(before, next) })))
    expect(answers.map((answer) => answer.code ?? 'won').sort()).toEqual([...Array(5).fill('stale_version'), 'won'])
    alice.identity = nexts[answers.findIndex((answer) => answer.status === 200)] ?? before
    expect((await stateOf(alice)).keyrings).toMatchObject([{ version, content: JSON.stringify(alice.identity.keyring) }])
  }
})

test('a removal while people write: nobody waits for the other for good, nothing is lost', async () => {
  const [alice, bob, carol] = [await someone(), await someone(), await someone()]
  const rooms = [await alice.talksTo(bob), await alice.talksTo(carol), await bob.talksTo(carol)]
  const writers: [Person, string | undefined][] = [
    [alice, rooms[0]],
    [bob, rooms[0]],
    [alice, rooms[1]],
    [carol, rooms[1]],
    [bob, rooms[2]],
    [carol, rooms[2]],
  ]
  for (let round = 0; round < 3; round++) {
    const laptop = await alice.addsBrowser()
    const writing = Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        Promise.all(writers.map(([who, room]) => (room ? who.says(room, `${at}`) : undefined))),
      ),
    )
    await alice.changesKeys({ removes: [laptop.deviceId] })
    await writing
  }
})

test('a room that is made in the very moment of a removal makes it start again', async () => {
  const [alice, bob] = [await someone(), await someone()]
  const laptop = await alice.addsBrowser()
  const room = directRoomId(alice.id, bob.id)
  const before = alice.identity
  const change = signedChange(before, changed(before, { removes: [laptop.deviceId] }))
  let answer: ReturnType<typeof alice.tries> | undefined
  await world.env.db.transaction(async (tx) => {
    await tx.insert(chatRooms).values({ id: room, createdBy: alice.id, createdAt: new Date() })
    await tx.insert(chatParticipants).values({ id: randomUUID(), chatRoomId: room, userId: alice.id, joinedAt: new Date() })
    answer = alice.tries(devicesApi.changeKeys, { ...change })
    await world.lockWaits()
  })
  expect(await answer).toBeRefused(503, 'unavailable')
  expect(await alice.does(devicesApi.changeKeys, change)).toEqual({ version: 3 })
  expect(await world.sql('select needs_commit from chat_rooms where id = $1', [room])).toEqual([{ needs_commit: true }])
})

test.each(['keys:written', 'keys:committed'])('a failure at %s leaves the old or the new state, never half', async (point) => {
  const [alice, bob] = [await someone(), await someone()]
  const room = await alice.talksTo(bob)
  await archived(room, alice)
  const laptop = await alice.addsBrowser()
  const next = changed(alice.identity, { removes: [laptop.deviceId], adds: ['kit'], keepsHistory: false })
  const change = signedChange(alice.identity, next, { kitSecret: newAuthSecret() })
  const state = await stateOf(alice)
  failsAt(point)
  expect(await alice.tries(devicesApi.changeKeys, { ...change })).toBeRefused(500)
  delete world.env.fault
  const isNew = point === 'keys:committed'
  if (!isNew) expect(await stateOf(alice)).toEqual(state)
  expect((await laptop.tries(accountApi.user, {})).status).toBe(isNew ? 401 : 200)

  // A caller that got no response sends the same change again.
  expect(await alice.does(devicesApi.changeKeys, change)).toEqual({ version: 3 })
  const after = await stateOf(alice)
  expect(after.account[0]?.['kit_hash']).not.toBeNull()
  expect([after.devices, after.seals, after.archive].map((rows) => rows.length)).toEqual([1, 1, 0])
  expect(after.keyrings).toMatchObject([{ version: 2 }])
  expect(after.rooms).toMatchObject([{ needs_commit: true }])
  expect(await alice.does(devicesApi.changeKeys, change)).toEqual({ version: 3 })
  expect(await stateOf(alice)).toEqual(after)
})

test.each(['keys:written', 'keys:committed'])(
  'a browser whose enrolment fails at %s is enrolled by asking again',
  async (point) => {
    const alice = await someone()
    const [browser, deviceId] = [await alice.elsewhere(), newDeviceId()]
    const proof = await browser.proofBy(deviceId)
    const keys = { ...signedKeys(withDevice(alice.identity, deviceId), deviceId), proof }
    const state = await stateOf(alice)
    failsAt(point)
    expect(await browser.tries(devicesApi.enrol, keys)).toBeRefused(500)
    delete world.env.fault
    if (point === 'keys:written') expect(await stateOf(alice)).toEqual(state)
    const unlock = await browser.does(devicesApi.enrol, keys)
    expect(await browser.does(devicesApi.unlock, {})).toEqual(unlock)
    expect((await stateOf(alice)).devices).toHaveLength(2)
  },
)

function failsAt(point: string): void {
  onTestFinished(() => {
    delete world.env.fault
  })
  world.env.fault = (reached) => {
    if (reached === point) throw new Error(`Fails at ${point}`)
  }
}

test("Eve's stolen session names a history key that is not there: no address book of hers stands in the way of her removal", async () => {
  const alice = await someone()
  const stolen = await alice.addsBrowser()
  for (const historyKeyId of [2, 2 ** 31 - 1]) {
    expect(
      await stolen.tries(devicesApi.saveBook, { ...signedBook(alice.identity, stolen.deviceId, { version: 1, historyKeyId }) }),
    ).toBeRefused(400, 'invalid_input')
  }
  await stolen.does(devicesApi.saveBook, signedBook(alice.identity, stolen.deviceId, { version: 1 }))
  await alice.changesKeys({ removes: [stolen.deviceId] })
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 2, historyKeyId: 2 })
})

test("Eve's address book is on its way while her device is removed: it does not come in behind the removal", async () => {
  const alice = await someone()
  const stolen = await alice.addsBrowser()
  let late: ReturnType<typeof stolen.tries> | undefined
  world.env.fault = async (point) => {
    if (point !== 'keys:written' || late) return
    late = stolen.tries(devicesApi.saveBook, { ...signedBook(alice.identity, stolen.deviceId, { version: 2, historyKeyId: 2 }) })
    await Promise.race([late, world.lockWaits()])
  }
  onTestFinished(() => void delete world.env.fault)
  await alice.changesKeys({ removes: [stolen.deviceId] })
  expect(await late).toBeRefused(401, 'not_signed_in')
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 1, historyKeyId: 2 })
})
