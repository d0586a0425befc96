import { describe, expect, test } from 'vitest'
import type { Manifest } from '../../../contract/account/documents.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { publicKeyOfOnion } from '../../../contract/people/onion.ts'
import { hkdf, keyPairOf, pad, randomBytes, sealWith } from '../primitives/seal.ts'
import {
  checkSuccession,
  credentialHolds,
  type DeviceKeys,
  openDeviceName,
  readCredential,
  readManifest,
  sealDeviceName,
} from './identity.ts'
import { makeCredential, newDevice, newIdentity, signManifest } from './newidentity.ts'

const alice = newIdentity()
const eve = newIdentity()
const phone = await newDevice()
const laptop = await newDevice()
const history = await keyPairOf(randomBytes(32))

async function entryOf(device: DeviceKeys): Promise<Manifest['devices'][number]> {
  return {
    id: device.id,
    sealedName: await sealDeviceName(history.seed, device.id, { name: 'Work', browser: 'Firefox', system: 'Linux' }),
    leafKey: toBase64(device.leafKey),
    sealingKey: toBase64(device.sealingKey),
    addedAt: '2026-01-02T03:04:05.000Z',
  }
}

const entries = { phone: await entryOf(phone), laptop: await entryOf(laptop) }

const manifest = (changes: Partial<Manifest> = {}): Manifest => ({
  v: 1,
  version: 1,
  identityKey: toBase64(alice.publicKey),
  devices: [entries.phone],
  removed: [],
  historyKeyId: 1,
  historyKey: toBase64(history.publicKey),
  keepsHistory: true,
  keyringVersion: 1,
  ...changes,
})
const signed = (changes?: Partial<Manifest>) => signManifest(alice.seed, manifest(changes))
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })

describe('an identity', () => {
  test("The account's onion address is its key, and the key comes back out of it", () => {
    expect(publicKeyOfOnion(alice.onionAddress)).toEqual(alice.publicKey)
  })

  test('The same seed is the same person', () => {
    expect(newIdentity(alice.seed)).toEqual(alice)
    expect(eve.onionAddress).not.toBe(alice.onionAddress)
  })
})

describe('a credential', () => {
  test('It is 113 bytes, names account and device, and holds for its leaf key', () => {
    const credential = makeCredential(alice.seed, phone)
    expect(credential).toHaveLength(113)
    expect(readCredential(credential)).toEqual({ accountKey: alice.publicKey, deviceId: phone.id })
    expect(credentialHolds(credential, phone.leafKey)).toBe(true)
  })

  test("Eve puts her own leaf key behind Alice's credential, and it does not hold", async () => {
    const credential = makeCredential(alice.seed, phone)
    expect(credentialHolds(credential, (await newDevice()).leafKey)).toBe(false)
  })

  test("Eve writes Alice's account key into a credential that she signed, and it does not hold", () => {
    const forged = makeCredential(eve.seed, phone)
    forged.set(alice.publicKey, 1)
    expect(credentialHolds(forged, phone.leafKey)).toBe(false)
  })

  test('A change of any byte, another version or another length is no credential that holds', () => {
    const credential = makeCredential(alice.seed, phone)
    for (let at = 0; at < credential.length; at += 7) {
      const changed = credential.slice()
      changed.set([(changed[at] ?? 0) ^ 1], at)
      expect(credentialHolds(changed, phone.leafKey), `byte ${at}`).toBe(false)
    }
    expect(readCredential(credential.subarray(0, 112))).toBeUndefined()
    expect(readCredential(new Uint8Array([...credential, 0]))).toBeUndefined()
    expect(readCredential(new Uint8Array([2, ...credential.subarray(1)]))).toBeUndefined()
    expect(readCredential(new Uint8Array())).toBeUndefined()
  })
})

