import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { factorDetails, PASSKEY_LIMITS } from '../../../contract/account/assertion.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { passkeysApi } from '../../../contract/account/passkeys.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { dropUsedChallenges } from '../../identity/passkeys/passkeyChallenge.ts'
import { type Authenticator, newAuthenticator } from '../../testing/authenticator.ts'
import type { Browser } from '../../testing/browser.ts'
import { newDeviceId, newIdentity, orderSignature, signedKeys, withDevice } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const ONION = `http://${'a'.repeat(56)}.onion`
const world = await startWorld({ variables: { ONION_URL: ONION } })

const passkeyOf = ({ origin = '', id }: Person, counts = true) => newAuthenticator(origin, id, counts)

/** Makes a person with a recovery kit, whose sign-in asks for this passkey beside the password. */
async function withFactor(counts = true): Promise<Person & { passkey: Authenticator }> {
  const alice = await world.person('alice')
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
  const passkey = passkeyOf(alice, counts)
  await alice.addsPasskey(passkey)
  expect(await alice.does(passkeysApi.setBiometric, { enabled: true })).toEqual({ enabled: true })
  return Object.assign(alice, { passkey })
}

const form = ({ username, authSecret }: Person) => ({ username, password: authSecret, kdf: 1 as const })

/** Sends the right password and returns what the passkey is to sign. */
async function asked(browser: Browser, person: Person) {
  const answer = await browser.tries(accountApi.login, form(person))
  expect(answer).toBeRefused(401, 'biometric_required')
  expect(browser.cookie).toBeUndefined()
  return factorDetails.parse((answer.body as { details: unknown }).details)
}

const signs = (browser: Browser, person: Person, assertion: object) =>
  browser.tries(accountApi.login, { ...form(person), assertion })

/** Signs in with password and passkey at another browser, which is added to the account. */
async function joins(alice: Person & { passkey: Authenticator }): Promise<Browser> {
  const [browser, deviceId] = [world.stranger(), newDeviceId()]
  await signs(browser, alice, alice.passkey.asserts((await asked(browser, alice)).challenge))
  alice.identity = withDevice(alice.identity, deviceId)
  await browser.does(devicesApi.enrol, { ...signedKeys(alice.identity, deviceId), proof: await browser.proofBy(deviceId) })
  return browser
}

/** Signs in by the passkey alone. */
async function alone(browser: Browser, passkey: Authenticator, odd: object = {}) {
  const { challenge } = await browser.does(passkeysApi.loginChallenge, {})
  return await browser.tries(passkeysApi.login, { assertion: passkey.asserts(challenge, odd) })
}

test('Alice’s password alone gives no session: it takes the password and her passkey together', async () => {
  const alice = await withFactor()
  const browser = world.stranger()
  const { challenge, ids } = await asked(browser, alice)
  expect(ids).toEqual([alice.passkey.id])
  expect(await signs(browser, alice, alice.passkey.asserts(challenge))).toMatchObject({
    status: 200,
    body: { id: alice.id, biometricEnabled: true },
  })
  const [kept] = await alice.does(passkeysApi.list, {})
  expect(kept).toMatchObject({ id: alice.passkey.id, name: 'My key', host: 'localhost', lastUsedAt: expect.any(String) })
})

test('a program that sends the raw password is asked for the passkey too', async () => {
  const alice = await withFactor()
  const program = world.stranger()
  program.origin = undefined
  const answer = await program.tries(accountApi.login, form(alice))
  expect(answer).toBeRefused(401, 'biometric_required')
  // It has no page, so no passkey is its own, and none that was asked elsewhere counts for it.
  const { challenge, ids } = factorDetails.parse((answer.body as { details: unknown }).details)
  expect(ids).toEqual([])
  expect(await signs(program, alice, alice.passkey.asserts(challenge))).toBeRefused(403, 'forbidden_origin')
})

