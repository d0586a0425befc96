import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Book, Pin } from './book.ts'
import type { Mismatch } from './mismatch.ts'

/** An account as the server shows it. */
export interface ShownAccount {
  userId: string
  /** Ed25519, base64. */
  identityKey: string | null
  username: string
  /** True if the list has it as an accepted contact; absent if the list was not asked. */
  isContact?: boolean
}

/** Usernames are compared and shown in lower case. */
export const foldName = (username: string): string => username.trim().toLowerCase()

/** True if a key is the pinned one. */
export const isPinnedKey = ({ identityKey }: Pin, shown: string | null): boolean =>
  shown !== null && sameBytes(fromBase64(identityKey), fromBase64(shown))

/** True if a name is pinned for another account than this one. */
export const isNameTaken = ({ pins }: Book, userId: string, name: string): boolean =>
  name !== '' && Object.entries(pins).some(([id, pin]) => id !== userId && pin.username === name)

/** The difference from the pin, if any. `isTaken` is true if the name is pinned for another account. */
export function mismatchOf(
  pin: Pin | undefined,
  { identityKey, username }: Omit<ShownAccount, 'userId'>,
  isTaken: (name: string) => boolean,
): Mismatch | null {
  const name = foldName(username)
  if (pin?.other) return 'key_conflict'
  if (pin && !isPinnedKey(pin, identityKey)) return 'key_changed'
  if (pin?.username !== undefined && pin.username !== name) return 'name_changed'
  if (pin?.username === undefined && isTaken(name)) return 'name_taken'
  if (pin?.differs) return 'numbers_differ'
  return pin?.awaitsDecision ? 'key_undecided' : null
}

/** The difference from the pin in a book. */
export const mismatchIn = (book: Book, { userId, ...shown }: Omit<ShownAccount, 'isContact'>): Mismatch | null =>
  mismatchOf(book.pins[userId], shown, (name) => isNameTaken(book, userId, name))
