import { createStore } from 'zustand/vanilla'

export interface ConnectionState {
  /** `waiting`: no attempt is in progress; "Reconnect" starts the next burst. */
  phase: 'connecting' | 'open' | 'waiting'
  /**
   * Reason for `waiting`: a burst reached no server, the server closed the socket normally, too many pages are connected, or the
   * server speaks another version of the contract although this page was just loaded anew, or that version is one that this browser
   * does not start.
   */
  pause: 'unreachable' | 'closed' | 'too_many' | 'other_version' | 'refused_version' | null
  /** From the server's `hello` frame; null before it. */
  ingress: 'onion' | 'direct' | null
  /** The server's onion address, if it has one, for the copy button beside "not via Tor". */
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
