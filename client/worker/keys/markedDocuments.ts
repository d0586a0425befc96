import type { SealedBook } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { listedVaultOf } from '../vault/listedVaults.ts'
import { isBehind, markOf } from '../vault/vaultMarks.ts'
import { everyMarks } from '../vault/vaults.ts'

// What the server answers before a vault is open is checked against the marks of all vaults of this browser.

/**
 * Checks a device list [Note: V4]. Throws CryptoFailure('manifest_rollback').
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

/** Checks the server's newest book in the same way. Throws CryptoFailure('book_rollback'). */
export async function requireMarkedNewest(identityKey: string, { version, sealed }: SealedBook): Promise<void> {
  const known = (await everyMarks()).filter((marks) => marks.identityKey === identityKey)
  if (known.some(({ book }) => isBehind(markOf(version, sealed ?? ''), book)))
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than this browser has seen')
}
