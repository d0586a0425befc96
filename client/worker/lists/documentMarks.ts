import type { SealedBook } from '../../../contract/account/devices.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { isBehind, markOf } from '../vault/vaultMarks.ts'
import { readBook, seenVersion, withBook } from './book.ts'
import { ownManifestWrite, peerOf } from './peers.ts'

/** Throws 'book_rollback' for an older or forked book [Note: V4]. */
export async function requireMarkedBook({ vault }: Live, { version, sealed }: SealedBook): Promise<void> {
  const known = (await vault.marks())?.book
  if (known && isBehind(markOf(version, sealed ?? ''), known))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
}

/** Marks a vault of an older build. */
export async function addMarks(live: Live): Promise<void> {
  if (await live.vault.marks()) return
  await withBook(live, async () => {
    const [own, book] = await Promise.all([peerOf(live, live.userId), readBook(live)])
    if (!own) return
    const write = ownManifestWrite(live.userId, own, own)
    await live.vault.write([{ ...write, mark: { ...write.mark, book: { version: seenVersion(book) } } }])
  })
}
