import { createStore } from 'zustand/vanilla'
import type { ListedDevice } from '../../worker/crypto.ts'

/** A browser of this account, from the signed device list. Only `lastSeenAt` comes unsigned from the server. */
export interface OwnDevice extends ListedDevice {
  isCurrent: boolean
  /** Null if unknown. */
  lastSeenAt: string | null
}

export interface DevicesState {
  status: 'loading' | 'ready'
  /** Reason why the last-seen times are unknown. */
  failure: string | null
  /** The account's devices: this one first, then by age, the newest first. */
  devices: OwnDevice[]
  /** Added devices that the person has not confirmed yet. */
  announced: ListedDevice[]
  /** Time when a copy or restore of this browser's data was detected; null if none was [Note: V2]. */
  copiedAt: string | null
  /** The account's own, base64, never taken from the server [Note: I1]. */
  identityKey: string | null
  keepsHistory: boolean
}

export const devicesStore = createStore<DevicesState>(() => ({
  status: 'loading',
  failure: null,
  devices: [],
  announced: [],
  copiedAt: null,
  identityKey: null,
  keepsHistory: true,
}))
