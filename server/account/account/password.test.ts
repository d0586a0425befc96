import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { users } from '../../ground/db/schema/account.ts'
import { deriveAuthSecret } from '../../identity/password/password.ts'
import type { Browser } from '../../testing/browser.ts'
import { changed, signedChange } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

const raw = (currentPassword: string, newPassword: string) => ({ currentPassword, newPassword, confirmNewPassword: newPassword })
const derived = (currentPassword: string, newPassword: string) => ({ ...raw(currentPassword, newPassword), kdf: 1 as const })

/** Makes the change that seals the keyring to a new password. */
function sealedAnew({ identity }: Person) {
  return signedChange(identity, changed(identity, { adds: ['password'] }))
}

const opens = async (username: string, password: string, kdf?: 1) =>
  (await world.stranger().tries(accountApi.login, { username, password, ...(kdf && { kdf }) })).status === 200

async function bare(username: string): Promise<Browser> {
  const browser = world.stranger()
  const form = { username, displayName: 'Bare', password: 'hunter22', confirmPassword: 'hunter22' }
  await browser.does(accountApi.register, form)
  return browser
}

const documentsOf = ({ id }: Person) =>
  world.sql(
    'select password_hash, k.content as keyring, m.content as manifest from users u join keyrings k on k.user_id = u.id join manifests m on m.user_id = u.id where u.id = $1',
    [id],
  )

test('a new password signs in and opens the keyring, the old one does not; other browsers are signed out at once', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.talksTo(bob)
  const laptop = await alice.addsBrowser()
  const visitor = await alice.elsewhere()
  const [hers, theirs, own] = [await laptop.opensSocket(), await bob.opensSocket(), await alice.opensSocket()]
  const newPassword = newAuthSecret()
  const keys = sealedAnew(alice)
  expect(await alice.does(accountApi.changePassword, { ...derived(alice.authSecret, newPassword), keys })).toEqual({})
  // Whoever hears of it first tells: the call, or the listener of account changes, which adds the newest list of devices.
  const { manifest } = (await hers.hears('signed_out')).data
  if (manifest) expect(manifest.content).toContain(laptop.deviceId)
  expect(await hers.closed).toMatchObject({ code: 4401 })
  await theirs.hears('contacts')
  await own.hears('devices')
  for (const browser of [laptop, visitor]) expect(await browser.tries(accountApi.user, {})).toBeRefused(401)
  expect(await alice.does(accountApi.user, {})).toMatchObject({ deviceId: alice.deviceId })
  expect(await alice.does(devicesApi.keys, {})).toMatchObject({ keyring: keys.keyring, manifest: keys.manifest })
  expect(await opens(alice.username, alice.authSecret, 1)).toBe(false)
  expect(await opens(alice.username, newPassword, 1)).toBe(true)
  // The other browser is still a device of the account, and signs in again with the new password.
  const again = { username: alice.username, password: newPassword, kdf: 1 as const, deviceId: laptop.deviceId }
  expect(await world.stranger().does(accountApi.login, again)).toMatchObject({ deviceId: laptop.deviceId })
  theirs.hangsUp()
  own.hangsUp()
})

