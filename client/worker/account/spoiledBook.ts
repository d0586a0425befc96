import type { SealedBook } from '../../../contract/account/devices.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, seenVersion, withBook } from '../lists/book.ts'
import { AHEAD_MAX } from '../lists/pins.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { mergeInRooms } from './mergeBook.ts'

/**
 * Replaces a spoiled book by this device's copy and `older`. Returns false for an invalid `older` or no copy. Throws
 * 'book_rollback'.
 */
export async function replaceBook(
  live: Live,
  { spoiled, older }: { spoiled: SealedBook; older: SealedBook | null },
): Promise<boolean> {
  if (spoiled.version > seenVersion(await readBook(live)) + AHEAD_MAX)
    throw new CryptoFailure('book_rollback', 'The server returned an address book with a number that cannot be')
  if (older === null) return withBook(live, () => keepOwnCopy(live, spoiled))
  try {
    await mergeInRooms(live, older, spoiled)
    return true
  } catch (error) {
    // An `older` book ahead is merged before the throw.
    if (error instanceof CryptoFailure) return error.code === 'book_ahead'
    throw error
  }
}

/** A copy never read lacks too much. */
async function keepOwnCopy(live: Live, spoiled: SealedBook): Promise<boolean> {
  const row = await readBook(live)
  const { version } = spoiled
  if (row.isRead && seenVersion(row) < version) await live.vault.write([bookWrite({ ...row, version, isDirty: true }, spoiled)])
  return row.isRead
}
