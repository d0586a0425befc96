import type { BookRow, Pin } from './book.ts'
import { decided } from './pins.ts'

/** Takes the name from any other account [Note: I3]. */
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