describe('a manifest', () => {
  test('It reads back as it was signed', () => {
    expect(readManifest(signed(), alice.publicKey)).toEqual(manifest())
  })

  test('Eve cannot sign for Alice, change a character, or pass her own list as hers', () => {
    expect(() => readManifest(signManifest(eve.seed, manifest()), alice.publicKey)).toThrow(failure('signature'))
    const { content, signature } = signed()
    expect(() => readManifest({ content: content.replace('"version":1', '"version":2'), signature }, alice.publicKey)).toThrow(
      failure('signature'),
    )
    expect(() => readManifest(signManifest(eve.seed, manifest()), eve.publicKey)).toThrow(failure('identity'))
    expect(() => readManifest({ content, signature: 'not base64' }, alice.publicKey)).toThrow(failure('malformed'))
  })

  test('A list with a device twice, or with keys of another length, is refused', () => {
    expect(() => readManifest(signed({ devices: [entries.phone, entries.phone] }), alice.publicKey)).toThrow(failure('malformed'))
    const short = { ...entries.phone, leafKey: toBase64(randomBytes(31)) }
    expect(() => readManifest(signed({ devices: [short] }), alice.publicKey)).toThrow(failure('malformed'))
    expect(() => readManifest(signed({ historyKey: toBase64(randomBytes(32)) }), alice.publicKey)).toThrow(failure('malformed'))
  })
})

describe('one manifest after another', () => {
  const before = signed({ version: 5, devices: [entries.phone], removed: [laptop.id] })
  const known = { version: 5, content: before.content }

  test('The first one, the same one again and a newer one are taken', () => {
    expect(checkSuccession(undefined, before, alice.publicKey).version).toBe(5)
    expect(checkSuccession(known, before, alice.publicKey).version).toBe(5)
    expect(checkSuccession(known, signed({ version: 9, removed: [laptop.id] }), alice.publicKey).version).toBe(9)
  })

  test('Eve shows an older list: refused, although Alice did sign it', () => {
    expect(() => checkSuccession(known, signed({ version: 4 }), alice.publicKey)).toThrow(failure('manifest_rollback'))
  })

  test('A version number that is lower than the content itself does not open a way back', () => {
    expect(() => checkSuccession({ ...known, version: 1 }, signed({ version: 4 }), alice.publicKey)).toThrow(
      failure('manifest_rollback'),
    )
  })

  test('Two lists of one version show different people different devices: refused', () => {
    const other = signed({ version: 5, devices: [entries.phone], removed: [laptop.id], historyKeyId: 2 })
    expect(() => checkSuccession(known, other, alice.publicKey)).toThrow(failure('manifest_fork'))
  })

  test('A removal that is forgotten, or a removed device that is back, is refused', () => {
    expect(() => checkSuccession(known, signed({ version: 6 }), alice.publicKey)).toThrow(failure('manifest_removed_gone'))
    const back = signed({ version: 6, devices: [entries.phone, entries.laptop] })
    expect(() => checkSuccession(known, back, alice.publicKey)).toThrow(failure('manifest_removed_gone'))
    const both = signed({ version: 6, devices: [entries.phone, entries.laptop], removed: [laptop.id] })
    expect(() => checkSuccession(known, both, alice.publicKey)).toThrow(failure('manifest_removed_gone'))
  })

  test('A device that vanishes without a removal is refused: it could come back unnoticed', () => {
    expect(() => checkSuccession(known, signed({ version: 6, devices: [], removed: [laptop.id] }), alice.publicKey)).toThrow(
      failure('manifest_removed_gone'),
    )
  })

  test('Eve opened the account once: she cannot put her keys under the name of a browser that Alice knows', () => {
    const more = signed({ version: 6, devices: [entries.phone], removed: [laptop.id] })
    expect(checkSuccession(known, more, alice.publicKey).version).toBe(6)
    for (const keys of [{ leafKey: entries.laptop.leafKey }, { sealingKey: entries.laptop.sealingKey }]) {
      const list = signed({ version: 6, devices: [{ ...entries.phone, ...keys }], removed: [laptop.id] })
      expect(() => checkSuccession(known, list, alice.publicKey)).toThrow(failure('manifest_keys'))
    }
  })

  test('A removal keeps the version that it has: Eve cannot move it behind what her stolen browser wrote', () => {
    const dated = signed({ version: 6, removed: [laptop.id], removedAt: { [laptop.id]: 4 } })
    const after = { version: 6, content: dated.content }
    const later = (removedAt: Manifest['removedAt']) => signed({ version: 7, removed: [laptop.id], removedAt })
    expect(checkSuccession(after, later({ [laptop.id]: 4 }), alice.publicKey).version).toBe(7)
    for (const removedAt of [undefined, { [laptop.id]: 7 }])
      expect(() => checkSuccession(after, later(removedAt), alice.publicKey)).toThrow(failure('manifest_removed_gone'))
    // Version 6 of the list contained the phone.
    const gone = (version: number) =>
      signed({ version: 7, devices: [], removed: [laptop.id, phone.id], removedAt: { [laptop.id]: 4, [phone.id]: version } })
    expect(checkSuccession(after, gone(7), alice.publicKey).version).toBe(7)
    expect(() => checkSuccession(after, gone(6), alice.publicKey)).toThrow(failure('manifest_removed_gone'))
    for (const removedAt of [{ [laptop.id]: 8 }, { [phone.id]: 7 }])
      expect(() => readManifest(later(removedAt), alice.publicKey)).toThrow(failure('malformed'))
  })

  test('A list of another identity does not follow', () => {
    const hers = signManifest(eve.seed, manifest({ version: 6, identityKey: toBase64(eve.publicKey), removed: [laptop.id] }))
    expect(() => checkSuccession(known, hers, eve.publicKey)).toThrow(failure('identity'))
  })
})

