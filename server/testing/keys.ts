import { createHash, randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { AccountKeys, KeyChange, SignedBook } from '../../contract/account/devices.ts'
import { ADDED_AT_SEALED, type Keyring, type Manifest } from '../../contract/account/documents.ts'
import type { OrderAct } from '../../contract/account/forms.ts'
import { encodeFields, fromBase64, toBase64 } from '../../contract/ground/bytes.ts'
import type { Signed } from '../../contract/ground/shapes.ts'

const random = (bytes: number): string => randomBytes(bytes).toString('base64')
export const newDeviceId = (): string => randomBytes(16).toString('hex')

/** An account's identity and current documents, as a browser holds them. Random bytes stand in for sealed ones. */
export interface TestIdentity {
  seed: Uint8Array
  keyring: Keyring
  manifest: Manifest
}

export function newIdentity(deviceId: string = newDeviceId(), username?: string): TestIdentity {
  const { secretKey, publicKey } = ed25519.keygen()
  const identityKey = toBase64(publicKey)
  return {
    seed: secretKey,
    keyring: {
      v: 1,
      version: 1,
      identityKey,
      sealed: random(200),
      ways: [newWay('password')],
    },
    manifest: {
      v: 1,
      version: 1,
      identityKey,
      devices: [deviceEntry(deviceId)],
      removed: [],
      historyKeyId: 1,
      historyKey: random(1216),
      keepsHistory: true,
      keyringVersion: 1,
      ...(username !== undefined && { username: username.toLowerCase() }),
    },
  }
}

/** The identity with the next manifest version, which adds this device. */
export const withDevice = (identity: TestIdentity, deviceId: string): TestIdentity => ({
  ...identity,
  manifest: {
    ...identity.manifest,
    version: identity.manifest.version + 1,
    devices: [...identity.manifest.devices, deviceEntry(deviceId)],
  },
})

/** The identity with the next version of both documents, whose keyring this passkey opens too. */
export function withPasskey(identity: TestIdentity, id: string): TestIdentity {
  const next = changed(identity, { adds: ['passkey'] })
  const ways = next.keyring.ways.map((way) => (identity.keyring.ways.includes(way) ? way : { ...way, id: `passkey:${id}` }))
  return { ...next, keyring: { ...next.keyring, ways } }
}

type Kind = Keyring['ways'][number]['kind']

/** The parts of a key change. A new password or kit replaces the existing one; passkeys are added. */
export interface Changes {
  removes?: string[]
  adds?: Kind[]
  drops?: Kind[]
  keepsHistory?: boolean
}

/** The identity with the next version of both documents. */
export function changed(identity: TestIdentity, { removes = [], adds = [], drops = [], keepsHistory }: Changes): TestIdentity {
  const { keyring, manifest } = identity
  const staying = keyring.ways.filter(({ kind }) => !drops.includes(kind) && (kind === 'passkey' || !adds.includes(kind)))
  const isNewHistory =
    removes.length > 0 ||
    staying.length < keyring.ways.length ||
    (keepsHistory !== undefined && keepsHistory !== manifest.keepsHistory)
  return {
    ...identity,
    keyring: { ...keyring, version: keyring.version + 1, sealed: random(200), ways: [...staying, ...adds.map(newWay)] },
    manifest: {
      ...manifest,
      version: manifest.version + 1,
      keyringVersion: keyring.version + 1,
      devices: manifest.devices.filter((device) => !removes.includes(device.id)),
      removed: [...manifest.removed, ...removes],
      removedAt: { ...manifest.removedAt, ...Object.fromEntries(removes.map((id) => [id, manifest.version + 1])) },
      keepsHistory: keepsHistory ?? manifest.keepsHistory,
      ...(isNewHistory && { historyKeyId: manifest.historyKeyId + 1, historyKey: random(1216) }),
    },
  }
}

/** The identity after a recovery: it has a new password and this device, and no longer the used kit. */
export function recovered(identity: TestIdentity, deviceId: string, hasKit: boolean, removes: string[] = []): TestIdentity {
  const { keyring, manifest } = changed(identity, { adds: hasKit ? ['password', 'kit'] : ['password'], drops: ['kit'], removes })
  return { ...identity, keyring, manifest: { ...manifest, devices: [...manifest.devices, deviceEntry(deviceId)] } }
}

/** What comes with a new history key: its seals for the devices, and the book under it, signed by this device. */
export function renewalOf({ manifest }: TestIdentity, next: TestIdentity, signer: string, bookVersion: number, sealed?: string) {
  const { historyKeyId, devices } = next.manifest
  if (historyKeyId === manifest.historyKeyId) return { historySeals: [] }
  return {
    historySeals: devices.map(({ id }) => ({ deviceId: id, historyKeyId, sealed: random(1200) })),
    book: signedBook(next, signer, { version: bookVersion + 1, historyKeyId, ...(sealed !== undefined && { sealed }) }),
  }
}

/** The request body of a key change. `bookVersion` is the stored one; another `seed` makes a forgery. */
export function signedChange(
  before: TestIdentity,
  next: TestIdentity,
  {
    bookVersion = 0,
    kitSecret,
    sealed,
    seed = next.seed,
  }: { bookVersion?: number; kitSecret?: string | null; sealed?: string | undefined; seed?: Uint8Array } = {},
): KeyChange {
  return {
    keyring: sign('conclave/keyring/v1', next.keyring, seed),
    manifest: sign('conclave/manifest/v1', next.manifest, seed),
    ...renewalOf(before, next, next.manifest.devices[0]?.id ?? '', bookVersion, sealed),
    ...(kitSecret !== undefined && { kitSecret }),
  }
}

/** The request body of the documents, signed by the identity. Another `seed` makes a forgery. */
export function signedKeys(identity: TestIdentity, deviceId: string, seed: Uint8Array = identity.seed): AccountKeys {
  const oneTime = Array.from({ length: 3 }, () => random(300))
  return {
    keyring: sign('conclave/keyring/v1', identity.keyring, seed),
    manifest: sign('conclave/manifest/v1', identity.manifest, seed),
    deviceId,
    keyPackages: { oneTime, lastResort: random(300) },
  }
}

/** A book that this device signs with its leaf key. */
export function signedBook(
  { manifest }: TestIdentity,
  deviceId: string,
  {
    version,
    historyKeyId = manifest.historyKeyId,
    sealed = random(300),
  }: { version: number; historyKeyId?: number; sealed?: string },
): SignedBook {
  const hash = createHash('sha256').update(fromBase64(sealed)).digest()
  const fields = [fromBase64(manifest.identityKey), String(version), String(historyKeyId), hash] as const
  const signature = ed25519.sign(encodeFields('conclave/book-signature/v1', ...fields), leafSeedOf(deviceId))
  return { version, historyKeyId, sealed, deviceId, signature: toBase64(signature) }
}

function sign(label: string, document: Keyring | Manifest, seed: Uint8Array): Signed {
  const content = JSON.stringify(document)
  return { content, signature: toBase64(ed25519.sign(encodeFields(label, content), seed)) }
}

/** The identity's signature over a request [Note: D5]. */
export function orderSignature(
  { seed }: TestIdentity,
  [origin, userId, challenge, act]: [string, string, string, OrderAct],
  fields: object,
): string {
  const hash = createHash('sha256').update(JSON.stringify(fields)).digest()
  return toBase64(ed25519.sign(encodeFields('conclave/order/v1', origin, userId, fromBase64(challenge), act, hash), seed))
}

/** A device's leaf key follows from its id: every test can sign for every device. */
const leafSeedOf = (deviceId: string): Uint8Array => createHash('sha256').update(deviceId).digest()

/** What this device signs for a session [Note: D4]. */
export function sessionProof(origin: string, userId: string, deviceId: string, challenge: string): string {
  const signed = encodeFields('conclave/session/v1', origin, userId, deviceId, fromBase64(challenge))
  return toBase64(ed25519.sign(signed, leafSeedOf(deviceId)))
}

function deviceEntry(id: string): Manifest['devices'][number] {
  const leafKey = toBase64(ed25519.getPublicKey(leafSeedOf(id)))
  return { id, sealedName: random(64), leafKey, sealingKey: random(1216), addedAt: ADDED_AT_SEALED }
}

const newWay = (kind: Kind): Keyring['ways'][number] => ({
  id: kind === 'passkey' ? `passkey:${randomBytes(16).toString('base64url')}` : kind,
  ...{ kind, publicKey: random(1216), sealedKey: random(1168) },
})