test('Eve does not learn who has a passkey: without the password each answer is the same', async () => {
  const alice = await withFactor()
  const bob = await world.person('bob')
  const eve = world.stranger()
  const answers = []
  for (const username of [alice.username, bob.username, 'nobody_here']) {
    const made = alice.passkey.asserts('AAAA')
    const wrong = { username, password: newAuthSecret(), kdf: 1 }
    answers.push(await eve.tries(accountApi.login, wrong), await eve.tries(accountApi.login, { ...wrong, assertion: made }))
  }
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]).toBeRefused(401, 'invalid_credentials')
  const { challenge } = await eve.does(passkeysApi.loginChallenge, {})
  const byHandle = []
  for (const userHandle of [alice.id, bob.id, crypto.randomUUID(), 'no user id']) {
    const own = newAuthenticator(eve.origin ?? '', userHandle)
    byHandle.push(await eve.tries(passkeysApi.login, { assertion: own.asserts(challenge) }))
  }
  // Her own authenticator, which claims the id of Alice's passkey, knows no more of it.
  const forged = { ...newAuthenticator(eve.origin ?? '', alice.id).asserts(challenge), id: alice.passkey.id }
  byHandle.push(await eve.tries(passkeysApi.login, { assertion: forged }))
  for (const answer of byHandle) expect(answer).toEqual(byHandle[0])
  expect(byHandle[0]).toBeRefused(401, 'passkey_refused')
})

test('the passkey of another page, account or person opens nothing', async () => {
  const alice = await withFactor()
  const bob = await withFactor()
  const browser = world.stranger()
  const { challenge } = await asked(browser, alice)
  const refused = async (assertion: object) => expect(await signs(browser, alice, assertion)).toBeRefused(401, 'passkey_refused')
  await refused(bob.passkey.asserts(challenge))
  await refused({ ...bob.passkey.asserts(challenge), id: alice.passkey.id })
  await refused(alice.passkey.asserts(challenge, { origin: 'https://phishing.example' }))
  await refused(alice.passkey.asserts(challenge, { host: 'phishing.example' }))
  await refused(alice.passkey.asserts(challenge, { isVerified: false }))
  await refused(alice.passkey.asserts(challenge, { type: 'webauthn.create' }))
  await refused(alice.passkey.asserts(challenge, { userHandle: bob.id }))
  await refused({ ...alice.passkey.asserts(challenge), authenticatorData: 'AAAA' })
  await refused({ ...alice.passkey.asserts(challenge), clientDataJSON: 'AAAA' })
  // A challenge for Bob, for a sign-in without a password, or made up is none for Alice's second factor.
  await refused(alice.passkey.asserts((await asked(world.stranger(), bob)).challenge))
  await refused(alice.passkey.asserts((await browser.does(passkeysApi.loginChallenge, {})).challenge))
  await refused(alice.passkey.asserts(randomBytes(56).toString('base64url')))
  expect(await signs(browser, alice, alice.passkey.asserts(challenge))).toMatchObject({ status: 200 })
})

test('what a passkey has signed counts once, and for two minutes', async () => {
  const alice = await withFactor(false)
  const first = await asked(world.stranger(), alice)
  const signed = alice.passkey.asserts(first.challenge)
  expect(await signs(world.stranger(), alice, signed)).toMatchObject({ status: 200 })
  expect(await signs(world.stranger(), alice, signed)).toBeRefused(401, 'passkey_refused')
  // Signed anew it is still the same challenge.
  expect(await signs(world.stranger(), alice, alice.passkey.asserts(first.challenge))).toBeRefused(401, 'passkey_refused')
  const late = await asked(world.stranger(), alice)
  world.passes(2 * 60 + 1)
  expect(await signs(world.stranger(), alice, alice.passkey.asserts(late.challenge))).toBeRefused(401, 'passkey_refused')
  expect(await dropUsedChallenges(world.env)).toBe(false)
  expect(await world.sql('select count(*)::int from used_challenges where expires_at <= $1', [world.env.clock()])).toEqual([
    { count: 0 },
  ])
})

