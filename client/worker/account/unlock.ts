import type { Live } from '../keys/live.ts'
import { type LockEntry, lockSecretOf } from '../keys/lockSecret.ts'
import { preloadStretching } from '../keys/password.ts'
import { erase } from '../primitives/seal.ts'
import { awaitKey } from '../vault/keyHandover.ts'
import { openHandedVault } from '../vault/vault.ts'
import { lockStanding } from '../vault/vaultLock.ts'
import { liveOf, openLive } from './openAccount.ts'

export interface LockedMemory {
  live: Live | undefined
  stopWaiting?: (() => void) | undefined
}

interface Entered {
  userId: string
  username: string
  unlock: { deviceId: string; unlockSecret: string }
  entry: LockEntry
}

/** Unlocks waiting tabs too. Throws 'lock_secret' or what `openLive` throws. */
export async function unlock(memory: LockedMemory, { userId, username, unlock: half, entry }: Entered): Promise<void> {
  const secret = await lockSecretOf(userId, entry, await lockStanding(userId))
  const live = await openLive(userId, half, username, [secret])
  erase(secret.secret)
  openHere(memory, live)
}

/** Gives the page an account, and waiting tabs too. */
export function openHere(memory: LockedMemory, live: Live): void {
  memory.stopWaiting?.()
  // Another tab unlocked this tab.
  if (memory.live) live.vault.close()
  else {
    memory.live = live
    live.vault.handKey()
  }
}

/** Waits for another tab. Returns false if opened here. Throws what `openHandedVault` and `liveOf` throw. */
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
