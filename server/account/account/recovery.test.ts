import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { passkeysApi } from '../../../contract/account/passkeys.ts'
import { recoveryApi } from '../../../contract/account/recovery.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { newAuthenticator } from '../../testing/authenticator.ts'
import type { Browser } from '../../testing/browser.ts'
import {
  changed,
  newDeviceId,
  recovered,
  renewalOf,
  signedBook,
  signedKeys,
  type TestIdentity,
  withDevice,
} from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'

const world = await startWorld()

/** Makes a person with a recovery kit. */
async function withKit(from: World = world): Promise<Person & { kitSecret: string }> {
  const [alice, kitSecret] = [await from.person('alice'), newAuthSecret()]
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret })
  return Object.assign(alice, { kitSecret })
}

async function byKit(alice: Person & { kitSecret: string }): Promise<Browser> {
  const browser = world.stranger()
  await browser.does(recoveryApi.loginByKit, { username: alice.username, kitSecret: alice.kitSecret })
  return browser
}

interface Account {
  /** The other devices that the recovery removes. */
  removes?: string[]
  /** The version of the stored book. */
  bookVersion?: number
}

/** Builds the form by which a browser recovers the account. */
function recovery(
  alice: Person & { kitSecret: string },
  newKitSecret: string | null = null,
  { removes = [], bookVersion = 0 }: Account = {},
) {
  const deviceId = newDeviceId()
  const identity = recovered(alice.identity, deviceId, newKitSecret !== null, removes)
  return {
    ...{ kitSecret: alice.kitSecret, newKitSecret, password: newAuthSecret(), kdf: 1 as const },
    keys: signedKeys(identity, deviceId),
    ...renewalOf(alice.identity, identity, deviceId, bookVersion),
  }
}

/** Recovers the account with a form that the new device has signed for the browser's session. */
async function recovers(
  browser: Browser,
  alice: Person & { kitSecret: string },
  newKitSecret: string | null = null,
  more: Account = {},
) {
  const form = recovery(alice, newKitSecret, more)
  return { ...form, proof: await browser.proofBy(form.keys.deviceId) }
}

const stateOf = async ({ id }: Person) => ({
  account: await world.sql('select password_hash, kit_hash from users where id = $1', [id]),
  keyrings: await world.sql('select * from keyrings where user_id = $1', [id]),
  manifests: await world.sql('select * from manifests where user_id = $1', [id]),
  devices: await world.sql('select id from devices where user_id = $1 order by id', [id]),
  sessions: await world.sql('select token_hash, device_id from sessions where user_id = $1 order by token_hash', [id]),
  packages: await world.sql('select id from key_packages where user_id = $1 order by id', [id]),
  books: await world.sql('select * from books where user_id = $1 order by device_id', [id]),
  seals: await world.sql('select * from history_seals where user_id = $1 order by device_id, history_key_id', [id]),
  rooms: await world.sql(
    'select r.id, needs_commit from chat_rooms r join chat_participants p on p.chat_room_id = r.id where p.user_id = $1',
    [id],
  ),
})

const opens = async (username: string, password: string) =>
  (await world.stranger().tries(accountApi.login, { username, password, kdf: 1 })).status === 200

test('whoever holds the kit signs in without the password, to a session that has no device', async () => {
  const alice = await withKit()
  const browser = world.stranger()
  const name = alice.username.toUpperCase()
  const signedIn = await browser.does(recoveryApi.loginByKit, { username: name, kitSecret: alice.kitSecret })
  expect(signedIn).toMatchObject({ id: alice.id, deviceId: null, unlock: null })
  expect(await browser.tries(devicesApi.unlock, {})).toBeRefused(409, 'unknown_device')
  const { keyring, historySeals } = await browser.does(devicesApi.keys, {})
  expect([keyring, historySeals]).toEqual([(await alice.does(devicesApi.keys, {})).keyring, []])
  // Signing in by the kit has ended no other session.
  expect((await alice.tries(accountApi.user, {})).status).toBe(200)
})

