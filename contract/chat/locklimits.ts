const MINUTE = 60

export const CHAT_LOCK = {
  /** An opened chat stays open while used within this time. */
  openSeconds: 15 * MINUTE,
  /** Changing or removing the password needs a verification this recent. */
  freshSeconds: 5 * MINUTE,
  /** Each further wrong one doubles the wait. */
  tries: 5,
  firstWaitSeconds: 30,
  longestWaitSeconds: 60 * MINUTE,
} as const
