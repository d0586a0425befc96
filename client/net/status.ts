import { createStore } from 'zustand/vanilla'

export interface ConnectionState {
  /** `waiting`: "Reconnect" starts the next burst. */
  phase: 'connecting' | 'open' | 'waiting'
  /** `other_version`: a just loaded page has another contract. `refused_version`: this browser does not start it. */
  pause: 'unreachable' | 'closed' | 'too_many' | 'asked' | 'other_version' | 'refused_version' | null
  /** null before `hello`. */
  ingress: 'onion' | 'direct' | null
  onionAddress: string | null
  isTorRequired: boolean
  /** Server minus local clock, in ms. */
  clockOffsetMs: number
}

export const connectionStore = createStore<ConnectionState>(() => ({
  phase: 'connecting',
  pause: null,
  ingress: null,
  onionAddress: null,
  isTorRequired: false,
  clockOffsetMs: 0,
}))
