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
 * Checks a device list that comes before any vault is open against what the vaults of this browser say of the account [Note: V4]. Throws
 * CryptoFailure('manifest_rollback').
 */
export async function requireMarkedManifest(identityKey: string, signed: Signed, { version }: Manifest): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (!known.some(({ manifest }) => isBehind(markOf(version, signed.content), manifest))) return
  throw new CryptoFailure('manifest_rollback', 'The server returned an older list of your devices than this browser has seen')
}

/** Throws CryptoFailure 'other_account' where this browser knows a user by another name, 'identity' where by another identity key. */
export async function requireMarkedIdentity(
  { userId, username }: { userId: string; username: string },
  identityKey: Uint8Array,
): Promise<void> {
  await listedVaultOf(userId, username, indexedDB)
  const known = (await everyMarks()).find((marks) => marks.userId === userId)
  if (!known || known.identityKey === toBase64(identityKey)) return
  throw new CryptoFailure('identity', 'The server returned the keys of another identity than this browser knows of your account')
}

/** Throws CryptoFailure('book_rollback') where a book is older than the vault's marks, or another one of the same version [Note: V4]. */
export async function requireMarkedBook({ vault }: Live, { version, sealed }: SealedBook): Promise<void> {
  const known = (await vault.marks())?.book
  if (known && isBehind(markOf(version, sealed ?? ''), known))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
}

/** Gives a vault its marks that a build without them has made. */
export async function addMarks(live: Live): Promise<void> {
  if (await live.vault.marks()) return
  await withBook(live, async () => {
    const [own, book] = await Promise.all([peerOf(live, live.userId), readBook(live)])
    if (!own) return
    const write = ownManifestWrite(live.userId, own, own)
    await live.vault.write([{ ...write, mark: { ...write.mark, book: { version: seenVersion(book) } } }])
  })
}
