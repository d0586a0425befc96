import { fromBase64 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import type { LockAfter } from '../vault/head.ts'
import { addLock, lockStanding, removeLock, renewLockPassword } from '../vault/lock.ts'
import { usernameOf } from '../vault/vaults.ts'
import type { LockSecret } from '../vault/wraps.ts'
import { stretchPassword } from './password.ts'
import { type HeldWays, type PasskeyAnswer, passkeyLock } from './ways.ts'

/** The person's entry at the lock of this browser. */
export type LockEntry = { password: string } | { passkey: PasskeyAnswer }

/**
 * Derives the lock's secret from an entry. A password is stretched with the salt from when the lock was made, so it opens the
 * lock even after the account's password has changed. Throws CryptoFailure('lock_secret') if no password opens it.
 */
export async function lockSecretOf(userId: string, entry: LockEntry): Promise<LockSecret> {
  if ('passkey' in entry) return passkeyLock(entry.passkey)
  const [standing, username] = await Promise.all([lockStanding(userId), usernameOf(userId)])
  if (!standing?.passwordSalt || username === undefined)
    throw new CryptoFailure('lock_secret', 'This browser does not unlock with a password')
  const salt = fromBase64(standing.passwordSalt)
  const { passwordSeed, lockSecret } = await stretchPassword(username, entry.password, salt)
  erase(passwordSeed)
  return { kind: 'password', secret: lockSecret, salt }
}

/** Locks the vault by the ways that were entered [Note: V3]. Throws CryptoFailure('password') if none was. */
export const switchLockOn = (
  userId: string,
  ways: HeldWays,
  { unlockSecret, after }: { unlockSecret: string; after: LockAfter },
): Promise<void> => addLock({ userId, unlockSecret: fromBase64(unlockSecret), entered: [] }, { secrets: ways.locks ?? [], after })

/** Removes the lock. Throws CryptoFailure('lock_secret') if the entry does not open it. */
export async function switchLockOff(
  userId: string,
  { unlockSecret, entry }: { unlockSecret: string; entry: LockEntry },
): Promise<void> {
  const secret = await lockSecretOf(userId, entry)
  await removeLock({ userId, unlockSecret: fromBase64(unlockSecret), entered: [secret] })
  erase(secret.secret)
}

/** Replaces the entered password by the new one as a way to open the lock. */
export async function renewLock(userId: string, ways: HeldWays, unlockSecret: string): Promise<void> {
  if (!ways.newPasswordLock) throw new CryptoFailure('password', 'Enter the new password again')
  await renewLockPassword({ userId, unlockSecret: fromBase64(unlockSecret), entered: ways.locks ?? [] }, ways.newPasswordLock)
}