test('a form that does not fit is refused in the words of the screen, and nothing changes', async () => {
  const alice = await world.person('alice')
  const before = await documentsOf(alice)
  const newPassword = newAuthSecret()
  const fits = { ...derived(alice.authSecret, newPassword), keys: sealedAnew(alice) }
  const unchanged = signedChange(alice.identity, changed(alice.identity, {}))
  const gone = signedChange(alice.identity, changed(alice.identity, { adds: ['passkey'], drops: ['password'] }))
  const cases: [number, string, Record<string, unknown>][] = [
    [400, 'Current password is required', { ...fits, currentPassword: '' }],
    [400, 'New password must be at least 6 characters', { ...fits, newPassword: '12345', confirmNewPassword: '12345' }],
    [400, "New passwords don't match", { ...fits, confirmNewPassword: newAuthSecret() }],
    [
      400,
      'Choose a password that is not the current one',
      { ...derived(alice.authSecret, alice.authSecret), keys: sealedAnew(alice) },
    ],
    [400, 'With kdf 1 the password is 43 characters of base64url', { ...fits, ...raw('hunter22', 'hunter33') }],
    [400, 'The password of an account with keys is changed in a browser (kdf 1)', raw('hunter22', 'hunter33')],
    [400, 'The keyring must be sealed to the new password', derived(alice.authSecret, newPassword)],
    [400, 'The keyring must be sealed to the new password', { ...fits, keys: unchanged }],
    [400, 'The keyring must be sealed to the new password', { ...fits, keys: gone }],
    [401, 'Invalid username or password', { ...fits, currentPassword: newAuthSecret() }],
    [
      400,
      'The signature does not match',
      { ...fits, keys: signedChange(alice.identity, alice.identity, { seed: randomBytes(32) }) },
    ],
  ]
  for (const [status, error, form] of cases) {
    expect(await alice.tries(accountApi.changePassword, form), error).toMatchObject({ status, body: { error } })
  }
  const stale = signedChange(alice.identity, alice.identity)
  await alice.changesKeys({ adds: ['passkey'] })
  expect(await alice.tries(accountApi.changePassword, { ...fits })).toBeRefused(409, 'stale_version')
  expect(await alice.tries(accountApi.changePassword, { ...fits, keys: stale })).toBeRefused(409, 'stale_version')
  expect((await documentsOf(alice))[0]?.['password_hash']).toEqual(before[0]?.['password_hash'])
  expect(await opens(alice.username, alice.authSecret, 1)).toBe(true)
})

test('a new password may come with the removal of a device: that one is told why, the rooms wait for a commit', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const room = await alice.talksTo(bob)
  const laptop = await alice.addsBrowser()
  const line = await laptop.opensSocket()
  const next = changed(alice.identity, { adds: ['password'], removes: [laptop.deviceId] })
  const form = { ...derived(alice.authSecret, newAuthSecret()), keys: signedChange(alice.identity, next) }
  await alice.does(accountApi.changePassword, form)
  expect((await line.hears('signed_out')).data.manifest).toEqual(form.keys.manifest)
  expect(await line.closed).toMatchObject({ code: 4401 })
  expect(await world.sql('select needs_commit from chat_rooms where id = $1', [room])).toEqual([{ needs_commit: true }])
})

test('where only kit or passkey open the keyring, a new password changes no keys', async () => {
  const alice = await world.person('alice')
  await alice.changesKeys({ adds: ['passkey'], drops: ['password'] })
  const before = await alice.does(devicesApi.keys, {})
  const newPassword = newAuthSecret()
  const form = derived(alice.authSecret, newPassword)
  expect(await alice.tries(accountApi.changePassword, { ...form, keys: sealedAnew(alice) })).toBeRefused(400, 'invalid_input')
  await alice.does(accountApi.changePassword, form)
  expect(await alice.does(devicesApi.keys, {})).toEqual(before)
  expect([await opens(alice.username, alice.authSecret, 1), await opens(alice.username, newPassword, 1)]).toEqual([false, true])
})

test('an account without keys changes its password as a program or as a browser', async () => {
  const here = await bare('program')
  const elsewhere = world.stranger()
  await elsewhere.does(accountApi.login, { username: 'program', password: 'hunter22' })
  expect(await here.tries(accountApi.changePassword, raw('hunter33', 'hunter44'))).toBeRefused(401, 'invalid_credentials')
  expect(await here.tries(accountApi.changePassword, raw('hunter22', 'hunter22'))).toBeRefused(400, 'invalid_input')
  await here.does(accountApi.changePassword, raw('hunter22', 'hunter33'))
  expect(await elsewhere.tries(accountApi.user, {})).toBeRefused(401)
  expect([await opens('program', 'hunter22'), await opens('program', 'hunter33')]).toEqual([false, true])

  const { salt } = await here.does(accountApi.salt, { username: 'program' })
  const current = await deriveAuthSecret('program', fromBase64(salt), 'hunter33')
  const [alice, next] = [await world.person('alice'), newAuthSecret()]
  expect(await here.tries(accountApi.changePassword, { ...derived(current, next), keys: sealedAnew(alice) })).toBeRefused(409)
  await here.does(accountApi.changePassword, derived(current, next))
  expect(await opens('program', next, 1)).toBe(true)
})