describe("a device's name", () => {
  const bureau = { name: 'Bürorechner', browser: 'Firefox', system: 'Linux' }
  const named = (name: string) => sealDeviceName(history.seed, phone.id, { name, browser: '', system: '' })
  const overhead = JSON.stringify({ name: '', browser: '', system: '' }).length

  test('The account reads it; the manifest does not contain it, and it does not fit another device', async () => {
    const sealed = await sealDeviceName(history.seed, phone.id, bureau)
    expect(await openDeviceName(history.seed, phone.id, sealed)).toEqual(bureau)
    expect(Buffer.from(fromBase64(sealed)).includes('rorechner')).toBe(false)
    await expect(openDeviceName(history.seed, laptop.id, sealed)).rejects.toThrow(failure('seal'))
    await expect(openDeviceName(randomBytes(32), phone.id, sealed)).rejects.toThrow(failure('seal'))
  })

  test('Short and long names look alike, and the longest fits the manifest', async () => {
    const long = await named('x'.repeat(252 - overhead))
    expect(long).toHaveLength((await named('x')).length)
    expect(fromBase64(long).length).toBeLessThanOrEqual(512)
    await expect(named('x'.repeat(253 - overhead))).rejects.toThrow(RangeError)
  })

  test('The time when a browser was added lies inside its sealed name', async () => {
    const addedAt = '2026-01-02T03:04:05.000Z'
    const sealed = await sealDeviceName(history.seed, phone.id, { ...bureau, addedAt })
    expect(sealed).toHaveLength((await sealDeviceName(history.seed, phone.id, bureau)).length)
    expect(await openDeviceName(history.seed, phone.id, sealed)).toEqual({ ...bureau, addedAt })
  })

  test('A name from before browser and system were told apart is read as it stands there', async () => {
    const key = await hkdf(history.seed, 'conclave/device-name/v1')
    const old = toBase64(await sealWith(key, 'conclave/device-name/v1', pad(utf8('Firefox on Linux')), phone.id))
    expect(await openDeviceName(history.seed, phone.id, old)).toEqual({ name: 'Firefox on Linux', browser: '', system: '' })
  })
})
