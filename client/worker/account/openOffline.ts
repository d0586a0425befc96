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

/** The row with what the screens show besides messages, sealed like all others. */
const SHOWN = 'shown'

/**
 * Lets the entered ways open this vault without the server [Note: V3]. Where it has a lock, they must open that too. Throws
 * CryptoFailure: 'password' if nothing was entered, or what `rowKeyOf` throws.
 */
export const switchOfflineOn = ({ userId }: Live, { locks = [] }: HeldWays, unlockSecret: string): Promise<void> =>
  addOffline({ userId, unlockSecret: fromBase64(unlockSecret), entered: locks }, locks)

/** Takes away what opens the vault without the server, and what was kept for it. */
export async function switchOfflineOff({ userId, vault }: Live): Promise<void> {
  await removeOffline(userId)
  await vault.write([{ store: 'sealed', key: SHOWN, value: null }])
}

/** Opens the vault without the server, and the tabs that wait for it. Throws CryptoFailure('lock_secret') if the entry is wrong. */
export async function unlockOffline(
  memory: LockedMemory,
  { userId, username, entry }: { userId: string; username: string; entry: LockEntry },
): Promise<void> {
  const secret = await lockSecretOf(userId, entry, await offlineWays(userId))
  const live = await liveOf(await openVaultOffline({ userId, username }, secret))
  erase(secret.secret)
  openHere(memory, live)
}

/** After a sign-in by password: that password opens the vault without the server too, whichever did before. */
export async function renewOffline({ userId }: Live, { locks = [] }: HeldWays, unlockSecret: string): Promise<void> {
  const password = locks.find(({ kind }) => kind === 'password')
  const before = await offlineWays(userId)
  if (!password || !before?.passwordSalt || (await lockStanding(userId))) return
  await renewLockPassword({ userId, unlockSecret: fromBase64(unlockSecret), entered: [] }, password)
}

/** Keeps what the screens show of rooms and people, for a start without the server. `shown` is JSON that the page reads again. */
export const keepShown = ({ vault }: Live, shown: object): Promise<void> =>
  vault.write([{ store: 'sealed', key: SHOWN, value: { json: shown } }])

/** What `keepShown` has kept; null if nothing. */
export const readShown = async ({ vault }: Live): Promise<unknown> => (await vault.get('sealed', SHOWN))?.json ?? null
