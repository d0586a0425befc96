/** Steady traffic: a choice of each browser (decision 0123). The server knows it by the pings alone. */
export const STEADY = {
  pingMs: 3000,
  /** A ping as text, and its pong. One cell of Tor carries it. */
  frameBytes: 256,
  /** A message's text before it is sealed, at least. Longer ones double it. */
  textBytes: 4096,
  /** The shortest without the choice. */
  plainTextBytes: 1024,
} as const

const BARE_BYTES = JSON.stringify({ type: 'ping', data: { pad: '' } }).length

/** What makes a ping that long. No other text is taken, so that nobody is sent what they have chosen. */
export const PING_PAD = '0'.repeat(STEADY.frameBytes - BARE_BYTES)
