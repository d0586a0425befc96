import { createStore } from 'zustand/vanilla'

export interface ConnectionState {
  /** `waiting`: between bursts of attempts; "Reconnect" starts the next one. */
  phase: 'connecting' | 'open' | 'waiting'
  /** Said by the server's hello; null before it. */
  ingress: 'onion' | 'direct' | null
  /** The server's onion address, where it has one: for the copy action beside "not via Tor". */
  onionAddress: string | null
  /** Server minus local clock, in ms. */
  clockOffsetMs: number
}

export const connectionStore = createStore<ConnectionState>(() => ({
  phase: 'connecting',
  ingress: null,
  onionAddress: null,
  clockOffsetMs: 0,
}))
