import type { BookRow, Pin } from './book.ts'
import { decided } from './pins.ts'

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
