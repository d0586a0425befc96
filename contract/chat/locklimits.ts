const MINUTE = 60

/** The waits of a locked chat, in seconds. */
export const CHAT_LOCK = {
  /** A chat that a session has opened stays open for it while it is used within this time. */
  openSeconds: 15 * MINUTE,
  /** Changing or removing the chat password needs a verification that is not older. */
  freshSeconds: 5 * MINUTE,
  /** Wrong passwords before the first wait, which each further one doubles up to the longest. A right one ends the count. */
  tries: 5,
  firstWaitSeconds: 30,
  longestWaitSeconds: 60 * MINUTE,
} as const
