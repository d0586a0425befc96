/** Decision 0123. */
export const STEADY = {
  pingMs: 3000,
  /** The text of ping and pong. */
  frameBytes: 256,
  /** The least sealed size. */
  textBytes: 4096,
  plainTextBytes: 1024,
} as const

/** A ping with no other padding is taken. */
export const PING_PAD = '0'.repeat(223)
