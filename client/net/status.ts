import { createStore } from 'zustand/vanilla'

export interface ConnectionState {
  /** `waiting`: no attempt is under way; "Reconnect" starts the next burst of them. */
  phase: 'connecting' | 'open' | 'waiting'
  /** Why it waits: a burst found no server, the server closed the socket in good order, or too many pages are connected. */
  pause: 'unreachable' | 'closed' | 'too_many' | null
  /** Said by the server's hello; null before it. */
  ingress: 'onion' | 'direct' | null
  /** The server's onion address, where it has one: for the copy action beside "not via Tor". */
  onionAddress: string | null
  /** Server minus local clock, in ms. */
  clockOffsetMs: number
}

export const connectionStore = createStore<ConnectionState>(() => ({
  phase: 'connecting',
  pause: null,
  ingress: null,
  onionAddress: null,
  clockOffsetMs: 0,
}))
