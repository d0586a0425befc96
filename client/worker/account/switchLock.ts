import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { type LockEntry, lockSecretOf } from '../keys/lockSecret.ts'
import type { HeldWays } from '../keys/ways.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import { addLock, removeLock, renewLockPassword } from '../vault/rewrap.ts'
import type { LockAfter } from '../vault/vaultHead.ts'
import { lockStanding } from '../vault/vaultLock.ts'

/** Locks the vault by the entered ways [Note: V3]. Throws 'password'. */
export const switchLockOn = (
  userId: string,
  ways: HeldWays,
  { unlockSecret, after }: { unlockSecret: string; after: LockAfter },
): Promise<void> => addLock({ userId, unlockSecret: fromBase64(unlockSecret), entered: [] }, { secrets: ways.locks ?? [], after })

/** Throws 'lock_secret' for a wrong entry. */
export async function switchLockOff(
  userId: string,
  { unlockSecret, entry }: { unlockSecret: string; entry: LockEntry },
): Promise<void> {
  const secret = await lockSecretOf(userId, entry, await lockStanding(userId))
  await removeLock({ userId, unlockSecret: fromBase64(unlockSecret), entered: [secret] })
  erase(secret.secret)
}

/** Replaces the lock's old password. */
export async function renewLock(userId: string, ways: HeldWays, unlockSecret: string): Promise<void> {
  if (!ways.newPasswordLock) throw new CryptoFailure('password', 'Enter the new password again')
  await renewLockPassword({ userId, unlockSecret: fromBase64(unlockSecret), entered: ways.locks ?? [] }, ways.newPasswordLock)
}
