import type { SignedBook } from '../../../contract/account/devices.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Write } from '../vault/vault.ts'
import { bookWrite, EMPTY, parseBook, readBook, type SealedUnder, sealBookUnder, seenVersion, startedAnew } from './book.ts'
import { fittingChange, ownPart } from './bookSize.ts'
import { peersMet } from './peers.ts'
import { sealText } from './sealedbook.ts'

/** Seals an empty or this browser's book under a new key [Note: I1]. */
export async function startBookUnder(live: Live, key: { id: number; seed: Uint8Array }, version: number): Promise<SealedUnder> {
  const row = await readBook(live)
  if (row.isRead) return sealBookUnder(live, key)
  const text = JSON.stringify(startedAnew(row.book))
  const stored = await sealText(live, key, Math.max(version, seenVersion(row)) + 1, text)
  return { stored, text, isStarted: true }
}

/** Seals the book under a new key. `isOwn`: only what this build knows. */
export async function changedBook(live: Live, key: { id: number; seed: Uint8Array }, isOwn: boolean): Promise<SealedUnder> {
  const { newer, ...row } = await readBook(live)
  const met = new Set(await peersMet(live))
  const book = isOwn ? ownPart(row.book, met) : fittingChange(row.book, met)
  if (!row.isRead || (newer ? !isOwn : book === row.book)) return sealBookUnder(live, key)
  const text = JSON.stringify(book)
  return { stored: await sealText(live, key, seenVersion({ ...row, ...(newer && { newer }) }) + 1, text), text, book }
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
