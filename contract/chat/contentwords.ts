/** What a message of a kind that this build does not know is called; the second says why. */
export const UNSUPPORTED = 'Unsupported message type'

export const NEEDS_NEWER = 'Needs a newer version of this page'
