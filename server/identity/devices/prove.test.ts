import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { writeEnvelope } from '../../../contract/chat/envelope.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Browser } from '../../testing/browser.ts'
import { newDeviceId, sessionProof, signedKeys, withDevice } from '../../testing/keys.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const MINUTE = 60

/** Signs in with Alice's password at another browser, and names her browser as the device. */
async function thiefOf({ username, authSecret, deviceId }: Person): Promise<Browser> {
  const thief = world.stranger()
  await thief.does(accountApi.login, { username, password: authSecret, kdf: 1, deviceId })
  return thief
}

const isProven = async (browser: Browser) => (await browser.tries(contactsApi.list, {})).status === 200
const challengeOf = async (browser: Browser) => (await browser.does(devicesApi.challenge, {})).challenge

test("Alice's browser signs once, and is asked no more for half a day", async () => {
  const alice = await world.person('alice')
  const signedIn = await alice.does(accountApi.login, {
    ...{ username: alice.username, password: alice.authSecret, kdf: 1, deviceId: alice.deviceId },
  })
  expect(await isProven(alice)).toBe(false)
  const { challenge } = await alice.does(devicesApi.unlock, {})
  expect(signedIn.unlock).toMatchObject({ deviceId: alice.deviceId, challenge })
  await alice.proves(alice.deviceId)
  expect(await isProven(alice)).toBe(true)
  expect((await alice.does(devicesApi.unlock, {})).challenge).toBeNull()
  world.passes(11 * 60 * MINUTE)
  expect((await alice.does(devicesApi.unlock, {})).challenge).toBeNull()
})

test("Eve has Alice's password and names her browser: she cannot shut its vault, nor make it look used", async () => {
  const alice = await world.person('alice')
  const seen = () => world.sql('select last_seen_at from devices where id = $1', [alice.deviceId])
  const before = await seen()
  const thief = await thiefOf(alice)
  world.passes(10 * MINUTE)
  await thief.does(devicesApi.unlock, {})
  await thief.does(accountApi.logout, { removeKeys: true })
  expect(await seen()).toEqual(before)
  expect((await alice.does(devicesApi.unlock, {})).unlockSecret).toBe(alice.unlock?.unlockSecret)
  expect(await alice.does(keyPackagesApi.left, {})).toEqual({ oneTime: 3, hasLastResort: true })
})

test('a signature for another session, page, person or device, by another key, or of five minutes ago proves nothing', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const laptop = await alice.addsBrowser()
  const [thief, other] = [await thiefOf(alice), await thiefOf(alice)]
  const origin = thief.origin ?? ''
  const [here, there] = [await challengeOf(thief), await challengeOf(other)]
  expect(here).not.toBe(there)
  const right = () => sessionProof(origin, alice.id, alice.deviceId, here)
  const cases: [string, string][] = [
    ['another session', sessionProof(origin, alice.id, alice.deviceId, there)],
    ['another page', sessionProof('https://conclave.example', alice.id, alice.deviceId, here)],
    ['another person', sessionProof(origin, bob.id, alice.deviceId, here)],
    ['another device', sessionProof(origin, alice.id, laptop.deviceId, here)],
    ['random', randomBytes(64).toString('base64')],
  ]
  const proves = (deviceId: string, proof: string) => thief.tries(devicesApi.prove, { deviceId, proof })
  for (const [what, proof] of cases) expect(await proves(alice.deviceId, proof), what).toBeRefused(400, 'invalid_signature')
  expect(await proves(bob.deviceId, sessionProof(origin, alice.id, bob.deviceId, here))).toBeRefused(409, 'unknown_device')
  // A program sends no Origin, and a page of another site sends another one.
  for (const from of [undefined, 'https://evil.example']) {
    thief.origin = from
    expect(await proves(alice.deviceId, right())).toBeRefused(403, 'forbidden_origin')
  }
  thief.origin = origin
  world.passes(5 * MINUTE)
  expect(await proves(alice.deviceId, right())).toBeRefused(400, 'invalid_signature')
  expect(await isProven(thief)).toBe(false)
  // The challenge of the last window is still valid: nobody is refused for asking at its end.
  const late = sessionProof(origin, alice.id, alice.deviceId, await challengeOf(thief))
  world.passes(2 * MINUTE)
  expect((await proves(alice.deviceId, late)).status).toBe(200)
})

test('a session of before is not signed out: its device signs at the next load', async () => {
  const alice = await world.person('alice')
  await world.sql('update sessions set proven_at = null where user_id = $1', [alice.id])
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id, deviceId: alice.deviceId })
  const { unlockSecret, challenge } = await alice.does(devicesApi.unlock, {})
  expect([unlockSecret, challenge]).toEqual([alice.unlock?.unlockSecret, await challengeOf(alice)])
  await alice.proves(alice.deviceId)
  expect(await isProven(alice)).toBe(true)
})

test('a device that was removed signs for no session any more', async () => {
  const alice = await world.person('alice')
  const laptop = await alice.addsBrowser()
  const thief = await thiefOf(alice)
  await alice.changesKeys({ removes: [laptop.deviceId] })
  expect(
    await thief.tries(devicesApi.prove, { deviceId: laptop.deviceId, proof: await thief.proofBy(laptop.deviceId) }),
  ).toBeRefused(409, 'unknown_device')
  expect(await isProven(thief)).toBe(false)
})

test('a browser is added by a signature of its own: without it, or by that of another, nothing changes', async () => {
  const alice = await world.person('alice')
  const [browser, deviceId] = [await alice.elsewhere(), newDeviceId()]
  const keys = signedKeys(withDevice(alice.identity, deviceId), deviceId)
  expect(await browser.tries(devicesApi.enrol, { ...keys })).toBeRefused(400, 'invalid_input')
  for (const proof of [await browser.proofBy(alice.deviceId), await alice.proofBy(deviceId)])
    expect(await browser.tries(devicesApi.enrol, { ...keys, proof })).toBeRefused(400, 'invalid_signature')
  expect(await alice.does(devicesApi.list, {})).toHaveLength(1)
  const unlock = await browser.does(devicesApi.enrol, { ...keys, proof: await browser.proofBy(deviceId) })
  expect(unlock).toMatchObject({ deviceId, challenge: null })
  expect(await isProven(browser)).toBe(true)
})

test('a program, which has no device, posts plain text and no sealed message', async () => {
  const [alice, bare] = [await world.person('alice'), world.stranger()]
  const username = `program_${randomBytes(4).toString('hex')}`
  const form = { username, displayName: 'A program', password: 'hunter22', confirmPassword: 'hunter22' }
  await bare.does(accountApi.register, form)
  await world.sql("update users set subscription_tier = 'premium' where username = $1", [username])
  const { chatRoomId } = await bare.does(contactsApi.add, { username: alice.username })
  await bare.does(messagesApi.send, { chatRoomId, content: 'in plain words', messageType: 'text' })
  const groupId = toBase64(randomBytes(48))
  const sealed = writeEnvelope({ v: 1, groupId, epoch: 1, mls: 'AAAA', archive: 'AAAA', body: 'AAAA' })
  const draft = { id: randomUUID(), chatRoomId, content: sealed, messageType: 'text' as const }
  expect(await bare.tries(messagesApi.send, draft)).toBeRefused(403, 'device_required')
})
