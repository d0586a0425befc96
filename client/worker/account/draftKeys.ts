import type { AccountKeys } from '../../../contract/account/devices.ts'
import { ADDED_AT_SEALED, type Manifest } from '../../../contract/account/documents.ts'
import { encodeFields, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { newKeyPackages } from '../group/newPackages.ts'
import { copyHistory, type HistoryKey, historyWrite } from '../keys/history.ts'
import { type DeviceKeys, type DeviceName, readManifest, sealDeviceName } from '../keys/identity.ts'
import { eraseKeyring, newKeyring, type Way } from '../keys/keyring.ts'
import type { Live } from '../keys/live.ts'
import { requireMarkedIdentity } from '../keys/markedDocuments.ts'
import { makeCredential, newDevice, newIdentity, signManifest, withName } from '../keys/newidentity.ts'
import { withSealedTimes } from '../lists/listedDevices.ts'
import { ownManifestWrite } from '../lists/peers.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, keyPairOf, randomBytes } from '../primitives/seal.ts'
import { createVault } from '../vault/newvault.ts'
import type { Write } from '../vault/vault.ts'
import { wasWiped } from '../vault/vaults.ts'
import { liveOf } from './openAccount.ts'
import type { Review } from './reviewAccount.ts'

/** The background makes the rest. */
const FIRST_KEY_PACKAGES = 10

export interface KeyDraft {
  keys: AccountKeys
  identityKey: Uint8Array
  device: DeviceKeys
  credential: Uint8Array
  history: HistoryKey[]
  writes: Write[]
}

/** [Note: I3] */
export interface NewBrowser {
  deviceName: DeviceName
  username: string
}

/** Builds an account with a password only [Note: K1, D1]. */
export async function draftAccount(way: Way, { deviceName, username }: NewBrowser): Promise<KeyDraft> {
  const identity = newIdentity()
  const historySeed = randomBytes(32)
  const made = await newKeyring(identity, [way], [{ id: 1, seed: historySeed }])
  const manifest: Manifest = {
    v: 1,
    version: 0,
    identityKey: toBase64(identity.publicKey),
    devices: [],
    removed: [],
    historyKeyId: 1,
    historyKey: toBase64((await keyPairOf(historySeed)).publicKey),
    keepsHistory: true,
    keyringVersion: 1,
  }
  erase(identity.seed, historySeed)
  return draftDevice({ opened: made, keyring: made.signed, manifest }, { deviceName, username })
}

/** Adds this browser to the manifest [Note: K3]; erases the review. */
export async function draftDevice(
  { opened, keyring, manifest }: Review,
  { deviceName, username }: NewBrowser,
): Promise<KeyDraft> {
  const { identitySeed } = opened.secret
  const device = await newDevice()
  const history = copyHistory(opened.secret.historyKeys)
  const newest = history.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const entry = {
    id: device.id,
    sealedName: await sealDeviceName(newest.seed, device.id, {
      ...deviceName,
      addedAt: new Date().toISOString(),
      wasWiped: await wasWiped(username),
    }),
    leafKey: toBase64(device.leafKey),
    sealingKey: toBase64(device.sealingKey),
    addedAt: ADDED_AT_SEALED,
  }
  const devices = [...(await withSealedTimes(manifest.devices, history)), entry]
  const next = withName({ ...manifest, version: manifest.version + 1, devices }, username)
  const signed = signManifest(identitySeed, next)
  const credential = makeCredential(identitySeed, device)
  const leaf = { leafSeed: device.leafSeed, leafKey: device.leafKey, credential }
  const { shared, writes } = await newKeyPackages(leaf, FIRST_KEY_PACKAGES, true)
  eraseKeyring(opened)
  return {
    keys: { keyring, manifest: signed, deviceId: device.id, keyPackages: shared },
    identityKey: fromBase64(manifest.identityKey),
    device,
    credential,
    history,
    writes,
  }
}

export const eraseKeyDraft = ({ device, history }: KeyDraft): void =>
  erase(device.leafSeed, device.sealingSeed, ...history.map(({ seed }) => seed))

/** Stores an accepted draft in a new vault. Throws what `createVault` throws, or 'identity'. */
export async function keepKeys(
  draft: KeyDraft,
  who: { userId: string; username: string },
  unlockSecret: Uint8Array,
): Promise<Live> {
  const { userId } = who
  const manifest = readManifest(draft.keys.manifest, draft.identityKey)
  const { username = who.username } = manifest
  await requireMarkedIdentity({ userId, username }, draft.identityKey)
  const { leafSeed, leafKey, sealingSeed, sealingKey } = draft.device
  const vault = await createVault({ userId, username, deviceId: draft.device.id }, unlockSecret, [
    ...draft.writes,
    // Without a manifest the device would accept older lists.
    ownManifestWrite(userId, { identityKey: draft.identityKey, signed: draft.keys.manifest, manifest }, undefined),
    {
      store: 'sealed',
      key: 'device',
      value: { json: { id: draft.device.id }, bytes: encodeFields(leafSeed, leafKey, sealingSeed, sealingKey) },
    },
    { store: 'sealed', key: 'account', value: { json: null, bytes: encodeFields(draft.identityKey, draft.credential) } },
    historyWrite(draft.history),
  ])
  return liveOf(vault)
}
