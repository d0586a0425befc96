import type { SignedBook } from '../../../contract/account/devices.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Write } from '../vault/vault.ts'
import { bookWrite, EMPTY, parseBook, readBook, type SealedUnder, sealBookUnder, seenVersion, startedAnew } from './book.ts'
import { sealText } from './sealedbook.ts'

/** Seals an empty or this browser's book under a new key [Note: I1]. */
export async function startBookUnder(live: Live, key: { id: number; seed: Uint8Array }, version: number): Promise<SealedUnder> {
  const row = await readBook(live)
  if (row.isRead) return sealBookUnder(live, key)
  const text = JSON.stringify(startedAnew(row.book))
  const stored = await sealText(live, key, Math.max(version, seenVersion(row)) + 1, text)
  return { stored, text, isStarted: true }
}

export const EMPTY_TEXT: string = JSON.stringify(EMPTY.book)

export function firstBookWrite(stored: SignedBook, text: string): Write {
  try {
    return bookWrite({ version: stored.version, isDirty: false, isRead: true, isSigned: true, book: parseBook(text) }, stored)
  } catch (error) {
    // [Note: F2]
    if (error instanceof CryptoFailure && error.code === 'newer_version') return bookWrite({ ...EMPTY, isSigned: true }, stored)
    throw error
  }
}
