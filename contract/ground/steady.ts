/** Decision 0123. */
export const STEADY = {
  pingMs: 3000,
  /** The text of ping and pong. */
  frameBytes: 256,
  /** The least sealed size. */
  textBytes: 4096,
  plainTextBytes: 1024,
} as const

const BARE_BYTES = JSON.stringify({ type: 'ping', data: { pad: '' } }).length

/** No other padding is taken. */
export const PING_PAD = '0'.repeat(STEADY.frameBytes - BARE_BYTES)
