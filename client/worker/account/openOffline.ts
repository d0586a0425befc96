import { fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { type LockEntry, lockSecretOf } from '../keys/lockSecret.ts'
import type { HeldWays } from '../keys/ways.ts'
import { erase } from '../primitives/seal.ts'
import { renewLockPassword } from '../vault/rewrap.ts'
import { lockStanding, offlineWays } from '../vault/vaultLock.ts'
import { addOffline, openVaultOffline, removeOffline } from '../vault/vaultOffline.ts'
import { liveOf } from './openAccount.ts'
import { type LockedMemory, openHere } from './unlock.ts'

/** Adds an offline way to the vault [Note: V3]. Throws 'password' or what `rowKeyOf` throws. */
export const switchOfflineOn = ({ userId }: Live, { locks = [] }: HeldWays, unlockSecret: string): Promise<void> =>
  addOffline({ userId, unlockSecret: fromBase64(unlockSecret), entered: locks }, locks)

/** Deletes the offline way. */
export const switchOfflineOff = ({ userId }: Live): Promise<void> => removeOffline(userId)

/** Throws 'lock_secret' for a wrong entry. */
export async function unlockOffline(
  memory: LockedMemory,
  { userId, username, entry }: { userId: string; username: string; entry: LockEntry },
): Promise<void> {
  const secret = await lockSecretOf(userId, entry, await offlineWays(userId))
  const live = await liveOf(await openVaultOffline({ userId, username }, secret))
  erase(secret.secret)
  openHere(memory, live)
}

/** Replaces the offline way by the password. */
export async function renewOffline({ userId }: Live, { locks = [] }: HeldWays, unlockSecret: string): Promise<void> {
  const password = locks.find(({ kind }) => kind === 'password')
  const before = await offlineWays(userId)
  if (!password || !before?.passwordSalt || (await lockStanding(userId))) return
  await renewLockPassword({ userId, unlockSecret: fromBase64(unlockSecret), entered: [] }, password)
}
