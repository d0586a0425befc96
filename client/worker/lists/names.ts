import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Book, Pin } from './book.ts'
import type { Mismatch } from './mismatch.ts'

export interface ShownAccount {
  userId: string
  /** Ed25519, base64. */
  identityKey: string | null
  username: string
  /** Absent if the list was not asked. */
  isContact?: boolean
}

/** Returns the form that is compared. */
export const foldName = (username: string): string => username.trim().toLowerCase()

export const isPinnedKey = ({ identityKey }: Pin, shown: string | null): boolean =>
  shown !== null && sameBytes(fromBase64(identityKey), fromBase64(shown))

export const isNameTaken = ({ pins }: Book, userId: string, name: string): boolean =>
  name !== '' && Object.entries(pins).some(([id, pin]) => id !== userId && pin.username === name)

/** Returns the difference from the pin. */
export function mismatchOf(
  pin: Pin | undefined,
  { identityKey, username }: Omit<ShownAccount, 'userId'>,
  isTaken: (name: string) => boolean,
): Mismatch | null {
  const name = foldName(username)
  if (pin?.other) return 'key_conflict'
  if (pin && identityKey === null) return 'list_absent'
  if (pin && !isPinnedKey(pin, identityKey)) return 'key_changed'
  if (pin?.username !== undefined && pin.username !== name) return 'name_changed'
  if (pin?.username === undefined && isTaken(name)) return 'name_taken'
  if (pin?.differs) return 'numbers_differ'
  return pin?.awaitsDecision ? 'key_undecided' : null
}

/** Returns the difference from the book. */
export const mismatchIn = (book: Book, { userId, ...shown }: Omit<ShownAccount, 'isContact'>): Mismatch | null =>
  mismatchOf(book.pins[userId], shown, (name) => isNameTaken(book, userId, name))
