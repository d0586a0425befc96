import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { type Manifest, manifestShape } from '../../../contract/account/documents.ts'
import { type Bytes, fromBase64, fromUtf8, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { hkdf, openWith, pad, sealWith, unpad, verify } from '../primitives/seal.ts'
import { parseDocument, readDocument } from './document.ts'

export const MANIFEST = 'conclave/manifest/v1'
export const CREDENTIAL = 'conclave/credential/v1'
const DEVICE_NAME = 'conclave/device-name/v1'
export const CREDENTIAL_VERSION = 1
const CREDENTIAL_BYTES = 113
const DEVICE_NAME_BYTES = 252

/** An account's Ed25519 key; its Tor v3 address is the fingerprint that people exchange [Note: I1]. */
export interface Identity {
  seed: Bytes
  publicKey: Bytes
  onionAddress: string
}

/** A browser's own keys: they stay in its vault. The seeds are secret; `id` is 16 bytes in hex. */
export interface DeviceKeys {
  id: string
  /** Ed25519: signs this device's MLS leaf and its messages. */
  leafSeed: Bytes
  leafKey: Bytes
  /** X-Wing: the other devices of the account seal to this one with it. */
  sealingSeed: Bytes
  sealingKey: Bytes
}

/** This device's MLS identity: an Ed25519 seed and key (32 bytes each) and the credential that its account signed. */
export interface LeafDevice {
  leafSeed: Uint8Array
  leafKey: Uint8Array
  credential: Uint8Array
}

/**
 * The account and device that a credential names, unverified: call `credentialHolds`. undefined if the bytes are no credential.
 */
export function readCredential(bytes: Uint8Array): { accountKey: Bytes; deviceId: string } | undefined {
  if (bytes.length !== CREDENTIAL_BYTES || bytes[0] !== CREDENTIAL_VERSION) return undefined
  return { accountKey: bytes.slice(1, 33), deviceId: bytesToHex(bytes.subarray(33, 49)) }
}

/** True if the account key in the credential signed this leaf key. The caller's pin decides whose account key it is. */
export function credentialHolds(bytes: Uint8Array, leafKey: Uint8Array): boolean {
  const named = readCredential(bytes)
  if (!named) return false
  return verify(named.accountKey, bytes.subarray(49), CREDENTIAL, named.accountKey, hexToBytes(named.deviceId), leafKey)
}

/**
 * Reads a manifest signed by this identity. Throws CryptoFailure 'signature', 'malformed', 'identity', or 'manifest_removed_gone'
 * if a removed device is listed again.
 */
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
 * Reads `next` and checks that it may follow the manifest that is `known` here [Note: D1]. Throws what `readManifest` throws,
 * 'manifest_rollback' (older), 'manifest_fork' (same version, other content), 'manifest_removed_gone' (forgets a removal, dates
 * it anew, or lets a device vanish without one), 'manifest_keys' (other keys under the id of a device), 'manifest_name' (loses or
 * changes the signed name [Note: I3]).
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

/** True if a removal has another version than before, or one before a list that still had the device. */
function isRedated(before: Manifest, { removedAt = {} }: Manifest): boolean {
  const stood = new Set(before.devices.map(({ id }) => id))
  const isKept = Object.entries(before.removedAt ?? {}).every(([id, version]) => removedAt[id] === version)
  return !isKept || Object.entries(removedAt).some(([id, version]) => stood.has(id) && version <= before.version)
}

/** True if the device is known under its id with another leaf or sealing key. */
function hasOtherKeys(before: Manifest, { id, leafKey, sealingKey }: Manifest['devices'][number]): boolean {
  const known = before.devices.find((device) => device.id === id)
  return known !== undefined && (known.leafKey !== leafKey || known.sealingKey !== sealingKey)
}

/** A device's name in its account's list: the person's text and the browser and system it runs on. '' if unknown. */
export interface DeviceName {
  name: string
  browser: string
  system: string
}

/** A device's name as the manifest seals it, with the time when the device was added, which only the account may read. */
export interface SealedName extends DeviceName {
  /** ISO 8601; absent in lists of older builds, which have it beside the name. */
  addedAt?: string | undefined
}

const nameShape = z.object({ name: z.string(), browser: z.string(), system: z.string(), addedAt: z.iso.datetime().optional() })

/**
 * Seals a device's name for the manifest, so that only the account's own devices can read it. Its JSON is at most 252 bytes, so
 * that all seals have equal length. Throws RangeError.
 */
export async function sealDeviceName(
  historySeed: Uint8Array,
  deviceId: string,
  { name, browser, system, addedAt }: SealedName,
): Promise<string> {
  const bytes = utf8(JSON.stringify({ name, browser, system, addedAt }))
  if (bytes.length > DEVICE_NAME_BYTES) throw new RangeError('A device name is at most 252 bytes')
  return toBase64(await sealWith(await hkdf(historySeed, DEVICE_NAME), DEVICE_NAME, pad(bytes), deviceId))
}

/** Opens a name that `sealDeviceName` sealed; plain text, in older lists, is the name alone. Throws CryptoFailure('seal'). */
export async function openDeviceName(historySeed: Uint8Array, deviceId: string, sealedName: string): Promise<SealedName> {
  const key = await hkdf(historySeed, DEVICE_NAME)
  const text = fromUtf8(unpad(await openWith(key, DEVICE_NAME, fromBase64(sealedName), deviceId)))
  if (!text.startsWith('{')) return { name: text, browser: '', system: '' }
  return parseDocument(text, DEVICE_NAME, nameShape)
}
