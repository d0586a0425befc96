import type { Vault } from '../vault/vault.ts'
import type { DeviceKeys, LeafDevice } from './identity.ts'

/** The worker's state of an open account. Danger: never add the identity seed or the account key [Note: K1]. */
export interface Live {
  userId: string
  vault: Vault
  /** Ed25519, public. */
  identityKey: Uint8Array
  device: DeviceKeys
  /** 113 bytes [Note: D3]. */
  credential: Uint8Array
  /** The newest last. They open the archive and the book. */
  history: { id: number; seed: Uint8Array }[]
  /** Set by the first call. */
  dropCalls?: () => void
}

export const leafDevice = ({ device, credential }: Live): LeafDevice => ({
  leafSeed: device.leafSeed,
  leafKey: device.leafKey,
  credential,
})
