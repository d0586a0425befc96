import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { deriveAuthSecret } from '../../identity/password/password.ts'
import { newDeviceId, newIdentity, signedKeys } from '../../testing/keys.ts'
import { newAuthSecret } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

const raw = (username: string, password = 'hunter22') => ({
  username,
  displayName: 'Someone',
  password,
  confirmPassword: password,
})

test('someone registers with keys: signed in at once, the address is the key, the device is theirs', async () => {
  const alice = await world.person('Alice')
  const user = await alice.does(accountApi.user, {})
  expect(user).toMatchObject({ id: alice.id, username: alice.username, hasKeys: true, deviceId: alice.deviceId })
  expect(user.onionAddress).toMatch(/^[a-z2-7]{56}\.onion$/)
  expect(alice.unlock?.deviceId).toBe(alice.deviceId)
  expect(Buffer.from(alice.unlock?.unlockSecret ?? '', 'base64')).toHaveLength(32)
  expect(await alice.does(devicesApi.unlock, {})).toEqual({ ...alice.unlock, challenge: null })
})

test('the four fields of the form alone make an account without keys', async () => {
  const browser = world.stranger()
  const user = await browser.does(accountApi.register, raw('bare'))
  expect(user).toMatchObject({ username: 'bare', hasKeys: false, onionAddress: null, deviceId: null, unlock: null })
  expect(await world.stranger().does(accountApi.login, { username: 'BARE', password: 'hunter22' })).toMatchObject({ id: user.id })
})

test('a name is taken regardless of case, and reserved names too; of ten at once one gets it', async () => {
  const { username } = await world.person('Taken')
  for (const name of [username.toLowerCase(), username.toUpperCase(), 'Admin', 'null', 'support']) {
    expect(await world.stranger().tries(accountApi.register, raw(name))).toMatchObject({ status: 409, code: 'username_taken' })
  }
  const secret = newAuthSecret()
  const form = { ...raw('racer', secret), kdf: 1 as const }
  const answers = await Promise.all(Array.from({ length: 10 }, () => world.stranger().tries(accountApi.register, form)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(409)])
})

test('a form that does not fit is refused in the words of the screen', async () => {
  const cases = [
    [{ ...raw('ab') }, 'Username must be at least 3 characters'],
    [{ ...raw('a b c') }, 'Username can only contain letters, numbers, and underscores'],
    [{ ...raw('fine', '12345') }, 'Password must be at least 6 characters'],
    [{ ...raw('fine'), confirmPassword: 'hunter23' }, "Passwords don't match"],
    [{ ...raw('fine'), displayName: '\u200b \u202e' }, 'Display name is required'],
    [{ ...raw('fine'), kdf: 1 }, 'With kdf 1 the password is 43 characters of base64url'],
  ] as const
  for (const [form, text] of cases) {
    expect(await world.stranger().tries(accountApi.register, form)).toMatchObject({ status: 400, body: { error: text } })
  }
})

test('availability is said in words', async () => {
  const here = (await world.person('here')).username.toUpperCase()
  const says = async (username: string) => await world.stranger().does(accountApi.usernameAvailable, { username })
  expect(await says(here)).toEqual({ available: false, message: `${here} is not available` })
  expect(await says('root')).toEqual({ available: false, message: 'root is not available' })
  expect(await says('nobody_yet')).toEqual({ available: true, message: 'nobody_yet is available' })
  expect(await says('x')).toEqual({ available: false, message: 'Username must be at least 3 characters' })
})

test('a salt is the same for a name before and after it exists, and in any case of letters', async () => {
  const salt = async (username: string) => (await world.stranger().does(accountApi.salt, { username })).salt
  const before = await salt('later')
  expect(Buffer.from(before, 'base64')).toHaveLength(16)
  await world.stranger().does(accountApi.register, raw('Later'))
  expect(await salt('LATER')).toBe(before)
  expect(await salt('other')).not.toBe(before)
})

test('what the server derives from a raw password is what a browser would derive', async () => {
  const username = 'derived'
  const password = 'pa\u0308sswo\u0308rd'
  const browser = world.stranger()
  await browser.does(accountApi.register, raw(username, password))
  const { salt } = await browser.does(accountApi.salt, { username })
  const authSecret = await deriveAuthSecret('DERIVED', Buffer.from(salt, 'base64'), password.normalize('NFC'))
  expect(await world.stranger().does(accountApi.login, { username, password: authSecret, kdf: 1 })).toMatchObject({ username })
})

test('the derivation does not drift: a fixed password has a fixed secret', async () => {
  // Computed with hash-wasm and @noble/hashes, like in a browser.
  const derived = await deriveAuthSecret('Alice', Buffer.alloc(16, 7), 'correct horse')
  expect(derived).toBe('5SEi_JxLK5oZBboEhPd9WlF7YfLhNe0LI7kKVftw7Ak')
})

test('an unknown name, a wrong password and a blocked account are answered alike', async () => {
  const carol = await world.person('carol')
  const blocked = await world.person('blocked')
  await world.sql('update users set is_active = false where id = $1', [blocked.id])
  const tries = (username: string, password: string) => world.stranger().tries(accountApi.login, { username, password, kdf: 1 })
  const answers = [
    await tries('unknown_name', newAuthSecret()),
    await tries(carol.username, newAuthSecret()),
    await tries(blocked.username, blocked.authSecret),
  ]
  for (const answer of answers) expect(answer).toMatchObject({ status: 401, code: 'invalid_credentials', body: answers[0]?.body })
  expect(await tries(carol.username, carol.authSecret)).toMatchObject({ status: 200 })
})

