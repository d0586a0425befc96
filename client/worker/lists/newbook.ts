import type { SignedBook } from '../../../contract/account/devices.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Write } from '../vault/vault.ts'
import { bookWrite, EMPTY, parseBook, readBook, type SealedUnder, sealBookUnder, seenVersion, startedAnew } from './book.ts'
import { sealText } from './sealedbook.ts'

/**
 * Seals an empty book under a history key that the account does not have yet, where no device's book holds [Note: I1]. `version`
 * is that of the server's newest. If this browser has read the book meanwhile, its copy is sealed instead.
 */
export async function startBookUnder(live: Live, key: { id: number; seed: Uint8Array }, version: number): Promise<SealedUnder> {
  const row = await readBook(live)
  if (row.isRead) return sealBookUnder(live, key)
  const text = JSON.stringify(startedAnew(row.book))
  const stored = await sealText(live, key, Math.max(version, seenVersion(row)) + 1, text)
  return { stored, text, isStarted: true }
}

/** The text of a book in which nobody is known. */
export const EMPTY_TEXT: string = JSON.stringify(EMPTY.book)

/** The change that stores the first row of a new vault: this book, which the device is about to save on the server. */
export function firstBookWrite(stored: SignedBook, text: string): Write {
  try {
    return bookWrite({ version: stored.version, isDirty: false, isRead: true, isSigned: true, book: parseBook(text) }, stored)
  } catch (error) {
    // Only a newer build can read it: this one pins nobody [Note: F2].
    if (error instanceof CryptoFailure && error.code === 'newer_version') return bookWrite({ ...EMPTY, isSigned: true }, stored)
    throw error
  }
}
