/** Names a kind that this build does not know; the second says why. */
export const UNSUPPORTED = 'Unsupported message type'

export const NEEDS_NEWER = 'Needs a newer version of this page'

export const DELETED = 'This message was deleted'
export const DELETED_HERE = 'You deleted a message'

/** In the place of a text in which nothing can be seen. */
export const EMPTY = 'Empty message'

const UNSEEN = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

export const isBlank = (text: string): boolean => UNSEEN.test(text)

export const textWords = (text: string): string => (isBlank(text) ? EMPTY : text)