test('of two changes at once one wins', async () => {
  const alice = await world.person('alice')
  const secrets = Array.from({ length: 4 }, newAuthSecret)
  const answers = await Promise.all(
    secrets.map((secret) =>
      alice.tries(accountApi.changePassword, { ...derived(alice.authSecret, secret), keys: sealedAnew(alice) }),
    ),
  )
  // The later ones name a password that was the current one a moment ago.
  expect(answers.map((answer) => answer.code ?? 'won').sort()).toEqual([...Array(3).fill('invalid_credentials'), 'won'])
  const opening = await Promise.all(secrets.map((secret) => opens(alice.username, secret, 1)))
  expect(opening).toEqual(answers.map((answer) => answer.status === 200))
})

test('Eve, with a stolen cookie, needs the password and a signature; guessing is as slow as at the front door', async () => {
  const strict = await startWorld({ hasLimits: true })
  const [alice, eve] = [await strict.person('alice'), await strict.person('eve')]
  const thief = strict.stranger()
  thief.cookie = alice.cookie
  const next = changed(alice.identity, { adds: ['password'] })
  const forged = signedChange(alice.identity, next, { seed: eve.identity.seed })
  const form = derived(alice.authSecret, newAuthSecret())
  expect(await thief.tries(accountApi.changePassword, { ...form, keys: forged })).toBeRefused(400, 'invalid_signature')
  const keys = sealedAnew(alice)
  for (let at = 0; at < 9; at++) {
    const guess = { ...derived(newAuthSecret(), newAuthSecret()), keys }
    expect(await thief.tries(accountApi.changePassword, guess)).toBeRefused(401, 'invalid_credentials')
  }
  expect(await thief.tries(accountApi.changePassword, { ...form, keys })).toBeRefused(429, 'too_many_requests')
})

test('Eve, who signs in with the old password in the very moment of a change, gets no session', async () => {
  const alice = await world.person('alice')
  let answer: ReturnType<typeof alice.tries> | undefined
  await world.env.db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ passwordHash: randomBytes(32) })
      .where(eq(users.id, alice.id))
    answer = world.stranger().tries(accountApi.login, { username: alice.username, password: alice.authSecret, kdf: 1 })
    await world.lockWaits()
  })
  expect(await answer).toBeRefused(401, 'invalid_credentials')
})

test.each(['keys:written', 'keys:committed'])(
  'a failure at %s leaves the old or the new password whole; asking again settles it',
  async (point) => {
    const alice = await world.person('alice')
    const laptop = await alice.addsBrowser()
    const before = await documentsOf(alice)
    const newPassword = newAuthSecret()
    const form = { ...derived(alice.authSecret, newPassword), keys: sealedAnew(alice) }
    onTestFinished(() => {
      delete world.env.fault
    })
    world.env.fault = (reached) => {
      if (reached === point) throw new Error(`Fails at ${point}`)
    }
    expect(await alice.tries(accountApi.changePassword, form)).toBeRefused(500)
    delete world.env.fault
    const isNew = point === 'keys:committed'
    if (!isNew) expect(await documentsOf(alice)).toEqual(before)
    expect((await laptop.tries(accountApi.user, {})).status).toBe(isNew ? 401 : 200)
    expect([await opens(alice.username, alice.authSecret, 1), await opens(alice.username, newPassword, 1)]).toEqual([
      !isNew,
      isNew,
    ])
    expect(await alice.does(accountApi.changePassword, form)).toEqual({})
    expect(await opens(alice.username, newPassword, 1)).toBe(true)
    expect(await alice.does(devicesApi.keys, {})).toMatchObject({ keyring: form.keys.keyring, manifest: form.keys.manifest })
  },
)
