import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { newPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { createWire } from '../../testing/wire.ts'
import { createCore } from '../core.ts'
import { newKeyring, type Way } from '../keys/keyring.ts'
import { signManifest } from '../keys/newidentity.ts'
import { peerOf, takePeerManifest } from '../lists/peers.ts'
import { draftAccount, draftDevice, eraseKeyDraft, keepKeys } from './draftKeys.ts'
import { openLive } from './openAccount.ts'
import { reviewAccount } from './reviewAccount.ts'

const unlockSecret = () => new Uint8Array(randomBytes(32))
const password = (): Way => ({ id: 'password', kind: 'password', seed: new Uint8Array(randomBytes(32)) })
const named = (name: string) => ({ name, browser: 'Firefox', system: 'Linux' })

test('A new browser is asked twice because an answer was lost: it stays the same device', async () => {
  const { alice, wire } = await people()
  const typed = { username: 'alice', password: 'a password of hers', salt: toBase64(randomBytes(16)) }
  const core = createCore()
  await core.stretch(typed)
  const keys = await core.draftAccount({ deviceName: named('First'), username: 'alice' })
  await core.forgetPassword()
  await core.stretch(typed)
  await core.reviewAccount({ keyring: keys.keyring, manifest: keys.manifest })
  const [once, again] = await Promise.all([
    core.draftDevice({ deviceName: named('New'), username: 'alice' }),
    core.draftDevice({ deviceName: named('New'), username: 'alice' }),
  ])
  expect(again).toEqual(once)
  expect(await core.draftDevice({ deviceName: named('New'), username: 'alice' })).toEqual(once)
  const review = await core.reviewAccount({ keyring: keys.keyring, manifest: keys.manifest })
  expect(review).toHaveLength(1)
  expect((await core.draftDevice({ deviceName: named('New'), username: 'alice' })).deviceId).not.toBe(once.deviceId)
  expect(wire.accounts.has(alice.userId)).toBe(true)
})

test('The sign-in refuses an older keyring beside a newer device list, and a list of another account', async () => {
  const way = password()
  const identity = new Uint8Array(randomBytes(32))
  const { keys } = await draftAccount(way, { deviceName: named('First'), username: 'alice' })
  const hers = await newKeyring({ seed: identity }, [way])
  const keyring = hers.signed
  await expect(reviewAccount(way, { keyring, manifest: keys.manifest })).rejects.toMatchObject({ code: 'signature' })
  const manifest = { ...JSON.parse(keys.manifest.content), identityKey: hers.keyring.identityKey, keyringVersion: 2 }
  await expect(reviewAccount(way, { keyring, manifest: signManifest(identity, manifest) })).rejects.toMatchObject({
    code: 'keyring_rollback',
  })
  const swapped = signManifest(identity, { ...manifest, keyringVersion: 1 })
  await expect(reviewAccount(way, { keyring, manifest: swapped })).rejects.toMatchObject({ code: 'history_key' })
  await expect(reviewAccount(password(), keys)).rejects.toMatchObject({ code: 'way' })
})

test('A browser that has just been added knows its own device list: one from before it is refused, and its keys are kept', async () => {
  const way = password()
  const first = await draftAccount(way, { deviceName: named('First'), username: 'alice' })
  const { review } = await reviewAccount(way, first.keys)
  const second = await draftDevice(review, { deviceName: named('Second'), username: 'alice' })
  expect(review.opened.secret.identitySeed).toEqual(new Uint8Array(32))
  const userId = crypto.randomUUID()
  const live = await keepKeys(second, { userId, username: 'x' }, unlockSecret())
  expect((await peerOf(live, userId))?.version).toBe(2)
  const older = { userId, identityKey: toBase64(live.identityKey), manifest: first.keys.manifest }
  await expect(takePeerManifest(live, older)).rejects.toMatchObject({ code: 'manifest_rollback' })
  eraseKeyDraft(second)
  expect(live.device.leafSeed).not.toEqual(new Uint8Array(32))
  live.vault.close()
})

test('A browser whose keys are incomplete, or of another device, asks to be added anew', async () => {
  const { alice } = await people()
  await expect(openLive(alice.userId, { ...alice.unlock, deviceId: '0'.repeat(32) })).rejects.toMatchObject({
    code: 'vault_absent',
  })
  const live = await openLive(alice.userId, alice.unlock)
  await live.vault.write([{ store: 'sealed', key: 'history', value: null }])
  live.vault.close()
  await expect(openLive(alice.userId, alice.unlock)).rejects.toMatchObject({ code: 'vault_absent' })
})

test('The server counts key packages wrongly: the browser makes as many as belong there, not more', async () => {
  const wire = createWire()
  const alice = await newPerson(wire)
  const made = await alice.core.refillKeyPackages({ oneTime: -1_000_000, hasLastResort: true })
  expect(made?.oneTime).toHaveLength(LIMITS.keyPackagesOneTime)
  const last = await alice.core.refillKeyPackages({ oneTime: 1_000_000, hasLastResort: false })
  expect(last).toMatchObject({ oneTime: [], lastResort: expect.any(String) })
  expect(await alice.core.refillKeyPackages({ oneTime: LIMITS.keyPackagesLow, hasLastResort: true })).toBeNull()
})

test('After the password is forgotten nothing can be signed for the account', async () => {
  const { alice } = await people()
  await expect(alice.core.draftDevice({ deviceName: named('x'), username: 'alice' })).rejects.toMatchObject({ code: 'password' })
  await expect(alice.core.draftAccount({ deviceName: named('x'), username: 'alice' })).rejects.toMatchObject({ code: 'password' })
})
