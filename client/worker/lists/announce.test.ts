import 'fake-indexeddb/auto'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { draftAccount, draftDevice, keepKeys } from '../account/draftKeys.ts'
import { openLive } from '../account/openAccount.ts'
import { type Review, reviewAccount } from '../account/reviewAccount.ts'
import type { Live } from '../keys/live.ts'
import { newDevice, signManifest } from '../keys/newidentity.ts'
import { deviceSeen, newDevices, ownStanding } from './announce.ts'
import { ownDevices } from './devicenames.ts'
import { takeOwnManifest } from './ownManifest.ts'
import { peerOf, peerWrite } from './peers.ts'

const secret = () => new Uint8Array(randomBytes(32))
const called = (name: string) => ({ name, browser: 'Chrome', system: 'Linux' })

/** Alice's account with one browser, and actions that use her way in. */
async function aliceSignsUp() {
  const seed = secret()
  const way = () => ({ id: 'password', kind: 'password' as const, seed: seed.slice() })
  const userId = crypto.randomUUID()
  const unlockSecret = secret()
  const first = await draftAccount(way(), { deviceName: called('Laptop'), username: 'alice' })
  const live = await keepKeys(first, { userId, username: `alice_${userId.slice(0, 8)}` }, unlockSecret)
  let { manifest } = first.keys
  const opens = async (): Promise<Review> => (await reviewAccount(way(), { keyring: first.keys.keyring, manifest })).review
  const takes = async (signed: Signed) => {
    manifest = signed
    await takeOwnManifest(live, signed)
  }
  return {
    live,
    opens,
    /** Adds a browser, and updates the laptop's list. */
    async adds(name: string) {
      const draft = await draftDevice(await opens(), { deviceName: called(name), username: 'alice' })
      await takes(draft.keys.manifest)
      return draft
    },
    /** Signs the newest list with its devices in another order. */
    async reverses() {
      const { opened, manifest: listed } = await opens()
      const devices = [...listed.devices].reverse()
      await takes(signManifest(opened.secret.identitySeed, { ...listed, version: listed.version + 1, devices }))
    },
    async reloads(): Promise<Live> {
      live.vault.close()
      const unlock = Buffer.from(unlockSecret).toString('base64')
      return openLive(userId, { deviceId: first.device.id, unlockSecret: unlock })
    },
  }
}

const names = async (live: Live) => (await newDevices(live)).map(({ name }) => name)

test('A browser that was added is announced until the person answers, also after a reload', async () => {
  const alice = await aliceSignsUp()
  expect(await names(alice.live)).toEqual([])
  const phone = await alice.adds('Phone')
  await alice.adds('Tablet')
  expect(await names(alice.live)).toEqual(['Phone', 'Tablet'])
  await deviceSeen(alice.live, [phone.device.id])
  const reloaded = await alice.reloads()
  expect(await names(reloaded)).toEqual(['Tablet'])
})

test('Two answers at the same time are both kept', async () => {
  const alice = await aliceSignsUp()
  await newDevices(alice.live)
  const [phone, tablet] = [await alice.adds('Phone'), await alice.adds('Tablet')]
  await Promise.all([deviceSeen(alice.live, [phone.device.id]), deviceSeen(alice.live, [tablet.device.id])])
  expect(await names(alice.live)).toEqual([])
})

test('A browser that never looked before announces those that came after it', async () => {
  const alice = await aliceSignsUp()
  await alice.adds('Phone')
  expect(await names(alice.live)).toEqual(['Phone'])
})

test('A browser that was just added announces nobody: the person saw the list', async () => {
  const alice = await aliceSignsUp()
  await alice.adds('Phone')
  const tablet = await alice.adds('Tablet')
  const live = await keepKeys(tablet, { userId: crypto.randomUUID(), username: 'alice_on_tablet' }, secret())
  expect(await names(live)).toEqual([])
})

test('Eve has the password: she cannot hide her browser by listing it before the others', async () => {
  const alice = await aliceSignsUp()
  await newDevices(alice.live)
  await alice.adds("Eve's browser")
  await alice.reverses()
  expect(await names(alice.live)).toEqual(["Eve's browser"])
})

test('Eve has the password: her keys under the id of a known browser are announced like a new one', async () => {
  const alice = await aliceSignsUp()
  const phone = await alice.adds('Phone')
  await deviceSeen(alice.live, [phone.device.id])
  expect(await names(alice.live)).toEqual([])
  // The vault's list was swapped by an older build, which did not refuse such lists.
  const known = await peerOf(alice.live, alice.live.userId)
  if (!known) throw new Error('Alice has no list')
  const leafKey = toBase64((await newDevice()).leafKey)
  const devices = known.manifest.devices.map((one) => (one.id === phone.device.id ? { ...one, leafKey } : one))
  const { opened } = await alice.opens()
  const manifest = { ...known.manifest, devices }
  const swapped = { ...known, manifest, signed: signManifest(opened.secret.identitySeed, manifest) }
  await alice.live.vault.write([peerWrite(alice.live.userId, swapped, known)])
  expect(await names(alice.live)).toEqual(['Phone'])
})

test('What the person answered before keys were compared stays answered', async () => {
  const alice = await aliceSignsUp()
  const phone = await alice.adds('Phone')
  await alice.adds('Tablet')
  await alice.live.vault.write([{ store: 'sealed', key: 'announced', value: { json: [alice.live.device.id, phone.device.id] } }])
  expect(await names(alice.live)).toEqual(['Tablet'])
  expect((await alice.live.vault.get('sealed', 'announced'))?.json).toContainEqual(expect.stringContaining(`${phone.device.id} `))
})

test('Strangers who read the device list do not learn when a browser was added', async () => {
  const startedAt = Date.now()
  const alice = await aliceSignsUp()
  const phone = await alice.adds('Phone')
  const times = phone.keys.manifest.content.match(/\d{4}-\d\d-\d\dT/g) ?? []
  expect([...new Set(times)]).toEqual(['1970-01-01T'])
  const [listed] = (await ownDevices(alice.live)).filter(({ id }) => id === phone.device.id)
  expect(Date.parse(listed?.addedAt ?? '')).toBeGreaterThanOrEqual(startedAt)
})

test('A browser knows its own key and device without asking a server', async () => {
  const { live } = await aliceSignsUp()
  expect(await ownStanding(live)).toEqual({
    deviceId: live.device.id,
    identityKey: toBase64(live.identityKey),
    keepsHistory: true,
  })
})
