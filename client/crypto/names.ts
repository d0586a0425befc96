import { fromBase64, sameBytes } from '../../contract/bytes.ts'
import type { Book, BookRow, Pin } from './book.ts'
import { decided } from './pins.ts'

/**
 * How an account differs from its pin: another key, another name, a name pinned for another account, two keys that two own
 * browsers pinned, a safety number that differs, or a first key in a book that was started anew. Nothing is sent to it until the
 * person decides [Note: I1, I2, I3].
 */
export type Mismatch = 'key_changed' | 'name_changed' | 'name_taken' | 'key_conflict' | 'numbers_differ' | 'key_undecided'

/** True if only sending stops: the key is the pinned one, so what comes from it is still read and its device lists are followed. */
export const isStillRead = (mismatch: Mismatch): boolean => mismatch === 'numbers_differ' || mismatch === 'key_undecided'

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

/**
 * The book with a key and a name that the person decided for. A name belongs to one account: an account pinned under it before
 * loses it, and the person is asked when that account is shown again.
 */
export function withDecision(
  row: BookRow,
  userId: string,
  { identityKey, username }: Pick<Pin, 'identityKey' | 'username'>,
): BookRow {
  const holders = Object.entries(row.book.pins).filter(([id, pin]) => id !== userId && username && pin.username === username)
  const released = holders.reduce<BookRow>(
    (next, [id, pin]) => decided(next, id, { identityKey: pin.identityKey, isVerified: false, username: '' }),
    row,
  )
  return decided(released, userId, { identityKey, isVerified: false, ...(username !== undefined && { username }) })
}
