import { decodeFields, encodeFields, fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { AccountKeys, Manifest } from '../../contract/devices.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Signed } from '../../contract/shapes.ts'
import { CryptoFailure } from './failure.ts'
import {
  type DeviceKeys,
  makeCredential,
  newDevice,
  newIdentity,
  openDeviceName,
  readManifest,
  sealDeviceName,
  signManifest,
} from './identity.ts'
import { newKeyPackages } from './keypackages.ts'
import { eraseKeyring, newKeyring, openKeyring } from './keyring.ts'
import type { Live } from './live.ts'
import { peerWrite } from './peers.ts'
import { erase, keyPairOf } from './seal.ts'
import { createVault, destroyVault, openVault, type Vault, type Write } from './vault.ts'

/** Keys of an account or device that the server has not accepted yet: they exist in the worker's memory only. */
export interface Draft {
  keys: AccountKeys
  identityKey: Uint8Array
  device: DeviceKeys
  credential: Uint8Array
  history: { id: number; seed: Uint8Array }[]
  writes: Write[]
}

/** An account that the password opened, before this browser is part of it. */
export interface Review {
  identitySeed: Uint8Array
  identityKey: Uint8Array
  history: { id: number; seed: Uint8Array }[]
  manifest: Manifest
  keyring: Signed
}

export interface ListedDevice {
  id: string
  name: string
  addedAt: string
}

/** A new account: identity, keyring with the password as its one way in, manifest with this device [Note: K1, D1]. */
export async function draftAccount(passwordSeed: Uint8Array, deviceName: string): Promise<Draft> {
  const identity = newIdentity()
  const historySeed = crypto.getRandomValues(new Uint8Array(32))
  const history = [{ id: 1, seed: historySeed }]
  const ways = [{ id: 'password', kind: 'password' as const, seed: passwordSeed }]
  const made = await newKeyring(identity, ways, history)
  eraseKeyring(made)
  const manifest: Manifest = {
    v: 1,
    version: 1,
    identityKey: toBase64(identity.publicKey),
    devices: [],
    removed: [],
    historyKeyId: 1,
    historyKey: toBase64((await keyPairOf(historySeed)).publicKey),
    keepsHistory: true,
    keyringVersion: 1,
  }
  const review = { identitySeed: identity.seed, identityKey: identity.publicKey, history, manifest, keyring: made.signed }
  return draftDevice(review, deviceName)
}

/** Opens keyring and manifest with the password's key; the device list is for the person to confirm [Note: D1]. */
export async function reviewAccount(
  passwordSeed: Uint8Array,
  keyring: Signed,
  signedManifest: Signed,
): Promise<{ review: Review; devices: ListedDevice[] }> {
  const opened = await openKeyring(keyring, { kind: 'password', seed: passwordSeed })
  const identity = newIdentity(opened.secret.identitySeed)
  const history = opened.secret.historyKeys.map(({ id, seed }) => ({ id, seed: seed.slice() }))
  eraseKeyring(opened)
  const manifest = readManifest(signedManifest, identity.publicKey)
  // [Note: K3] They change together: an old keyring beside a newer manifest was played back.
  if (opened.keyring.version !== manifest.keyringVersion)
    throw new CryptoFailure('keyring_rollback', 'The server returned an older keyring than the device list names')
  const devices = await Promise.all(
    manifest.devices.map(async ({ id, sealedName, addedAt }) => ({ id, addedAt, name: await nameOf(history, id, sealedName) })),
  )
  return { review: { identitySeed: identity.seed, identityKey: identity.publicKey, history, manifest, keyring }, devices }
}

async function nameOf(history: Review['history'], deviceId: string, sealedName: string): Promise<string> {
  for (const { seed } of [...history].reverse()) {
    try {
      return await openDeviceName(seed, deviceId, sealedName)
    } catch (error) {
      if (!(error instanceof CryptoFailure)) throw error
    }
  }
  return 'Unnamed device'
}

/** Adds this browser to a reviewed account: the manifest one version up, the keyring as it is [Note: K3]. The seed is erased: once only. */
export async function draftDevice(
  { identitySeed, identityKey, history, manifest, keyring }: Review,
  deviceName: string,
): Promise<Draft> {
  const device = await newDevice()
  const newest = history.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keyring holds no history key')
  const entry = {
    id: device.id,
    sealedName: await sealDeviceName(newest.seed, device.id, deviceName),
    leafKey: toBase64(device.leafKey),
    sealingKey: toBase64(device.sealingKey),
    addedAt: new Date().toISOString(),
  }
  const version = manifest.devices.length === 0 && manifest.version === 1 ? 1 : manifest.version + 1
  const signed = signManifest(identitySeed, { ...manifest, version, devices: [...manifest.devices, entry] })
  const credential = makeCredential(identitySeed, device)
  const { shared, writes } = await newKeyPackages(
    { leafSeed: device.leafSeed, leafKey: device.leafKey, credential },
    LIMITS.keyPackagesOneTime,
    true,
  )
  erase(identitySeed)
  return {
    keys: { keyring, manifest: signed, deviceId: device.id, keyPackages: shared },
    identityKey,
    device,
    credential,
    history,
    writes,
  }
}

export const eraseReview = ({ identitySeed, history }: Review): void => erase(identitySeed, ...history.map(({ seed }) => seed))

/** Overwrites what of a draft is no longer needed: its vault has it, or it is given up. */
export const eraseDraft = ({ device, history }: Draft): void =>
  erase(device.leafSeed, device.sealingSeed, ...history.map(({ seed }) => seed))

/** The server accepted the draft: its keys go into a new vault of this browser. */
export async function keepDraft(
  draft: Draft,
  who: { userId: string; username: string },
  unlockSecret: Uint8Array,
): Promise<Live> {
  const { userId, username } = who
  await destroyVault(userId)
  const vault = await createVault({ userId, username, deviceId: draft.device.id }, unlockSecret)
  const { leafSeed, leafKey, sealingSeed, sealingKey } = draft.device
  const { version } = readManifest(draft.keys.manifest, draft.identityKey)
  await vault.write([
    ...draft.writes,
    // With the keys: a device that knows no list of its own could be shown one from before it was added.
    peerWrite(userId, draft.identityKey, version, draft.keys.manifest),
    {
      store: 'sealed',
      key: 'device',
      value: { json: { id: draft.device.id }, bytes: encodeFields(leafSeed, leafKey, sealingSeed, sealingKey) },
    },
    { store: 'sealed', key: 'account', value: { json: null, bytes: encodeFields(draft.identityKey, draft.credential) } },
    {
      store: 'sealed',
      key: 'history',
      value: { json: draft.history.map(({ id }) => id), bytes: encodeFields(...draft.history.map(({ seed }) => seed)) },
    },
  ])
  return liveOf(vault)
}

/** Opens the vault of a device that this browser holds [Note: V1]. Throws CryptoFailure 'vault_absent' or 'vault_shut'. */
export async function openLive(userId: string, unlock: { deviceId: string; unlockSecret: string }): Promise<Live> {
  const vault = await openVault(userId, fromBase64(unlock.unlockSecret))
  if (vault.deviceId === unlock.deviceId) return liveOf(vault)
  vault.close()
  throw new CryptoFailure('vault_absent', 'The keys in this browser belong to another device')
}

async function liveOf(vault: Vault): Promise<Live> {
  const [device, account, history] = await Promise.all([
    vault.get('sealed', 'device'),
    vault.get('sealed', 'account'),
    vault.get('sealed', 'history'),
  ])
  const [leafSeed, leafKey, sealingSeed, sealingKey] = device?.bytes ? decodeFields(device.bytes) : []
  const [identityKey, credential] = account?.bytes ? decodeFields(account.bytes) : []
  if (!leafSeed || !leafKey || !sealingSeed || !sealingKey || !identityKey || !credential || !history?.bytes) {
    throw new CryptoFailure('vault_absent', 'The keys in this browser are incomplete')
  }
  const seeds = decodeFields(history.bytes)
  const ids = history.json as number[]
  return {
    userId: vault.userId,
    vault,
    identityKey,
    credential,
    device: { id: vault.deviceId, leafSeed, leafKey, sealingSeed, sealingKey },
    history: ids.flatMap((id, at) => (seeds[at] ? [{ id, seed: seeds[at] }] : [])),
  }
}