test('of two requests with one signature one gets a session', async () => {
  const alice = await withFactor(false)
  const { challenge } = await asked(world.stranger(), alice)
  const signed = alice.passkey.asserts(challenge)
  const answers = await Promise.all([1, 2, 3].map(() => signs(world.stranger(), alice, signed)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
})

test('a copy of a passkey is refused by its counter, and every browser of the account is told, once an hour', async () => {
  const alice = await withFactor()
  const laptop = await joins(alice)
  const copy = alice.passkey.copy()
  expect(
    await signs(world.stranger(), alice, alice.passkey.asserts((await asked(world.stranger(), alice)).challenge)),
  ).toMatchObject({ status: 200 })
  for (let n = 0; n < 3; n++) {
    copy.counter = Math.min(copy.counter, alice.passkey.counter - 1)
    expect(await signs(world.stranger(), alice, copy.asserts((await asked(world.stranger(), alice)).challenge))).toBeRefused(
      401,
      'passkey_copied',
    )
  }
  for (const browser of [alice, laptop]) {
    const told = (await browser.does(sessionsApi.signIns, {})).filter(({ copiedPasskey }) => copiedPasskey !== null)
    expect(told).toMatchObject([{ copiedPasskey: 'My key', isLive: false, deviceId: null }])
  }
  // The real one goes on.
  expect(
    await signs(world.stranger(), alice, alice.passkey.asserts((await asked(world.stranger(), alice)).challenge)),
  ).toMatchObject({ status: 200 })
})

test('a passkey alone signs in, with a session that no device has signed for', async () => {
  const alice = await world.person('alice')
  const passkey = passkeyOf(alice)
  await alice.addsPasskey(passkey, true)
  const browser = world.stranger()
  expect(await alone(browser, passkey)).toMatchObject({ status: 200, body: { id: alice.id, deviceId: null, unlock: null } })
  expect(await browser.tries(devicesApi.keys, {})).toMatchObject({ status: 200 })
  expect(await browser.tries(passkeysApi.list, {})).toBeRefused(403, 'device_required')
  // Nobody else's keys and no second use.
  const { challenge } = await browser.does(passkeysApi.loginChallenge, {})
  const signed = passkey.asserts(challenge)
  expect(await world.stranger().tries(passkeysApi.login, { assertion: signed, deviceId: alice.deviceId })).toMatchObject({
    status: 200,
    body: { unlock: { deviceId: alice.deviceId } },
  })
  expect(await world.stranger().tries(passkeysApi.login, { assertion: signed })).toBeRefused(401, 'passkey_refused')
  await world.sql('update users set is_active = false where id = $1', [alice.id])
  expect(await alone(world.stranger(), passkey)).toBeRefused(401, 'passkey_refused')
})

test('a removed passkey signs in no more, whether it opened the keys or not', async () => {
  const alice = await world.person('alice')
  const [opens, signsOnly] = [passkeyOf(alice), passkeyOf(alice)]
  await alice.addsPasskey(opens, true)
  await alice.addsPasskey(signsOnly)
  const has = async () => (await world.sql('select has_biometrics from users where id = $1', [alice.id]))[0]
  expect(await has()).toEqual({ has_biometrics: true })
  await alice.changesKeys({ drops: ['passkey'] })
  await alice.does(passkeysApi.remove, { id: signsOnly.id })
  for (const passkey of [opens, signsOnly]) expect(await alone(world.stranger(), passkey)).toBeRefused(401, 'passkey_refused')
  expect(await alice.does(passkeysApi.list, {})).toEqual([])
  expect(await has()).toEqual({ has_biometrics: false })
})

test('Alice renames her passkey, her pages are told, and nobody renames another person’s', async () => {
  const alice = await withFactor()
  const bob = await withFactor()
  const line = await alice.opensSocket()
  await line.hears('hello')
  const renames = (who: Person, name: string) => who.tries(passkeysApi.rename, { id: alice.passkey.id, name })
  expect(await renames(alice, '  At my desk ')).toMatchObject({ status: 200 })
  await line.hears('devices')
  line.hangsUp()
  expect(await alice.does(passkeysApi.list, {})).toMatchObject([{ name: 'At my desk' }])
  for (const name of ['', '   ', 'x'.repeat(PASSKEY_LIMITS.nameMax + 1)])
    expect(await renames(alice, name)).toBeRefused(400, 'invalid_input')
  // Bob’s own keys sign for it; the passkey is none of his.
  expect(await renames(bob, 'Bob was here')).toBeRefused(404, 'not_found')
  expect(await alice.does(passkeysApi.list, {})).toMatchObject([{ name: 'At my desk' }])
  // The name is all that has changed.
  expect((await alone(world.stranger(), alice.passkey)).status).toBe(200)
})

test('nobody is asked for a passkey who could not come back without it', async () => {
  const alice = await world.person('alice')
  const switches = (enabled: boolean) => alice.tries(passkeysApi.setBiometric, { enabled })
  expect(await switches(true)).toBeRefused(400, 'invalid_input')
  const first = passkeyOf(alice)
  await alice.addsPasskey(first)
  expect(await switches(true)).toBeRefused(409, 'way_back_required')
  const second = passkeyOf(alice)
  await alice.addsPasskey(second, true)
  expect(await switches(true)).toMatchObject({ status: 200, body: { enabled: true } })
  // Neither of the two can go while there is no kit, and not the kit while there is one passkey.
  expect(await alice.tries(passkeysApi.remove, { id: first.id })).toBeRefused(409, 'way_back_required')
  await expect(alice.changesKeys({ drops: ['passkey'] })).rejects.toMatchObject({ answer: { code: 'way_back_required' } })
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
  await alice.does(passkeysApi.remove, { id: first.id })
  await expect(alice.changesKeys({ drops: ['kit'] }, { kitSecret: null })).rejects.toMatchObject({
    answer: { code: 'way_back_required' },
  })
  await expect(alice.changesKeys({ drops: ['passkey'] })).rejects.toMatchObject({ answer: { code: 'way_back_required' } })
  expect(await switches(false)).toMatchObject({ status: 200, body: { enabled: false } })
  await alice.changesKeys({ drops: ['passkey'] })
})

test('a program without keys is told what is missing, and switches nothing on', async () => {
  const program = world.stranger()
  const { username, password } = { username: 'some_program', password: 'hunter22' }
  await program.does(accountApi.register, { username, displayName: 'P', password, confirmPassword: password })
  expect(await program.tries(passkeysApi.setBiometric, { enabled: true })).toBeRefused(400, 'invalid_input')
  expect(await program.does(passkeysApi.setBiometric, { enabled: false })).toEqual({ enabled: false })
  const { challenge } = await program.does(passkeysApi.challenge, {})
  const { id } = await program.does(accountApi.user, {})
  const made = newAuthenticator(program.origin ?? '', id).registers(challenge)
  expect(await program.tries(passkeysApi.add, { ...made, name: 'Mine' })).toBeRefused(403, 'order_required')
})

test('Eve sits at Alice’s open browser, or has her password: without Alice’s keys she adds, removes and switches nothing', async () => {
  const alice = await withFactor()
  const own = newIdentity()
  const thief = world.stranger()
  await signs(thief, alice, alice.passkey.asserts((await asked(thief, alice)).challenge))
  const hers = newAuthenticator(alice.origin ?? '', alice.id)
  const { challenge } = await alice.does(passkeysApi.challenge, {})
  const calls = [
    [passkeysApi.add, { ...hers.registers(challenge), name: 'Eve' }, 'add passkey'],
    [passkeysApi.rename, { id: alice.passkey.id, name: 'Eve' }, 'rename passkey'],
    [passkeysApi.remove, { id: alice.passkey.id }, 'remove passkey'],
    [passkeysApi.setBiometric, { enabled: false }, 'switch biometric'],
  ] as const
  alice.opened = undefined
  for (const [endpoint, input, act] of calls) {
    expect(await thief.tries(endpoint, input)).toBeRefused(403, 'device_required')
    expect(await alice.tries(endpoint, input)).toBeRefused(403, 'order_required')
    const { challenge: forOrder } = await alice.does(devicesApi.challenge, {})
    const place: [string, string, string, typeof act] = [alice.origin ?? '', alice.id, forOrder, act]
    const forged = orderSignature(own, place, input)
    expect(await alice.tries(endpoint, { ...input, order: forged })).toBeRefused(400, 'invalid_signature')
  }
  expect(await alice.does(passkeysApi.list, {})).toMatchObject([{ id: alice.passkey.id, name: 'My key' }])
  expect(await alice.does(accountApi.user, {})).toMatchObject({ biometricEnabled: true })
})

test('a passkey counts only as it was made for this account, page and minute', async () => {
  const alice = await world.person('alice')
  const bob = await world.person('bob')
  const tries = (made: object) => alice.tries(passkeysApi.add, { ...made, name: 'Mine' })
  const { challenge } = await alice.does(passkeysApi.challenge, {})
  const passkey = passkeyOf(alice)
  const wrong = [
    passkey.registers(challenge, { origin: 'https://phishing.example' }),
    passkey.registers(challenge, { host: 'phishing.example' }),
    passkey.registers(challenge, { isVerified: false }),
    passkey.registers(challenge, { type: 'webauthn.get' }),
    passkey.registers((await bob.does(passkeysApi.challenge, {})).challenge),
    passkey.registers((await alice.does(passkeysApi.loginChallenge, {})).challenge),
    { ...passkey.registers(challenge), attestationObject: 'AAAA' },
    { ...passkey.registers(challenge), id: passkeyOf(alice).id },
  ]
  for (const made of wrong) expect(await tries(made)).toBeRefused(400, 'invalid_input')
  const made = passkey.registers(challenge)
  expect(await tries(made)).toMatchObject({ status: 200 })
  expect(await tries(made)).toBeRefused(400, 'invalid_input')
  // A keyring for something else does not come along with it.
  const keys = signedKeys(alice.identity, alice.deviceId)
  const again = passkeyOf(alice).registers((await alice.does(passkeysApi.challenge, {})).challenge)
  expect(await alice.tries(passkeysApi.add, { ...again, name: 'Mine', keys: { ...keys, historySeals: [] } })).toBeRefused(400)
  expect(await alice.does(passkeysApi.list, {})).toHaveLength(1)
})

test('each address has passkeys of its own: that of one is none at another', async () => {
  const alice = await withFactor()
  const onion = world.stranger()
  onion.origin = ONION
  expect((await asked(onion, alice)).ids).toEqual([])
  const { challenge } = await asked(onion, alice)
  for (const odd of [{}, { origin: ONION }, { origin: ONION, host: new URL(ONION).hostname }])
    expect(await signs(onion, alice, alice.passkey.asserts(challenge, odd))).toBeRefused(401, 'passkey_refused')
})

test('a sign-in that began before the passkey was asked ends as if it came after', async () => {
  const alice = await world.person('alice')
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
  await alice.addsPasskey(passkeyOf(alice))
  const held = await world.pool.connect()
  try {
    await held.query('begin')
    await held.query('update users set biometric_enabled = true where id = $1', [alice.id])
    const signing = world.stranger().tries(accountApi.login, form(alice))
    await world.lockWaits()
    await held.query('commit')
    expect(await signing).toBeRefused(401, 'invalid_credentials')
  } finally {
    held.release()
  }
})
