import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { type Manifest, manifestShape } from '../../../contract/account/documents.ts'
import { fromBase64, fromUtf8, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { hkdf, openWith, pad, sealWith, unpad, verify } from '../primitives/seal.ts'
import type { Bytes32, XWingPublicKey } from '../primitives/sizes.ts'
import { parseDocument, readDocument } from './document.ts'

export const MANIFEST = 'conclave/manifest/v1'
export const CREDENTIAL = 'conclave/credential/v1'
const DEVICE_NAME = 'conclave/device-name/v1'
export const CREDENTIAL_VERSION = 1
const CREDENTIAL_BYTES = 113
const DEVICE_NAME_BYTES = 252

/** An account's Ed25519 key; people exchange its Tor v3 address [Note: I1]. */
export interface Identity {
  seed: Bytes32
  publicKey: Bytes32
  onionAddress: string
}

/** The seeds never leave the vault. `id`: 16 bytes in hex. */
export interface DeviceKeys {
  id: string
  /** Ed25519: for the MLS leaf, messages and sessions. */
  leafSeed: Bytes32
  leafKey: Bytes32
  /** X-Wing: the account's other devices seal to this key. */
  sealingSeed: Bytes32
  sealingKey: XWingPublicKey
}

/** This device's MLS identity. `credential`: 113 bytes. */
export interface LeafDevice {
  leafSeed: Uint8Array
  leafKey: Uint8Array
  credential: Uint8Array
}

/** Verifies nothing: call `credentialHolds`. undefined: no credential [Note: D3]. */
export function readCredential(bytes: Uint8Array): { accountKey: Bytes32; deviceId: string } | undefined {
  if (bytes.length !== CREDENTIAL_BYTES || bytes[0] !== CREDENTIAL_VERSION) return undefined
  return { accountKey: bytes.slice(1, 33), deviceId: bytesToHex(bytes.subarray(33, 49)) }
}

/** True if the account key inside signed the leaf key. Danger: compare that account key with a pin. */
export function credentialHolds(bytes: Uint8Array, leafKey: Uint8Array): boolean {
  const named = readCredential(bytes)
  if (!named) return false
  return verify(named.accountKey, bytes.subarray(49), CREDENTIAL, named.accountKey, hexToBytes(named.deviceId), leafKey)
}

/** Throws what `readDocument` throws, and 'manifest_removed_gone' if a removed device is listed. */
export function readManifest(signed: Signed, identityKey: Uint8Array): Manifest {
  const manifest = readDocument(signed, MANIFEST, manifestShape, identityKey)
  const ids = new Set(manifest.devices.map((device) => device.id))
  const hasOddKeys = manifest.devices.some(
    ({ leafKey, sealingKey }) => fromBase64(leafKey).length !== 32 || fromBase64(sealingKey).length !== 1216,
  )
  const hasOddHistoryKey = fromBase64(manifest.historyKey).length !== 1216
  if (ids.size !== manifest.devices.length || hasOddKeys || hasOddHistoryKey) {
    throw new CryptoFailure('malformed', 'The device list is not as it must be')
  }
  const removals = Object.entries(manifest.removedAt ?? {})
  if (removals.some(([id, version]) => version > manifest.version || !manifest.removed.includes(id)))
    throw new CryptoFailure('malformed', 'The device list names a removal that it does not hold')
  if (manifest.removed.some((id) => ids.has(id))) {
    throw new CryptoFailure('manifest_removed_gone', 'A removed device is listed again')
  }
  return manifest
}

/**
 * Checks that `next` may follow `known` [Note: D1, I3]. Throws what `readManifest` throws; 'manifest_rollback': older;
 * 'manifest_fork': same version, other content; 'manifest_removed_gone': forgets or redates a removal, or loses a device
 * without one; 'manifest_keys': a known id has other keys; 'manifest_name': another signed name, or none any more.
 */
export function checkSuccession(
  known: { version: number; content: string } | undefined,
  next: Signed,
  identityKey: Uint8Array,
): Manifest {
  const manifest = readManifest(next, identityKey)
  if (!known) return manifest
  const before = parseDocument(known.content, MANIFEST, manifestShape)
  if (before.identityKey !== manifest.identityKey) throw new CryptoFailure('identity', 'The device list is of another identity')
  const newest = Math.max(known.version, before.version)
  if (manifest.version < newest) throw new CryptoFailure('manifest_rollback', 'The server answered an older device list')
  if (manifest.version === newest) {
    if (next.content !== known.content) throw new CryptoFailure('manifest_fork', 'Two device lists have the same version')
    return manifest
  }
  if (before.username !== undefined && manifest.username !== before.username)
    throw new CryptoFailure('manifest_name', 'The device list loses or changes the signed username')
  const removed = new Set(manifest.removed)
  const listed = new Set(manifest.devices.map((device) => device.id))
  const isForgotten = before.removed.some((id) => !removed.has(id))
  const hasVanished = before.devices.some(({ id }) => !listed.has(id) && !removed.has(id))
  if (isForgotten || hasVanished || isRedated(before, manifest))
    throw new CryptoFailure('manifest_removed_gone', 'The device list forgets a removed device')
  if (manifest.devices.some((device) => hasOtherKeys(before, device)))
    throw new CryptoFailure('manifest_keys', 'The device list puts other keys in the place of a known browser')
  return manifest
}

/** True if a removal has another version than before, or one at which the device was still listed. */
function isRedated(before: Manifest, { removedAt = {} }: Manifest): boolean {
  const stood = new Set(before.devices.map(({ id }) => id))
  const isKept = Object.entries(before.removedAt ?? {}).every(([id, version]) => removedAt[id] === version)
  return !isKept || Object.entries(removedAt).some(([id, version]) => stood.has(id) && version <= before.version)
}

function hasOtherKeys(before: Manifest, { id, leafKey, sealingKey }: Manifest['devices'][number]): boolean {
  const known = before.devices.find((device) => device.id === id)
  return known !== undefined && (known.leafKey !== leafKey || known.sealingKey !== sealingKey)
}

/** `name`: the person's text. '' if unknown. */
export interface DeviceName {
  name: string
  browser: string
  system: string
}

export interface SealedName extends DeviceName {
  /** ISO 8601. Older builds wrote it beside the sealed name. */
  addedAt?: string | undefined
  wasWiped?: boolean | undefined
}

const nameShape = z.object({
  name: z.string(),
  browser: z.string(),
  system: z.string(),
  addedAt: z.iso.datetime().optional(),
  wasWiped: z.boolean().optional(),
})

/** Only the account's devices can open it; all seals have equal length. Throws RangeError above 252 bytes of JSON. */
export async function sealDeviceName(
  historySeed: Uint8Array,
  deviceId: string,
  { name, browser, system, addedAt, wasWiped }: SealedName,
): Promise<string> {
  const named = { name, browser, system, addedAt }
  const all = utf8(JSON.stringify(wasWiped ? { ...named, wasWiped } : named))
  const bytes = all.length > DEVICE_NAME_BYTES ? utf8(JSON.stringify(named)) : all
  if (bytes.length > DEVICE_NAME_BYTES) throw new RangeError('A device name is at most 252 bytes')
  return toBase64(await sealWith(await hkdf(historySeed, DEVICE_NAME), DEVICE_NAME, pad(bytes), deviceId))
}

/** Older builds sealed the bare name. Throws 'seal', 'padding', 'malformed'. */
export async function openDeviceName(historySeed: Uint8Array, deviceId: string, sealedName: string): Promise<SealedName> {
  const key = await hkdf(historySeed, DEVICE_NAME)
  const text = fromUtf8(unpad(await openWith(key, DEVICE_NAME, fromBase64(sealedName), deviceId)))
  if (!text.startsWith('{')) return { name: text, browser: '', system: '' }
  return parseDocument(text, DEVICE_NAME, nameShape)
}
