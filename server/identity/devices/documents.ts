import type { z } from 'zod'
import type { AccountKeys } from '../../../contract/account/devices.ts'
import { type Keyring, keyringShape, type Manifest, manifestShape } from '../../../contract/account/documents.ts'
import { encodeFields, fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { checkJsonText } from '../../ground/http/input.ts'
import { Refusal } from '../../refuse.ts'
import { wordsOf } from '../../words.ts'
import { isSigned } from './signature.ts'

export interface Documents {
  keyring: Signed
  manifest: Signed
}

/** The documents fit each other [Note: K3, D1]. */
export interface ReadDocuments {
  posted: Documents
  identityKey: Uint8Array
  keyring: Keyring
  manifest: Manifest
}

export interface ReadKeys extends ReadDocuments {
  posted: AccountKeys
}

/** Throws Refusal: invalid_signature, too_many_devices or invalid_input. */
export function readDocuments(posted: Documents): ReadDocuments {
  const keyring = parse(posted.keyring, keyringShape)
  const manifest = parse(posted.manifest, manifestShape)
  const identityKey = fromBase64(manifest.identityKey)
  if (identityKey.length !== 32) throw invalid('The identity key has 32 bytes')
  if (!sameBytes(identityKey, fromBase64(keyring.identityKey))) throw invalid('Keyring and manifest name different identity keys')
  requireSignature(posted.keyring, 'conclave/keyring/v1', identityKey)
  requireSignature(posted.manifest, 'conclave/manifest/v1', identityKey)
  if (manifest.keyringVersion !== keyring.version) throw invalid('The manifest names another version of the keyring')
  const listed = idsOf(manifest)
  const gone = new Set(manifest.removed)
  if (new Set(listed).size !== listed.length || listed.some((id) => gone.has(id))) throw invalid('A device is listed twice')
  const kinds = keyring.ways.map(({ kind, id }) => (kind === 'password' || kind === 'kit' ? kind : id))
  if (new Set(kinds).size !== kinds.length) throw invalid('A way in is there twice')
  return { posted, identityKey, keyring, manifest }
}

/** Throws Refusal, also unknown_device for an unlisted browser. */
export function readKeys(posted: AccountKeys): ReadKeys {
  const read = readDocuments(posted)
  if (!idsOf(read.manifest).includes(posted.deviceId)) throw new Refusal('unknown_device')
  return { ...read, posted }
}

export const storedKeyring = readOnce((content): Keyring => JSON.parse(content))
/** Older manifests lack `keepsHistory`. */
export const storedManifest = readOnce((content): Manifest => ({ keepsHistory: true, ...JSON.parse(content) }))

function readOnce<Read>(read: (content: string) => Read): (document: Signed) => Read {
  const known = new WeakMap<Signed, Read>()
  return (document) => {
    const content = known.get(document) ?? read(document.content)
    known.set(document, content)
    return content
  }
}

export const idsOf = (manifest: Manifest): string[] => manifest.devices.map((device) => device.id)

export const wayOf = (keyring: Keyring, kind: 'password' | 'kit'): string | undefined =>
  keyring.ways.find((way) => way.kind === kind)?.publicKey

/** Those passkeys sign in no more [Note: K1]. */
export function leavingPasskeys(before: Keyring, next: Keyring): string[] {
  const staying = new Set(next.ways.map(({ id }) => id))
  return before.ways.filter(({ id, kind }) => kind === 'passkey' && !staying.has(id)).map(({ id }) => id.slice('passkey:'.length))
}

export const sameText = (a: Signed, b: Signed): boolean => a.content === b.content && a.signature === b.signature

/** Throws Refusal unless the manifest signs the name in lower case [Note: I3]. */
export function requireName(username: string, manifest: Manifest): void {
  if (manifest.username !== undefined && manifest.username !== username)
    throw invalid('The device list is signed for another username')
}

/**
 * Throws Refusal unless `next` is one version up, lists vanished devices, brings none back [Note: D1] and keeps a signed name
 * [Note: I3].
 */
export function requireSuccessor(before: Manifest, next: Manifest): void {
  if (next.version !== before.version + 1) throw new Refusal('stale_version')
  if (before.username !== undefined && next.username !== before.username) throw invalid('The signed username does not change')
  const gone = new Set(next.removed)
  const listed = new Set(idsOf(next))
  if (before.removed.some((id) => !gone.has(id))) throw invalid('A removed device is missing from the list of removed ones')
  const leaving = idsOf(before).filter((id) => !listed.has(id))
  if (leaving.some((id) => !gone.has(id))) throw invalid('A device vanished without being removed')
  if (next.removed.length !== new Set(before.removed).size + leaving.length)
    throw invalid('Only devices of the account can be removed')
  const removedAt = next.removedAt ?? {}
  const isRedated = Object.entries(before.removedAt ?? {}).some(([id, version]) => removedAt[id] !== version)
  if (isRedated || leaving.some((id) => (removedAt[id] ?? next.version) !== next.version))
    throw invalid('A removal is dated by the list that holds it')
  if (Object.keys(removedAt).some((id) => !gone.has(id))) throw invalid('A removal is dated that never was')
  if (next.devices.some((device) => hasOtherKeys(before, device))) throw invalid("A device's keys do not change")
  if (next.historyKeyId < before.historyKeyId) throw invalid('The history key went back')
  if (next.historyKeyId > before.historyKeyId + 1) throw invalid('A history key was left out')
  if ((next.historyKeyId === before.historyKeyId) !== (next.historyKey === before.historyKey))
    throw invalid('A new history key has a new number')
}

/** Throws Refusal unless this device is the only new one. Others may be removed. */
export function requireAdded(before: Manifest, next: Manifest, deviceId: string): void {
  requireSuccessor(before, next)
  if (idsOf(before).includes(deviceId)) throw invalid('This device is enrolled already')
  const known = new Set(idsOf(before))
  if (idsOf(next).some((id) => id !== deviceId && !known.has(id))) throw new Refusal('unknown_device')
  if (next.keepsHistory !== before.keepsHistory) throw invalid('To add a device changes nothing of the history')
}

/** Throws Refusal unless this device is the only difference. */
export function requireOnlyAdded(before: Manifest, next: Manifest, deviceId: string): void {
  requireAdded(before, next, deviceId)
  if (next.devices.length !== before.devices.length + 1) throw invalid('To add a device removes none')
  if (next.historyKeyId !== before.historyKeyId) throw invalid('To add a device changes nothing of the history')
}

function hasOtherKeys(before: Manifest, { id, leafKey, sealingKey }: Manifest['devices'][number]): boolean {
  const known = before.devices.find((device) => device.id === id)
  return known !== undefined && (known.leafKey !== leafKey || known.sealingKey !== sealingKey)
}

// The signature covers these characters.
function parse<S extends z.ZodType>(document: Signed, shape: S): z.output<S> {
  const parsed = shape.safeParse(readJson(document.content), { error: wordsOf })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'too_big' && issue.path.join() === 'devices') {
    throw new Refusal('too_many_devices', { text: `An account has at most ${LIMITS.devicesMax} devices. Remove one first` })
  }
  throw invalid(`The signed document is not valid: ${issue?.message}`)
}

function readJson(text: string): unknown {
  checkJsonText(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('The signed document is not JSON')
    throw error
  }
}

function requireSignature({ content, signature }: Signed, label: string, publicKey: Uint8Array): void {
  if (!isSigned(publicKey, fromBase64(signature), encodeFields(label, content))) throw new Refusal('invalid_signature')
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
