import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf } from '../primitives/seal.ts'
import type { VaultWays } from '../vault/vaultLock.ts'
import { usernameOf } from '../vault/vaults.ts'
import type { LockSecret } from '../vault/wraps.ts'
import { LOCAL_LOCK, stretchPassword } from './password.ts'

/** `id`: base64url. `output`: its PRF extension's 32 bytes, base64. */
export interface PasskeyAnswer {
  id: string
  output: string
}

export type LockEntry = { password: string } | { passkey: PasskeyAnswer }

/**
 * Stretches with the salt of the vault's wrap, so an old password still opens after a change [Note: V3]. Throws 'lock_secret'
 * if no password opens the vault.
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

/** HKDF of the PRF output [Note: V3]. */
export async function passkeyLock({ id, output }: PasskeyAnswer): Promise<LockSecret> {
  const bytes = fromBase64(output)
  const secret = await hkdf(bytes, LOCAL_LOCK)
  erase(bytes)
  return { kind: 'passkey', secret, id }
}
