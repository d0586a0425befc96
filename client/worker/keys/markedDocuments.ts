import type { SealedBook } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { listedVaultOf } from '../vault/listedVaults.ts'
import { isBehind, markOf } from '../vault/vaultMarks.ts'
import { everyMarks } from '../vault/vaults.ts'

// Before a vault opens, the marks of every vault here check the server's answers [Note: V4].

/** Throws 'manifest_rollback' for an older list than a mark. */
export async function requireMarkedManifest(identityKey: string, signed: Signed, { version }: Manifest): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (!known.some(({ manifest }) => isBehind(markOf(version, signed.content), manifest))) return
  throw new CryptoFailure('manifest_rollback', 'The server returned an older list of your devices than this browser has seen')
}

/** Throws 'other_account' for another name than the known one, 'identity' for another key. */
export async function requireMarkedIdentity(
  { userId, username }: { userId: string; username: string },
  identityKey: Uint8Array,
): Promise<void> {
  await listedVaultOf(userId, username, indexedDB)
  const known = (await everyMarks()).find((marks) => marks.userId === userId)
  if (!known || known.identityKey === toBase64(identityKey)) return
  throw new CryptoFailure('identity', 'The server returned the keys of another identity than this browser knows of your account')
}

/** Throws 'book_rollback' for an older book than a mark. */
export async function requireMarkedNewest(identityKey: string, { version, sealed }: SealedBook): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (known.some(({ book }) => isBehind(markOf(version, sealed ?? ''), book)))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than this browser has seen')
}