test('a login opens the vault of a device that this account has, and of no other', async () => {
  const dave = await world.person('dave')
  const eve = await world.person('eve')
  const login = (deviceId: string) =>
    world.stranger().does(accountApi.login, { username: dave.username, password: dave.authSecret, kdf: 1, deviceId })
  expect((await login(dave.deviceId)).unlock).toMatchObject({ deviceId: dave.deviceId, unlockSecret: dave.unlock?.unlockSecret })
  expect(await login(eve.deviceId)).toMatchObject({ unlock: null, deviceId: null })
  expect(await login(newDeviceId())).toMatchObject({ unlock: null, deviceId: null })
})

test('each login is a new session, and the one before in that browser is over', async () => {
  const browser = world.stranger()
  await browser.does(accountApi.register, raw('again'))
  const line = await browser.opensSocket()
  await browser.does(accountApi.login, { username: 'again', password: 'hunter22' })
  expect(await line.closed).toMatchObject({ code: 4401 })
  const rows = await world.sql("select count(*)::int from sessions s join users u on u.id = s.user_id where u.username = 'again'")
  expect(rows).toEqual([{ count: 1 }])
})

test('logout ends session and sockets, works without a session, and can shut the vault for good', async () => {
  const frank = await world.person('frank')
  const line = await frank.opensSocket()
  expect(await frank.does(accountApi.logout, { removeKeys: true })).toEqual({})
  expect(await line.closed).toMatchObject({ code: 4401 })
  expect(await frank.tries(accountApi.user, {})).toMatchObject({ status: 401, code: 'not_signed_in' })
  expect(await world.stranger().does(accountApi.logout, {})).toEqual({})
  const signedIn = await world.stranger().does(accountApi.login, {
    ...{ username: frank.username, password: frank.authSecret, kdf: 1 },
    deviceId: frank.deviceId,
  })
  expect(signedIn).toMatchObject({ unlock: null, deviceId: null })
})

test('a bare account makes its keys with a new password; its other sessions end; a second time is refused', async () => {
  const here = world.stranger()
  const elsewhere = world.stranger()
  await here.does(accountApi.register, raw('grows'))
  await elsewhere.does(accountApi.login, { username: 'grows', password: 'hunter22' })
  const deviceId = newDeviceId()
  const password = newAuthSecret()
  const { salt } = await here.does(accountApi.salt, { username: 'grows' })
  const currentPassword = await deriveAuthSecret('grows', fromBase64(salt), 'hunter22')
  const form = { currentPassword, password, kdf: 1 as const, keys: signedKeys(newIdentity(deviceId), deviceId) }
  expect(await here.tries(accountApi.makeKeys, { ...form, currentPassword: newAuthSecret() })).toMatchObject({
    code: 'invalid_credentials',
  })
  // The server must refuse the typed password, even in the first request.
  expect(await here.tries(accountApi.makeKeys, { ...form, currentPassword: 'hunter22' })).toMatchObject({ code: 'invalid_input' })
  expect(await here.does(accountApi.makeKeys, form)).toMatchObject({ hasKeys: true, deviceId, unlock: { deviceId } })
  expect(await elsewhere.tries(contactsApi.list, {})).toMatchObject({ status: 401 })
  expect(await here.tries(accountApi.makeKeys, form)).toMatchObject({ status: 409, code: 'has_keys' })
  const tries = (secret: string, kdf?: 1) =>
    world.stranger().tries(accountApi.login, { username: 'grows', password: secret, ...(kdf && { kdf }) })
  expect(await tries('hunter22')).toMatchObject({ status: 401 })
  expect(await tries(password, 1)).toMatchObject({ status: 200 })
})

test('Eve cannot register with the identity key of someone else, nor with keys that she did not sign', async () => {
  const heidi = await world.person('heidi')
  const deviceId = newDeviceId()
  const password = newAuthSecret()
  const register = (keys: ReturnType<typeof signedKeys>) =>
    world.stranger().tries(accountApi.register, { ...raw('mallory', password), kdf: 1, keys })
  expect(await register(signedKeys(heidi.identity, heidi.deviceId))).toMatchObject({ status: 400, code: 'invalid_input' })
  expect(await register(signedKeys(newIdentity(deviceId), deviceId, randomBytes(32)))).toMatchObject({
    code: 'invalid_signature',
  })
  const rows = await world.sql("select count(*)::int from users where username = 'mallory'")
  expect(rows).toEqual([{ count: 0 }])
})

test('too many wrong passwords are refused with the time to wait, even for the right one', async () => {
  const strict = await startWorld({ hasLimits: true })
  const ivan = await strict.person('ivan')
  const tries = (password: string) => strict.stranger().tries(accountApi.login, { username: 'IVAN', password, kdf: 1 })
  for (let at = 0; at < 10; at++) expect(await tries(newAuthSecret())).toBeRefused(401)
  const answer = await tries(ivan.authSecret)
  expect(answer).toBeRefused(429, 'too_many_requests')
  expect(answer.body).toMatchObject({ retryAfterSeconds: expect.any(Number) })
  strict.passes(5 * 60)
  expect(await tries(ivan.authSecret)).toMatchObject({ status: 200 })
})
