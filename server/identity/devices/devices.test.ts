import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { changed, newDeviceId, newIdentity, signedBook, signedKeys, type TestIdentity, withDevice } from '../../testing/keys.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

const random = () => randomBytes(100).toString('base64')

test('a second browser enrols by a manifest one version up; contacts hear of it and see it', async () => {
  const [alice, bob] = [await world.person('someone'), await world.person('someone')]
  await alice.talksTo(bob)
  const line = await bob.opensSocket()
  const laptop = await alice.elsewhere()
  const deviceId = newDeviceId()
  const identity = withDevice(alice.identity, deviceId)
  const proof = await laptop.proofBy(deviceId)
  const unlock = await laptop.does(devicesApi.enrol, { ...signedKeys(identity, deviceId), proof })
  expect(unlock.unlockSecret).not.toBe(alice.unlock?.unlockSecret)
  expect((await line.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  expect((await bob.contacts())[0]?.contactUser.manifestVersion).toBe(2)
  const shown = await bob.does(devicesApi.manifest, { userId: alice.id })
  expect(shown).toMatchObject({ version: 2, identityKey: identity.manifest.identityKey })
  expect(JSON.parse(shown.manifest?.content ?? '').devices).toHaveLength(2)
  expect((await laptop.does(accountApi.user, {})).deviceId).toBe(deviceId)
  // The response was lost: repeating the request returns the same.
  const { keyring, manifest } = await laptop.does(devicesApi.keys, {})
  if (!keyring || !manifest) throw new Error('no keys')
  expect(await laptop.does(devicesApi.enrol, { keyring, manifest, deviceId, keyPackages: { oneTime: [] }, proof })).toEqual(
    unlock,
  )
  line.hangsUp()
})

test('two browsers that enrol at once: one is in, the other is told to read the newer manifest', async () => {
  const alice = await world.person('someone')
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const deviceId = newDeviceId()
      const browser = await alice.elsewhere()
      const keys = signedKeys(withDevice(alice.identity, deviceId), deviceId)
      return await browser.tries(devicesApi.enrol, { ...keys, proof: await browser.proofBy(deviceId) })
    }),
  )
  expect(answers.map((answer) => answer.code ?? 'in').sort()).toEqual(['in', ...Array(4).fill('stale_version')])
})

test('Eve, signed in with a stolen cookie, cannot change the account: every forged or unfit manifest is refused', async () => {
  const alice = await world.person('someone')
  const laptop = await alice.elsewhere()
  const deviceId = newDeviceId()
  const next = withDevice(alice.identity, deviceId)
  const alter = (manifest: Partial<TestIdentity['manifest']>): TestIdentity => ({
    ...next,
    manifest: { ...next.manifest, ...manifest },
  })
  const signed = signedKeys(next, deviceId)
  const cases: [string, Record<string, unknown>][] = [
    ['invalid_signature', { ...signedKeys(next, deviceId, randomBytes(32)) }],
    ['invalid_signature', { ...signed, manifest: { ...signed.manifest, content: `${signed.manifest.content} ` } }],
    ['invalid_signature', { ...signed, manifest: { ...signed.manifest, signature: signed.keyring.signature } }],
    ['invalid_signature', signedKeys(withDevice(newIdentity(alice.deviceId), deviceId), deviceId)],
    ['stale_version', signedKeys(alter({ version: 1 }), deviceId)],
    ['stale_version', signedKeys(alter({ version: 3 }), deviceId)],
    ['invalid_input', signedKeys(alter({ keyringVersion: 2 }), deviceId)],
    ['invalid_input', signedKeys(alter({ devices: next.manifest.devices.slice(1) }), deviceId)],
    ['invalid_input', signedKeys(alter({ removed: [deviceId] }), deviceId)],
    ['invalid_input', signedKeys(alter({ removed: [newDeviceId()] }), deviceId)],
    ['invalid_input', signedKeys(alter({ historyKeyId: 0 }), deviceId)],
    ['invalid_input', signedKeys(alter({ historyKeyId: 2, historyKey: random() }), deviceId)],
    ['invalid_input', signedKeys(alter({ historyKey: random() }), deviceId)],
    ['invalid_input', signedKeys(alter({ keepsHistory: false }), deviceId)],
    ['stale_version', signedKeys({ ...next, keyring: { ...next.keyring, sealed: random() } }, deviceId)],
    ['stale_version', signedKeys({ ...alter({ keyringVersion: 2 }), keyring: changed(next, {}).keyring }, deviceId)],
    ['unknown_device', signedKeys(next, newDeviceId())],
    ['unknown_device', signedKeys(alter({ devices: withDevice(next, newDeviceId()).manifest.devices }), deviceId)],
    ['invalid_input', { ...signed, keyring: { content: '{', signature: signed.keyring.signature } }],
  ]
  const proof = await laptop.proofBy(deviceId)
  for (const [code, body] of cases) expect((await laptop.tries(devicesApi.enrol, { ...body, proof })).code, code).toBe(code)
  // The session cannot be given to another device of the account that is already enrolled.
  const again = { ...alice.identity, manifest: { ...alice.identity.manifest, version: 2 } }
  expect(await laptop.tries(devicesApi.enrol, { ...signedKeys(again, alice.deviceId), proof })).toMatchObject({
    code: 'invalid_input',
  })
  expect(await laptop.tries(devicesApi.unlock, {})).toMatchObject({ code: 'unknown_device' })
  const rows = await world.sql('select version from manifests where user_id = $1', [alice.id])
  expect(rows).toEqual([{ version: 1 }])
})

