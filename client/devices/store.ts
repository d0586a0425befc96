import { createStore } from 'zustand/vanilla'
import type { ListedDevice } from '../crypto/crypto.ts'

/** A browser of this account. All of it comes from the signed list; only `lastSeenAt` is the server's word. */
export interface OwnDevice extends ListedDevice {
  isCurrent: boolean
  /** null: not known. */
  lastSeenAt: string | null
}

export interface DevicesState {
  status: 'loading' | 'ready'
  /** Why it is not known when they were last seen. */
  failure: string | null
  /** This one first, then the newest first. */
  devices: OwnDevice[]
  /** Added, and not yet confirmed by the person. */
  announced: ListedDevice[]
  /** When it was noticed that this browser's data was copied or restored; null where there is nothing to say [Note: V2]. */
  copiedAt: string | null
  /** Made from this account's key, never taken from the server [Note: I1]. */
  onionAddress: string | null
  keepsHistory: boolean
}

export const devicesStore = createStore<DevicesState>(() => ({
  status: 'loading',
  failure: null,
  devices: [],
  announced: [],
  copiedAt: null,
  onionAddress: null,
  keepsHistory: true,
}))
