import { randomBytes, randomUUID } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { encodeFields, toBase64 } from '../../contract/bytes.ts'
import type { AccountKeys, Keyring, Manifest } from '../../contract/devices.ts'
import type { Signed } from '../../contract/shapes.ts'

const random = (bytes: number): string => randomBytes(bytes).toString('base64')
export const newDeviceId = (): string => randomBytes(16).toString('hex')

/** An account's identity and its current documents, as a browser holds them. What is sealed in reality is random bytes here. */
export interface TestIdentity {
  seed: Uint8Array
  keyring: Keyring
  manifest: Manifest
}

export function newIdentity(deviceId: string = newDeviceId()): TestIdentity {
  const { secretKey, publicKey } = ed25519.keygen()
  const identityKey = toBase64(publicKey)
  return {
    seed: secretKey,
    keyring: {
      v: 1,
      version: 1,
      identityKey,
      sealed: random(200),
      ways: [{ id: randomUUID(), kind: 'password', publicKey: random(1216), sealedKey: random(1168) }],
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
    },
  }
}

/** The identity one manifest version later, with this device too. */
export const withDevice = (identity: TestIdentity, deviceId: string): TestIdentity => ({
  ...identity,
  manifest: {
    ...identity.manifest,
    version: identity.manifest.version + 1,
    devices: [...identity.manifest.devices, deviceEntry(deviceId)],
  },
})

/** The identity one version later, without this device. */
export const withoutDevice = (identity: TestIdentity, deviceId: string): TestIdentity => ({
  ...identity,
  keyring: { ...identity.keyring, version: identity.keyring.version + 1, sealed: random(200) },
  manifest: {
    ...identity.manifest,
    version: identity.manifest.version + 1,
    keyringVersion: identity.keyring.version + 1,
    devices: identity.manifest.devices.filter((device) => device.id !== deviceId),
    removed: [...identity.manifest.removed, deviceId],
    historyKeyId: identity.manifest.historyKeyId + 1,
  },
})

/** The documents as they are posted, signed by the identity (or by another seed: a forgery). */
export function signedKeys(identity: TestIdentity, deviceId: string, seed: Uint8Array = identity.seed): AccountKeys {
  const oneTime = Array.from({ length: 3 }, () => random(300))
  return {
    keyring: sign('conclave/keyring/v1', identity.keyring, seed),
    manifest: sign('conclave/manifest/v1', identity.manifest, seed),
    deviceId,
    keyPackages: { oneTime, lastResort: random(300) },
  }
}

function sign(label: string, document: Keyring | Manifest, seed: Uint8Array): Signed {
  const content = JSON.stringify(document)
  return { content, signature: toBase64(ed25519.sign(encodeFields(label, content), seed)) }
}

function deviceEntry(id: string): Manifest['devices'][number] {
  return { id, sealedName: random(64), leafKey: random(32), sealingKey: random(1216), addedAt: new Date().toISOString() }
}
