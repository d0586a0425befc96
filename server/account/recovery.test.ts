import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../contract/account.ts'
import { devicesApi } from '../../contract/devices.ts'
import type { Browser } from '../testing/browser.ts'
import { changed, newDeviceId, recovered, signedKeys, type TestIdentity, withDevice } from '../testing/keys.ts'
import { newAuthSecret, type Person } from '../testing/person.ts'
import { startWorld, type World } from '../testing/world.ts'

const world = await startWorld()

/** Makes a person with a recovery kit. */
async function withKit(from: World = world): Promise<Person & { kitSecret: string }> {
  const [alice, kitSecret] = [await from.person('alice'), newAuthSecret()]
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret })
  return Object.assign(alice, { kitSecret })
}

async function byKit(alice: Person & { kitSecret: string }): Promise<Browser> {
  const browser = world.stranger()
  await browser.does(accountApi.loginByKit, { username: alice.username, kitSecret: alice.kitSecret })
  return browser
}

/** Builds the form by which a browser recovers the account. */
function recovery(alice: Person & { kitSecret: string }, newKitSecret: string | null = null) {
  const deviceId = newDeviceId()
  const identity = recovered(alice.identity, deviceId, newKitSecret !== null)
  return {
    ...{ kitSecret: alice.kitSecret, newKitSecret, password: newAuthSecret(), kdf: 1 as const },
    keys: signedKeys(identity, deviceId),
  }
}

/** Recovers the account with a form that the new device has signed for the browser's session. */
async function recovers(browser: Browser, alice: Person & { kitSecret: string }, newKitSecret: string | null = null) {
  const form = recovery(alice, newKitSecret)
  return { ...form, proof: await browser.proofBy(form.keys.deviceId) }
}

const stateOf = async ({ id }: Person) => ({
  account: await world.sql('select password_hash, kit_hash from users where id = $1', [id]),
  keyrings: await world.sql('select * from keyrings where user_id = $1', [id]),
  manifests: await world.sql('select * from manifests where user_id = $1', [id]),
  devices: await world.sql('select id from devices where user_id = $1 order by id', [id]),
  sessions: await world.sql('select token_hash, device_id from sessions where user_id = $1 order by token_hash', [id]),
  packages: await world.sql('select id from key_packages where user_id = $1 order by id', [id]),
})

const opens = async (username: string, password: string) =>
  (await world.stranger().tries(accountApi.login, { username, password, kdf: 1 })).status === 200

