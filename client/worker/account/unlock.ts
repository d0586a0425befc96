import type { Live } from '../keys/live.ts'
import { type LockEntry, lockSecretOf } from '../keys/lockSecret.ts'
import { preloadStretching } from '../keys/password.ts'
import { erase } from '../primitives/seal.ts'
import { awaitKey } from '../vault/keyHandover.ts'
import { openHandedVault } from '../vault/vault.ts'
import { lockStanding } from '../vault/vaultLock.ts'
import { liveOf, openLive } from './openAccount.ts'

/** The worker's memory, as far as a locked vault is concerned. */
export interface LockedMemory {
  live: Live | undefined
  /** Stops waiting for a tab that is unlocked. */
  stopWaiting?: (() => void) | undefined
}

interface Entered {
  userId: string
  username: string
  unlock: { deviceId: string; unlockSecret: string }
  entry: LockEntry
}

/**
 * Opens a locked vault, and the tabs that wait for it. Throws CryptoFailure: 'lock_secret' if the entry is wrong, or what
 * `openLive` throws.
 */
export async function unlock(memory: LockedMemory, { userId, username, unlock: half, entry }: Entered): Promise<void> {
  const secret = await lockSecretOf(userId, entry, await lockStanding(userId))
  const live = await openLive(userId, half, username, [secret])
  erase(secret.secret)
  openHere(memory, live)
}

/** Makes an opened account this page's, and opens the tabs that wait for it. */
export function openHere(memory: LockedMemory, live: Live): void {
  memory.stopWaiting?.()
  // Another tab may have been unlocked meanwhile, and this one with it.
  if (memory.live) live.vault.close()
  else {
    memory.live = live
    live.vault.handKey()
  }
}

/**
 * Waits until another tab of this browser unlocks the vault, and opens it here too. Returns false if it is opened here first. Throws
 * what `openHandedVault` and `liveOf` throw.
 */
export async function awaitUnlock(
  memory: LockedMemory,
  { userId, username }: Pick<Entered, 'userId' | 'username'>,
): Promise<boolean> {
  preloadStretching()
  memory.stopWaiting?.()
  const { handed, stop } = awaitKey(userId)
  memory.stopWaiting = stop
  const key = await handed
  if (!key) return false
  memory.live = await liveOf(await openHandedVault(key, username))
  return true
}