test('twenty-one devices are one too many', async () => {
  const alice = await world.person('someone')
  const laptop = await alice.elsewhere()
  const deviceId = newDeviceId()
  let identity = alice.identity
  for (let at = 0; at < 19; at++) identity = withDevice(identity, newDeviceId())
  identity = withDevice(identity, deviceId)
  const keys = { ...signedKeys(identity, deviceId), proof: await laptop.proofBy(deviceId) }
  expect(await laptop.tries(devicesApi.enrol, keys)).toBeRefused(409, 'too_many_devices')
})

test("a stranger does not find Bob's manifest; a contact does, in either direction", async () => {
  const [alice, bob, eve] = [await world.person('someone'), await world.person('someone'), await world.person('someone')]
  await alice.adds(bob)
  expect(await eve.tries(devicesApi.manifest, { userId: bob.id })).toMatchObject({ status: 404, code: 'not_found' })
  expect((await alice.does(devicesApi.manifest, { userId: bob.id })).version).toBe(1)
  expect((await bob.does(devicesApi.manifest, { userId: alice.id })).version).toBe(1)
  expect((await eve.does(devicesApi.manifest, { userId: eve.id })).version).toBe(1)
})

test('a device keeps at most fifty one-time packages, and one last resort', async () => {
  const alice = await world.person('someone')
  expect(await alice.does(keyPackagesApi.left, {})).toEqual({ oneTime: 3, hasLastResort: true })
  await alice.does(keyPackagesApi.add, { oneTime: Array.from({ length: 50 }, random), lastResort: random() })
  expect(await alice.does(keyPackagesApi.left, {})).toEqual({ oneTime: 50, hasLastResort: true })
  const rows = await world.sql('select count(*)::int from key_packages where user_id = $1 and is_last_resort', [alice.id])
  expect(rows).toEqual([{ count: 1 }])
})

test('of ten who save the book at once one wins', async () => {
  const alice = await world.person('someone')
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 0, historyKeyId: 0, sealed: null, others: [] })
  for (const version of [1, 2]) {
    const saves = Array.from({ length: 10 }, () =>
      alice.tries(devicesApi.saveBook, { ...signedBook(alice.identity, alice.deviceId, { version }) }),
    )
    const answers = await Promise.all(saves)
    expect(answers.map((answer) => answer.code ?? 'saved').sort()).toEqual(['saved', ...Array(9).fill('stale_version')])
  }
  expect((await alice.does(devicesApi.book, {})).version).toBe(2)
  expect(
    await alice.tries(devicesApi.saveBook, { ...signedBook(alice.identity, alice.deviceId, { version: 2 ** 40 }) }),
  ).toMatchObject({
    status: 400,
  })
})
