import type { Vault } from '../vault/vault.ts'
import type { DeviceKeys, LeafDevice } from './identity.ts'

/** The worker's state while an account is open. It never includes the identity seed or the account key [Note: K1]. */
export interface Live {
  userId: string
  vault: Vault
  /** The account's Ed25519 public key. */
  identityKey: Uint8Array
  device: DeviceKeys
  /** 113 bytes: this device's credential [Note: D3]. */
  credential: Uint8Array
  /** The account's history keys, newest last: they open the archive and the book. */
  history: { id: number; seed: Uint8Array }[]
}

/** This device's MLS identity. */
export const leafDevice = ({ device, credential }: Live): LeafDevice => ({
  leafSeed: device.leafSeed,
  leafKey: device.leafKey,
  credential,
})
