import { ed25519 } from '@noble/curves/ed25519.js'
import type { z } from 'zod'
import { encodeFields, fromBase64, sameBytes } from '../../contract/bytes.ts'
import { type AccountKeys, keyringShape, type Manifest, manifestShape } from '../../contract/devices.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Signed } from '../../contract/shapes.ts'
import { Refusal } from '../http/refuse.ts'

/** Keyring and manifest whose signatures hold and which fit each other [Note: K3, D1]. */
export interface ReadKeys {
  posted: AccountKeys
  identityKey: Uint8Array
  keyringVersion: number
  manifest: Manifest
}

/** Reads and verifies what a browser posted. Throws Refusal: invalid_signature, unknown_device, too_many_devices or invalid_input. */
export function readKeys(posted: AccountKeys): ReadKeys {
  const keyring = parse(posted.keyring, keyringShape)
  const manifest = parse(posted.manifest, manifestShape)
  const identityKey = fromBase64(manifest.identityKey)
  if (identityKey.length !== 32) throw invalid('The identity key has 32 bytes')
  if (!sameBytes(identityKey, fromBase64(keyring.identityKey))) throw invalid('Keyring and manifest name different identity keys')
  requireSignature(posted.keyring, 'conclave/keyring/v1', identityKey)
  requireSignature(posted.manifest, 'conclave/manifest/v1', identityKey)
  if (manifest.keyringVersion !== keyring.version) throw invalid('The manifest names another version of the keyring')
  const listed = manifest.devices.map((device) => device.id)
  const gone = new Set(manifest.removed)
  if (new Set(listed).size !== listed.length || listed.some((id) => gone.has(id))) throw invalid('A device is listed twice')
  if (!listed.includes(posted.deviceId)) throw new Refusal('unknown_device')
  return { posted, identityKey, keyringVersion: keyring.version, manifest }
}

/** Throws Refusal unless `next` may follow `stored`: exactly one version up, and nobody disappears or comes back [Note: D1]. */
export function requireSuccessor(stored: Signed, next: ReadKeys): void {
  const before = parse(stored, manifestShape)
  const { version, devices, removed, historyKeyId } = next.manifest
  if (version !== before.version + 1) throw new Refusal('stale_version')
  const gone = new Set(removed)
  const listed = new Set(devices.map((device) => device.id))
  if (before.removed.some((id) => !gone.has(id))) throw invalid('A removed device is missing from the list of removed ones')
  if (before.devices.some((device) => !listed.has(device.id) && !gone.has(device.id)))
    throw invalid('A device vanished without being removed')
  if (historyKeyId < before.historyKeyId) throw invalid('The history key went back')
}

// The signature covers the characters of the content, so they are read once and never written anew.
function parse<S extends z.ZodType>(document: Signed, shape: S): z.output<S> {
  const parsed = shape.safeParse(readJson(document.content))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'too_big' && issue.path.join() === 'devices') {
    throw new Refusal('too_many_devices', { text: `An account has at most ${LIMITS.devicesMax} devices. Remove one first` })
  }
  throw invalid(`The signed document is not valid: ${issue?.path.join('.')} ${issue?.message}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('The signed document is not JSON')
    throw error
  }
}

function requireSignature({ content, signature }: Signed, label: string, publicKey: Uint8Array): void {
  const bytes = fromBase64(signature)
  // Strict verification (RFC 8032): no small-order keys, no second signature for the same text.
  const holds = bytes.length === 64 && ed25519.verify(bytes, encodeFields(label, content), publicKey, { zip215: false })
  if (!holds) throw new Refusal('invalid_signature')
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