test('whoever holds the kit signs in without the password, to a session that has no device', async () => {
  const alice = await withKit()
  const browser = world.stranger()
  const name = alice.username.toUpperCase()
  const signedIn = await browser.does(accountApi.loginByKit, { username: name, kitSecret: alice.kitSecret })
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
  const tries = (username: string, kitSecret: string) => world.stranger().tries(accountApi.loginByKit, { username, kitSecret })
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

test('guessing a kit is as slow as guessing a password, at the door and inside', async () => {
  const strict = await startWorld({ hasLimits: true })
  const alice = await withKit(strict)
  const { username, kitSecret } = alice
  const guess = () => strict.stranger().tries(accountApi.loginByKit, { username, kitSecret: newAuthSecret() })
  for (let at = 0; at < 10; at++) expect(await guess()).toBeRefused(401, 'wrong_kit')
  const form = await recovers(alice, alice)
  for (let at = 0; at < 10; at++)
    expect(await alice.tries(accountApi.recover, { ...form, kitSecret: newAuthSecret() })).toBeRefused(401, 'wrong_kit')
  expect(await alice.tries(accountApi.recover, form)).toBeRefused(429, 'too_many_requests')
  expect(await strict.stranger().tries(accountApi.loginByKit, { username, kitSecret })).toBeRefused(429, 'too_many_requests')
  // One address has thirty attempts for all names together.
  for (let at = 0; at < 20; at++) await strict.stranger().tries(accountApi.loginByKit, { username: `name_${at}`, kitSecret })
  const other = { username: 'someone_else', kitSecret }
  expect(await strict.stranger().tries(accountApi.loginByKit, other)).toBeRefused(429, 'too_many_requests')
})

test('by the kit come a new password, this browser and a new kit; the used kit is used up, other browsers are out', async () => {
  const [alice, bob] = [await withKit(), await world.person('bob')]
  await alice.talksTo(bob)
  const laptop = await alice.addsBrowser()
  const [hers, theirs] = [await laptop.opensSocket(), await bob.opensSocket()]
  const browser = await byKit(alice)
  const newKitSecret = newAuthSecret()
  const form = await recovers(browser, alice, newKitSecret)
  const signedIn = await browser.does(accountApi.recover, form)
  const { deviceId } = form.keys
  expect(signedIn).toMatchObject({ id: alice.id, deviceId, hasKeys: true, unlock: { deviceId } })
  expect(await browser.does(devicesApi.unlock, {})).toEqual(signedIn.unlock)
  expect(await browser.does(devicesApi.keyPackagesLeft, {})).toEqual({ oneTime: 3, hasLastResort: true })
  expect(await hers.closed).toMatchObject({ code: 4401 })
  await theirs.hears('contacts')
  for (const other of [alice, laptop]) expect(await other.tries(accountApi.user, {})).toBeRefused(401)

  expect([await opens(alice.username, alice.authSecret), await opens(alice.username, form.password)]).toEqual([false, true])
  const tries = (kitSecret: string) => world.stranger().tries(accountApi.loginByKit, { username: alice.username, kitSecret })
  expect(await tries(alice.kitSecret)).toBeRefused(401, 'wrong_kit')
  expect((await tries(newKitSecret)).status).toBe(200)
  // The earlier devices still belong to the account: the person removes those that are lost.
  expect(await browser.does(devicesApi.list, {})).toHaveLength(3)
  const hashed = await world.sql('select kit_hash from users where id = $1', [alice.id])
  expect(hashed).toEqual([{ kit_hash: createHash('sha256').update(newKitSecret).digest() }])
  theirs.hangsUp()
})

test('without a new kit the account has none', async () => {
  const alice = await withKit()
  const browser = await byKit(alice)
  await browser.does(accountApi.recover, await recovers(browser, alice))
  expect(await stateOf(alice)).toMatchObject({ account: [{ kit_hash: null }] })
  const { username, kitSecret } = alice
  expect(await world.stranger().tries(accountApi.loginByKit, { username, kitSecret })).toBeRefused(401, 'wrong_kit')
})

test('a recovery that does not fit is refused and leaves everything as it was', async () => {
  const [alice, eve] = [await withKit(), await withKit()]
  const browser = await byKit(alice)
  const state = await stateOf(alice)
  const deviceId = newDeviceId()
  const newKitSecret = newAuthSecret()
  const next = recovered(alice.identity, deviceId, true)
  const fits = {
    ...{ ...recovery(alice, newKitSecret), keys: signedKeys(next, deviceId) },
    proof: await browser.proofBy(deviceId),
  }
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
    ['invalid_input', 'a removal', { keys: alter({ devices: next.manifest.devices.slice(1), removed: [alice.deviceId] }) }],
    ['invalid_input', 'a new history key', { keys: alter({ historyKeyId: 2, historyKey: randomBytes(99).toString('base64') }) }],
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
    expect((await browser.tries(accountApi.recover, { ...fits, ...more })).code, what).toBe(code)
    expect(await stateOf(alice), what).toEqual(state)
  }
  // Eve's own session and kit give her no access to Alice's account.
  expect(await (await byKit(eve)).tries(accountApi.recover, { ...fits })).toBeRefused(401, 'wrong_kit')
  expect(await browser.does(accountApi.recover, fits)).toMatchObject({ id: alice.id })
})

test('an account without a kit is not recovered, whatever is shown', async () => {
  const alice = Object.assign(await world.person('alice'), { kitSecret: newAuthSecret() })
  expect(await alice.tries(accountApi.recover, await recovers(alice, alice))).toBeRefused(401, 'wrong_kit')
})

test('of two recoveries at once one wins', async () => {
  const alice = await withKit()
  const browsers = await Promise.all(Array.from({ length: 3 }, () => byKit(alice)))
  const forms = await Promise.all(browsers.map((browser) => recovers(browser, alice, newAuthSecret())))
  const answers = await Promise.all(browsers.map((browser, at) => browser.tries(accountApi.recover, { ...forms[at] })))
  const won = answers.filter((answer) => answer.status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expect(answer).toBeRefused(401)
  expect(await stateOf(alice)).toMatchObject({
    sessions: [{ device_id: forms[answers.findIndex((each) => each.status === 200)]?.keys.deviceId }],
  })
})

test.each(['keys:written', 'keys:committed'])('a recovery that fails at %s is settled by asking again', async (point) => {
  const alice = await withKit()
  const browser = await byKit(alice)
  const state = await stateOf(alice)
  const form = await recovers(browser, alice, newAuthSecret())
  onTestFinished(() => {
    delete world.env.fault
  })
  world.env.fault = (reached) => {
    if (reached === point) throw new Error(`Fails at ${point}`)
  }
  expect(await browser.tries(accountApi.recover, form)).toBeRefused(500)
  delete world.env.fault
  const isNew = point === 'keys:committed'
  if (!isNew) expect(await stateOf(alice)).toEqual(state)
  expect([await opens(alice.username, alice.authSecret), await opens(alice.username, form.password)]).toEqual([!isNew, isNew])
  const signedIn = await browser.does(accountApi.recover, form)
  expect(signedIn).toMatchObject({ deviceId: form.keys.deviceId, unlock: await browser.does(devicesApi.unlock, {}) })
  const after = await stateOf(alice)
  expect(await browser.does(accountApi.recover, form)).toEqual(signedIn)
  expect(await stateOf(alice)).toEqual(after)
  // The repeated form works in this browser only.
  const other = world.stranger()
  await other.does(accountApi.login, { username: alice.username, password: form.password, kdf: 1 })
  expect(await other.tries(accountApi.recover, form)).toBeRefused(401, 'wrong_kit')
})