test('an unknown name, a wrong kit, no kit at all, a blocked and a deleted account are answered alike', async () => {
  const [alice, none] = [await withKit(), await world.person('none')]
  const [blocked, deleted] = [await withKit(), await withKit()]
  await world.sql('update users set is_active = false where id = $1', [blocked.id])
  await world.sql('update users set deleted_at = now() where id = $1', [deleted.id])
  const tries = (username: string, kitSecret: string) => world.stranger().tries(recoveryApi.loginByKit, { username, kitSecret })
  const answers = [
    await tries('unknown_name', newAuthSecret()),
    await tries(alice.username, newAuthSecret()),
    await tries(none.username, newAuthSecret()),
    await tries(alice.username, alice.authSecret),
    await tries(blocked.username, blocked.kitSecret),
    await tries(deleted.username, deleted.kitSecret),
  ]
  for (const answer of answers) {
    expect(answer).toBeRefused(401, 'wrong_kit')
    expect(answer.body).toEqual(answers[0]?.body)
  }
  expect(await tries(alice.username, alice.kitSecret)).toMatchObject({ status: 200 })
})

test('a deleted account is nobody: no sign-in, no session, the salt of a name that nobody has', async () => {
  const gone = await world.person('gone')
  const salt = async (username: string) => (await world.stranger().does(accountApi.salt, { username })).salt
  const before = await salt(gone.username)
  await world.sql("update users set deleted_at = now(), password_salt = '\\x00' where id = $1", [gone.id])
  expect(await salt(gone.username)).toBe(before)
  expect(await gone.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  const login = { username: gone.username, password: gone.authSecret, kdf: 1 }
  expect(await world.stranger().tries(accountApi.login, login)).toBeRefused(401, 'invalid_credentials')
})

test('who has lost the passkey comes in by the kit, and is asked for it no more where nothing else would let them in', async () => {
  const isAsked = async ({ id }: Person) =>
    (await world.sql('select biometric_enabled as asked from users where id = $1', [id]))[0]?.['asked']
  for (const newKitSecret of [null, newAuthSecret()]) {
    const alice = await withKit()
    await alice.addsPasskey(newAuthenticator(alice.origin ?? '', alice.id))
    await alice.does(passkeysApi.setBiometric, { enabled: true })
    const browser = await byKit(alice)
    const form = await recovers(browser, alice, newKitSecret)
    await browser.does(recoveryApi.recover, form)
    expect(await isAsked(alice)).toBe(newKitSecret !== null)
    const password = { username: alice.username, password: form.password, kdf: 1 }
    const answer = await world.stranger().tries(accountApi.login, password)
    if (newKitSecret === null) expect(answer).toMatchObject({ status: 200 })
    else expect(answer).toBeRefused(401, 'biometric_required')
  }
})

test('guessing a kit is as slow as guessing a password, at the door and inside', async () => {
  const strict = await startWorld({ hasLimits: true })
  const alice = await withKit(strict)
  const { username, kitSecret } = alice
  const guess = () => strict.stranger().tries(recoveryApi.loginByKit, { username, kitSecret: newAuthSecret() })
  for (let at = 0; at < 10; at++) expect(await guess()).toBeRefused(401, 'wrong_kit')
  const form = await recovers(alice, alice)
  for (let at = 0; at < 10; at++)
    expect(await alice.tries(recoveryApi.recover, { ...form, kitSecret: newAuthSecret() })).toBeRefused(401, 'wrong_kit')
  expect(await alice.tries(recoveryApi.recover, form)).toBeRefused(429, 'too_many_requests')
  expect(await strict.stranger().tries(recoveryApi.loginByKit, { username, kitSecret })).toBeRefused(429, 'too_many_requests')
  // One address has thirty attempts for all names together.
  for (let at = 0; at < 20; at++) await strict.stranger().tries(recoveryApi.loginByKit, { username: `name_${at}`, kitSecret })
  const other = { username: 'someone_else', kitSecret }
  expect(await strict.stranger().tries(recoveryApi.loginByKit, other)).toBeRefused(429, 'too_many_requests')
})

test('by the kit come a new password, this browser and a new kit; the used kit is used up, other browsers are out', async () => {
  const [alice, bob] = [await withKit(), await world.person('bob')]
  await alice.talksTo(bob)
  const laptop = await alice.addsBrowser()
  const [hers, theirs] = [await laptop.opensSocket(), await bob.opensSocket()]
  const browser = await byKit(alice)
  const newKitSecret = newAuthSecret()
  const form = await recovers(browser, alice, newKitSecret)
  const signedIn = await browser.does(recoveryApi.recover, form)
  const { deviceId } = form.keys
  expect(signedIn).toMatchObject({ id: alice.id, deviceId, hasKeys: true, unlock: { deviceId } })
  expect(await browser.does(devicesApi.unlock, {})).toEqual(signedIn.unlock)
  expect(await browser.does(keyPackagesApi.left, {})).toEqual({ oneTime: 3, hasLastResort: true })
  expect(await hers.closed).toMatchObject({ code: 4401 })
  await theirs.hears('contacts')
  // The new history key lies sealed for each browser that stays, the book under it, and rooms wait for a commit.
  expect((await stateOf(alice)).rooms).toMatchObject([{ needs_commit: true }])
  expect((await browser.does(devicesApi.keys, {})).historySeals).toMatchObject([{ historyKeyId: 2 }])
  expect(await browser.does(devicesApi.book, {})).toMatchObject({ version: 1, historyKeyId: 2, deviceId })
  for (const other of [alice, laptop]) expect(await other.tries(accountApi.user, {})).toBeRefused(401)

  expect([await opens(alice.username, alice.authSecret), await opens(alice.username, form.password)]).toEqual([false, true])
  const tries = (kitSecret: string) => world.stranger().tries(recoveryApi.loginByKit, { username: alice.username, kitSecret })
  expect(await tries(alice.kitSecret)).toBeRefused(401, 'wrong_kit')
  expect((await tries(newKitSecret)).status).toBe(200)
  // The person has kept the earlier devices.
  expect(await browser.does(devicesApi.list, {})).toHaveLength(3)
  const hashed = await world.sql('select kit_hash from users where id = $1', [alice.id])
  expect(hashed).toEqual([{ kit_hash: createHash('sha256').update(newKitSecret).digest() }])
  theirs.hangsUp()
})

test('With the recovery all other browsers are out of the account, at once and for good: the thief of one reads nothing any more', async () => {
  const alice = await withKit()
  const stolen = await alice.addsBrowser()
  const line = await stolen.opensSocket()
  const browser = await byKit(alice)
  const form = await recovers(browser, alice, null, { removes: [alice.deviceId, stolen.deviceId] })
  await browser.does(recoveryApi.recover, form)
  expect((await line.hears('signed_out')).data.manifest).toEqual(form.keys.manifest)
  const { deviceId } = form.keys
  expect(await stateOf(alice)).toMatchObject({ devices: [{ id: deviceId }], sessions: [{ device_id: deviceId }] })
  const login = { username: alice.username, password: form.password, kdf: 1 as const, deviceId: stolen.deviceId }
  expect(await world.stranger().does(accountApi.login, login)).toMatchObject({ unlock: null, deviceId: null })
})

test('An account with as many browsers as it may have is recovered by removing them', async () => {
  const alice = await withKit()
  for (let at = 1; at < LIMITS.devicesMax; at++) await alice.addsBrowser()
  const browser = await byKit(alice)
  const others = alice.identity.manifest.devices.map(({ id }) => id)
  expect(await browser.does(recoveryApi.recover, await recovers(browser, alice, null, { removes: others }))).toMatchObject({
    id: alice.id,
  })
})

test('An older page recovers in two steps, without a new history key: it is told to reload, and nothing is used up', async () => {
  const alice = await withKit()
  const browser = await byKit(alice)
  const state = await stateOf(alice)
  const deviceId = newDeviceId()
  const { historyKeyId, historyKey } = alice.identity.manifest
  const next = recovered(alice.identity, deviceId, false)
  const keys = signedKeys({ ...next, manifest: { ...next.manifest, historyKeyId, historyKey } }, deviceId)
  const { historySeals: _, book: __, ...form } = await recovers(browser, alice)
  const proof = await browser.proofBy(deviceId)
  expect(await browser.tries(recoveryApi.recover, { ...form, keys, proof })).toBeRefused(409, 'history_key_required')
  expect(await stateOf(alice)).toEqual(state)
  expect((await byKit(alice)).cookie).toBeDefined()
})

test('Eve has the password, or a browser of Alice: without the kit she is not handed the address book before her browser has signed', async () => {
  const [alice, eve] = [await withKit(), await withKit()]
  await alice.does(devicesApi.saveBook, signedBook(alice.identity, alice.deviceId, { version: 1 }))
  const thief = await alice.elsewhere()
  expect(await thief.tries(devicesApi.book, {})).toBeRefused(403, 'device_required')
  for (const kitSecret of [newAuthSecret(), alice.authSecret, eve.kitSecret])
    expect(await thief.tries(recoveryApi.recoveryBook, { kitSecret })).toBeRefused(401, 'wrong_kit')
  expect(await eve.tries(recoveryApi.recoveryBook, { kitSecret: alice.kitSecret })).toBeRefused(401, 'wrong_kit')
  const browser = await byKit(alice)
  const book = await alice.does(devicesApi.book, {})
  expect(await browser.does(recoveryApi.recoveryBook, { kitSecret: alice.kitSecret })).toEqual(book)
  const writer = alice.deviceId
  expect(await browser.does(recoveryApi.recoveryBook, { kitSecret: alice.kitSecret, writer })).toEqual(book)
})

test('without a new kit the account has none', async () => {
  const alice = await withKit()
  const browser = await byKit(alice)
  await browser.does(recoveryApi.recover, await recovers(browser, alice))
  expect(await stateOf(alice)).toMatchObject({ account: [{ kit_hash: null }] })
  const { username, kitSecret } = alice
  expect(await world.stranger().tries(recoveryApi.loginByKit, { username, kitSecret })).toBeRefused(401, 'wrong_kit')
})

test('a recovery that does not fit is refused and leaves everything as it was', async () => {
  const [alice, eve] = [await withKit(), await withKit()]
  const browser = await byKit(alice)
  const state = await stateOf(alice)
  const deviceId = newDeviceId()
  const newKitSecret = newAuthSecret()
  const next = recovered(alice.identity, deviceId, true)
  const renewal = renewalOf(alice.identity, next, deviceId, 0)
  const fits = {
    ...{ ...recovery(alice, newKitSecret), keys: signedKeys(next, deviceId), ...renewal },
    proof: await browser.proofBy(deviceId),
  }
  const { historyKeyId: oldId, historyKey: oldKey } = alice.identity.manifest
  const alter = (manifest: Partial<TestIdentity['manifest']>, keyring: Partial<TestIdentity['keyring']> = {}) =>
    signedKeys({ ...next, manifest: { ...next.manifest, ...manifest }, keyring: { ...next.keyring, ...keyring } }, deviceId)
  const [password, kit] = next.keyring.ways
  const old = alice.identity.keyring.ways.filter((way) => way.kind === 'kit')
  const ways = (...list: (typeof password)[]) => alter({}, { ways: list.flatMap((way) => way ?? []) })
  const two = withDevice(next, newDeviceId()).manifest.devices
  const cases: [string, string, Record<string, unknown>][] = [
    ['wrong_kit', 'a wrong kit', { kitSecret: newAuthSecret() }],
    ['wrong_kit', 'the kit of somebody else', { kitSecret: eve.kitSecret }],
    ['wrong_kit', 'the password in its place', { kitSecret: alice.authSecret }],
    ['invalid_input', 'what was typed', { password: 'hunter22' }],
    ['invalid_signature', 'a forgery', { keys: signedKeys(next, deviceId, randomBytes(32)) }],
    ['invalid_signature', 'keys of somebody else', { keys: signedKeys(recovered(eve.identity, deviceId, true), deviceId) }],
    ['invalid_input', 'no password', { keys: ways(kit) }],
    ['invalid_input', 'a kit that shows nothing', { newKitSecret: null }],
    ['invalid_input', 'a kit that opens nothing', { keys: ways(password) }],
    ['invalid_input', 'the used kit in the keyring', { keys: ways(password, ...old) }],
    ['invalid_input', 'the used kit again', { newKitSecret: alice.kitSecret }],
    ['stale_version', 'the keyring as it was', { keys: signedKeys(withDevice(alice.identity, deviceId), deviceId) }],
    ['stale_version', 'a keyring two versions up', { keys: alter({ keyringVersion: 4 }, { version: 4 }) }],
    ['stale_version', 'a manifest of the same version', { keys: alter({ version: 2 }) }],
    ['stale_version', 'a manifest two versions up', { keys: alter({ version: 4 }) }],
    ['unknown_device', 'a manifest without this browser', { keys: alter({ devices: alice.identity.manifest.devices }) }],
    ['unknown_device', 'another device too', { keys: alter({ devices: two }) }],
    ['invalid_input', 'a device that vanishes', { keys: alter({ devices: next.manifest.devices.slice(1) }) }],
    ['history_key_required', 'the old history key', { keys: alter({ historyKeyId: oldId, historyKey: oldKey }) }],
    ['invalid_input', 'the old history key under a new number', { keys: alter({ historyKey: oldKey }) }],
    ['invalid_input', 'no seal for this browser', { historySeals: renewal.historySeals.slice(0, 1) }],
    ['invalid_input', 'no seal for a browser that stays', { historySeals: renewal.historySeals.slice(1) }],
    ['invalid_input', 'no book', { book: undefined }],
    ['stale_version', 'a stale book', { book: signedBook(next, deviceId, { version: 2 }) }],
    ['unknown_device', "a book by nobody's browser", { book: signedBook(next, newDeviceId(), { version: 1 }) }],
    [
      'invalid_input',
      'a seal for a browser that is removed',
      { keys: signedKeys(recovered(alice.identity, deviceId, true, [alice.deviceId]), deviceId) },
    ],
    ['invalid_input', 'history off', { keys: alter({ keepsHistory: false }) }],
    [
      'invalid_input',
      'a device that is enrolled',
      {
        keys: signedKeys(changed(alice.identity, { adds: ['password', 'kit'] }), alice.deviceId),
        proof: await browser.proofBy(alice.deviceId),
      },
    ],
  ]
  for (const [code, what, more] of cases) {
    expect((await browser.tries(recoveryApi.recover, { ...fits, ...more })).code, what).toBe(code)
    expect(await stateOf(alice), what).toEqual(state)
  }
  // Eve's own session and kit give her no access to Alice's account.
  expect(await (await byKit(eve)).tries(recoveryApi.recover, { ...fits })).toBeRefused(401, 'wrong_kit')
  expect(await browser.does(recoveryApi.recover, fits)).toMatchObject({ id: alice.id })
})

test('an account without a kit is not recovered, whatever is shown', async () => {
  const alice = Object.assign(await world.person('alice'), { kitSecret: newAuthSecret() })
  expect(await alice.tries(recoveryApi.recover, await recovers(alice, alice))).toBeRefused(401, 'wrong_kit')
})

test('of two recoveries at once one wins', async () => {
  const alice = await withKit()
  const browsers = await Promise.all(Array.from({ length: 3 }, () => byKit(alice)))
  const forms = await Promise.all(browsers.map((browser) => recovers(browser, alice, newAuthSecret())))
  const answers = await Promise.all(browsers.map((browser, at) => browser.tries(recoveryApi.recover, { ...forms[at] })))
  const won = answers.filter((answer) => answer.status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expect(answer).toBeRefused(401)
  expect(await stateOf(alice)).toMatchObject({
    sessions: [{ device_id: forms[answers.findIndex((each) => each.status === 200)]?.keys.deviceId }],
  })
})

test.each(['keys:written', 'keys:committed'])(
  'A recovery that dies at %s has done all or nothing: browsers, history key, book and password. Asking again settles it',
  async (point) => {
    const [alice, bob] = [await withKit(), await world.person('bob')]
    await alice.talksTo(bob)
    const stolen = await alice.addsBrowser()
    await stolen.does(devicesApi.saveBook, signedBook(alice.identity, stolen.deviceId, { version: 1 }))
    const browser = await byKit(alice)
    const state = await stateOf(alice)
    const removes = [alice.deviceId, stolen.deviceId]
    const form = await recovers(browser, alice, newAuthSecret(), { removes, bookVersion: 1 })
    onTestFinished(() => {
      delete world.env.fault
    })
    world.env.fault = (reached) => {
      if (reached === point) throw new Error(`Fails at ${point}`)
    }
    expect(await browser.tries(recoveryApi.recover, form)).toBeRefused(500)
    delete world.env.fault
    const isNew = point === 'keys:committed'
    if (!isNew) expect(await stateOf(alice)).toEqual(state)
    expect([await opens(alice.username, alice.authSecret), await opens(alice.username, form.password)]).toEqual([!isNew, isNew])
    const signedIn = await browser.does(recoveryApi.recover, form)
    const { deviceId } = form.keys
    expect(signedIn).toMatchObject({ deviceId, unlock: await browser.does(devicesApi.unlock, {}) })
    expect(await stateOf(alice)).toMatchObject({
      ...{ devices: [{ id: deviceId }], books: [{ device_id: deviceId, version: 2, history_key_id: 2 }] },
      ...{ seals: [{ device_id: deviceId, history_key_id: 2 }], rooms: [{ needs_commit: true }] },
    })
    const after = await stateOf(alice)
    expect(await browser.does(recoveryApi.recover, form)).toEqual(signedIn)
    expect(await stateOf(alice)).toEqual(after)
    // The repeated form works in this browser only.
    const other = world.stranger()
    await other.does(accountApi.login, { username: alice.username, password: form.password, kdf: 1 })
    expect(await other.tries(recoveryApi.recover, form)).toBeRefused(401, 'wrong_kit')
  },
)
