/** Names a kind that this build does not know; the second says why. */
export const UNSUPPORTED = 'Unsupported message type'

export const NEEDS_NEWER = 'Needs a newer version of this page'
