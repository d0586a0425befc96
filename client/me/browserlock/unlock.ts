import type { User } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { ownUserOf, readKept, showKept, showPreviews } from '../../rooms/offline/keptScreens.ts'
import { CryptoFailure, type LockEntry, type VaultWays } from '../../worker/crypto.ts'
import { signedIn } from '../account/account.ts'
import { askPasskey } from '../account/passkey.ts'
import { proveSession } from '../account/proveSession.ts'
import type { StoredUser } from '../account/storedUser.ts'
import { noteUnlocked } from './tellLocked.ts'

const TRIES = 'lock-tries'
const WAIT_MAX_SECONDS = 60

/**
 * Opens the locked vault. Each wrong entry makes the wait before the next attempt longer. Throws CryptoFailure: 'lock_secret' if
 * the entry is wrong, 'lock_wait' during the wait, or what `crypto.open` throws.
 */
export async function unlock(env: Env, user: User, entry: LockEntry): Promise<void> {
  requireNoWait(env)
  const half = await env.api(devicesApi.unlock, {})
  await tried(env, env.crypto.unlock({ userId: user.id, username: user.username, unlock: half, entry }))
  noteUnlocked()
  await proveSession(env, half)
  signedIn(user)
}

/** Opens the vault without the server, where the person has switched that on [Note: V3]. Throws as `unlock` does. */
export async function unlockOffline(env: Env, who: StoredUser, entry: LockEntry): Promise<void> {
  requireNoWait(env)
  await tried(env, env.crypto.unlockOffline({ userId: who.id, username: who.username, entry }))
  noteUnlocked()
  await showAway(env, who)
}

/** Shows the account as this browser last saw it. Its rooms are read while the screen is drawn for the first time. */
async function showAway(env: Env, who: StoredUser): Promise<void> {
  const kept = await readKept(env)
  const shown = showKept(env, kept, true).then((rooms) => showPreviews(env, rooms))
  signedIn(ownUserOf(kept, who))
  await shown
}

function requireNoWait(env: Env): void {
  const seconds = secondsToWait(env)
  if (seconds > 0) throw new CryptoFailure('lock_wait', `Wait ${seconds} s`)
}

async function tried(env: Env, opening: Promise<void>): Promise<void> {
  try {
    await opening
  } catch (error) {
    if (error instanceof CryptoFailure && error.code === 'lock_secret') noteWrongTry(env)
    throw error
  }
  localStorage.removeItem(TRIES)
}

/** Opens this locked tab as soon as another tab of this browser is unlocked. Throws CryptoFailure. */
export async function openWithOthers(env: Env, who: StoredUser, user: User | null): Promise<void> {
  if (!(await env.crypto.awaitUnlock({ userId: who.id, username: who.username }))) return
  if (user) signedIn(user)
  else await showAway(env, who)
}

/** Asks one of the lock's passkeys for its key. */
export const passkeyEntry = async ({ passkeyIds }: Pick<VaultWays, 'passkeyIds'>): Promise<LockEntry> => ({
  passkey: await askPasskey(passkeyIds),
})

/** Seconds until the next attempt is allowed, or 0. This does not stop an attacker who runs code in this browser. */
export function secondsToWait({ clock }: Pick<Env, 'clock'>): number {
  const { until } = readTries()
  return Math.max(0, Math.ceil((until - clock().getTime()) / 1000))
}

function noteWrongTry({ clock }: Pick<Env, 'clock'>): void {
  const count = readTries().count + 1
  const seconds = Math.min(WAIT_MAX_SECONDS, 2 ** (count - 1))
  localStorage.setItem(TRIES, JSON.stringify({ count, until: clock().getTime() + seconds * 1000 }))
}

function readTries(): { count: number; until: number } {
  const kept = localStorage.getItem(TRIES)
  return kept ? JSON.parse(kept) : { count: 0, until: 0 }
}
