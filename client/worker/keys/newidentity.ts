import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Manifest } from '../../../contract/account/documents.ts'
import { type Bytes, concat } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { onionAddress } from '../../../contract/people/onion.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyPairOf, publicKeyOf, randomBytes, sign } from '../primitives/seal.ts'
import { signDocument } from './document.ts'
import { CREDENTIAL, CREDENTIAL_VERSION, type DeviceKeys, type Identity, MANIFEST } from './identity.ts'

/** `seed`: 32 bytes. */
export function newIdentity(seed: Uint8Array = randomBytes(32)): Identity {
  const publicKey = publicKeyOf(seed)
  return { seed: concat(seed), publicKey, onionAddress: onionAddress(publicKey) }
}

export async function newDevice(): Promise<DeviceKeys> {
  const leafSeed = randomBytes(32)
  const sealing = await keyPairOf(randomBytes(32))
  return {
    id: bytesToHex(randomBytes(16)),
    leafSeed,
    leafKey: publicKeyOf(leafSeed),
    sealingSeed: sealing.seed,
    sealingKey: sealing.publicKey,
  }
}

/** version (1) | account key (32) | device id (16) | signature (64) over account key, device id and leaf key [Note: D3]. */
export function makeCredential(identitySeed: Uint8Array, device: Pick<DeviceKeys, 'id' | 'leafKey'>): Bytes {
  const accountKey = publicKeyOf(identitySeed)
  const id = hexToBytes(device.id)
  const signature = sign(identitySeed, CREDENTIAL, accountKey, id, device.leafKey)
  return concat(Uint8Array.of(CREDENTIAL_VERSION), accountKey, id, signature)
}

/** A signed name stays [Note: I3]. Throws 'identity' if the person typed another one. */
export function withName(manifest: Manifest, username: string | undefined): Manifest {
  const name = username?.trim().toLowerCase()
  if (name === undefined || name === manifest.username) return manifest
  if (manifest.username !== undefined) throw new CryptoFailure('identity', 'These keys belong to another username')
  return { ...manifest, username: name }
}

/** Signs the JSON [Note: D1]. */
export const signManifest = (identitySeed: Uint8Array, manifest: Manifest): Signed =>
  signDocument(identitySeed, MANIFEST, manifest)
