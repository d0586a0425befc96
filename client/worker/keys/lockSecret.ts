import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf } from '../primitives/seal.ts'
import type { VaultWays } from '../vault/vaultLock.ts'
import { usernameOf } from '../vault/vaults.ts'
import type { LockSecret } from '../vault/wraps.ts'
import { LOCAL_LOCK, stretchPassword } from './password.ts'

/** A passkey's answer: its credential id in base64url and the 32 bytes of its PRF extension in base64. */
export interface PasskeyAnswer {
  id: string
  output: string
}

/** The person's entry at the lock of this browser. */
export type LockEntry = { password: string } | { passkey: PasskeyAnswer }

/**
 * Derives the secret of an entry for what opens the vault. A password is stretched with the salt from when that was made, so it opens
 * even after the account's password has changed. Throws CryptoFailure('lock_secret') if no password opens it.
 */
export async function lockSecretOf(userId: string, entry: LockEntry, ways: VaultWays | null): Promise<LockSecret> {
  if ('passkey' in entry) return passkeyLock(entry.passkey)
  const username = await usernameOf(userId)
  if (!ways?.passwordSalt || username === undefined)
    throw new CryptoFailure('lock_secret', 'This browser does not unlock with a password')
  const salt = fromBase64(ways.passwordSalt)
  const { passwordSeed, lockSecret } = await stretchPassword(username, entry.password, salt)
  erase(passwordSeed)
  return { kind: 'password', secret: lockSecret, salt }
}

/** The local lock secret of a passkey [Note: V3]. */
export async function passkeyLock({ id, output }: PasskeyAnswer): Promise<LockSecret> {
  const bytes = fromBase64(output)
  const secret = await hkdf(bytes, LOCAL_LOCK)
  erase(bytes)
  return { kind: 'passkey', secret, id }
}
