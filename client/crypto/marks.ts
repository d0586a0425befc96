import { toBase64 } from '../../contract/bytes.ts'
import type { Manifest, SealedBook } from '../../contract/devices.ts'
import type { Signed } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { listedVaultOf } from '../vault/list.ts'
import { isBehind, markOf } from '../vault/marks.ts'
import { everyMarks } from '../vault/vaults.ts'
import { readBook, seenVersion, withBook } from './book.ts'
import type { Live } from './live.ts'
import { ownManifestWrite, peerOf } from './peers.ts'

/**
 * Checks a device list against the marks of this browser's vaults, before any vault is open [Note: V4]. Throws
 * CryptoFailure('manifest_rollback').
 */
export async function requireMarkedManifest(identityKey: string, signed: Signed, { version }: Manifest): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (!known.some(({ manifest }) => isBehind(markOf(version, signed.content), manifest))) return
  throw new CryptoFailure('manifest_rollback', 'The server returned an older list of your devices than this browser has seen')
}

/** Throws CryptoFailure 'other_account' if this browser knows the user by another name, 'identity' if by another identity key. */
export async function requireMarkedIdentity(
  { userId, username }: { userId: string; username: string },
  identityKey: Uint8Array,
): Promise<void> {
  await listedVaultOf(userId, username, indexedDB)
  const known = (await everyMarks()).find((marks) => marks.userId === userId)
  if (!known || known.identityKey === toBase64(identityKey)) return
  throw new CryptoFailure('identity', 'The server returned the keys of another identity than this browser knows of your account')
}

/**
 * Throws CryptoFailure('book_rollback') if a book is older than the vault's mark, or differs from the marked book of the same
 * version [Note: V4].
 */
export async function requireMarkedBook({ vault }: Live, { version, sealed }: SealedBook): Promise<void> {
  const known = (await vault.marks())?.book
  if (known && isBehind(markOf(version, sealed ?? ''), known))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
}

/** Checks the server's newest book in the same way, before any vault is open. Throws CryptoFailure('book_rollback'). */
export async function requireMarkedNewest(identityKey: string, { version, sealed }: SealedBook): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (known.some(({ book }) => isBehind(markOf(version, sealed ?? ''), book)))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than this browser has seen')
}

/** Adds marks to a vault that an older build made without them. */
export async function addMarks(live: Live): Promise<void> {
  if (await live.vault.marks()) return
  await withBook(live, async () => {
    const [own, book] = await Promise.all([peerOf(live, live.userId), readBook(live)])
    if (!own) return
    const write = ownManifestWrite(live.userId, own, own)
    await live.vault.write([{ ...write, mark: { ...write.mark, book: { version: seenVersion(book) } } }])
  })
}
