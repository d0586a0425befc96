import type { User } from '../../contract/account.ts'
import { devicesApi } from '../../contract/devices.ts'
import { signedIn } from '../account/account.ts'
import { ownName, storedKeys, stretch, waysIn } from '../account/keys.ts'
import { askPasskey } from '../account/passkey.ts'
import { proveSession } from '../account/proof.ts'
import { CryptoFailure, type LockAfter, type LockEntry, type LockStanding } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { keepDrafts } from '../messages/unkept.ts'
import { tellTabs } from './tabs.ts'

const TRIES = 'lock-tries'
const WAIT_MAX_SECONDS = 60
const KEEP_MAX_MS = 2000

/** Returns the state of this browser's lock for an account; null if it has none. */
export const standingOf = (env: Env, userId: string): Promise<LockStanding | null> => env.crypto.lockStanding(userId)

/** The new lock: its idle time, and a password, a passkey or both to open it. */
interface LockChoice {
  after: LockAfter
  password?: string
  usesPasskey: boolean
}

/**
 * Switches on this browser's lock after a time without input [Note: V3]. Verifies that password and passkey are the account's,
 * because a typing error would lock the person out. Throws ApiError or CryptoFailure; then nothing has changed.
 */
export async function switchLockOn(env: Env, { after, password, usesPasskey }: LockChoice): Promise<void> {
  try {
    const keys = await storedKeys(env)
    const ways = waysIn(keys.keyring)
    if (usesPasskey) {
      await env.crypto.enterPasskey(await askPasskey(ways.passkeys.map(({ id }) => id)))
      await env.crypto.reviewAccount(keys)
    }
    if (password !== undefined) {
      await stretch(env, 'stretch', ownName(), password)
      // If the password opens no keyring, the form has asked for it twice instead.
      if (ways.password) await env.crypto.reviewAccount(keys)
    }
    const { unlockSecret } = await env.api(devicesApi.unlock, {})
    await env.crypto.switchLockOn({ unlockSecret, after })
  } finally {
    await env.crypto.forgetPassword()
  }
  tellTabs('changed')
}

/**
 * Removes the lock, so that the server's secret alone opens the vault again. Throws CryptoFailure('lock_secret') if the entry is
 * wrong.
 */
export async function switchLockOff(env: Env, entry: LockEntry): Promise<void> {
  const { unlockSecret } = await env.api(devicesApi.unlock, {})
  await env.crypto.switchLockOff({ unlockSecret, entry })
  tellTabs('changed')
}

/** Changes the idle time of the lock and keeps its password and passkeys. */
export async function changeLockTime(env: Env, after: LockAfter): Promise<void> {
  await env.crypto.setLockAfter(after)
  tellTabs('changed')
}

/** Locks all tabs of this browser after saving the drafts in composers. `load` reloads the page, which ends its worker. */
export async function lockNow(load: () => void = () => location.reload()): Promise<void> {
  tellTabs('lock')
  await keepAndLoad(load)
}

/** Saves drafts, then reloads the page. A worker that does not respond delays this by at most KEEP_MAX_MS. */
export async function keepAndLoad(load: () => void): Promise<void> {
  const isLate = new Promise<void>((resolve) => setTimeout(resolve, KEEP_MAX_MS))
  await Promise.race([keepDrafts(), isLate])
  load()
}

/**
 * Opens the locked vault. Each wrong entry makes the wait before the next attempt longer. Throws CryptoFailure: 'lock_secret' if
 * the entry is wrong, 'lock_wait' during the wait, or what `crypto.open` throws.
 */
export async function unlock(env: Env, user: User, entry: LockEntry): Promise<void> {
  const seconds = secondsToWait(env)
  if (seconds > 0) throw new CryptoFailure('lock_wait', `Wait ${seconds} s`)
  const half = await env.api(devicesApi.unlock, {})
  try {
    await env.crypto.unlock({ userId: user.id, username: user.username, unlock: half, entry })
  } catch (error) {
    if (error instanceof CryptoFailure && error.code === 'lock_secret') noteWrongTry(env)
    throw error
  }
  localStorage.removeItem(TRIES)
  await proveSession(env, half)
  signedIn(user)
}

/** Opens this locked tab as soon as another tab of this browser is unlocked. Throws CryptoFailure. */
export async function openWithOthers(env: Env, user: User): Promise<void> {
  if (await env.crypto.awaitUnlock({ userId: user.id, username: user.username })) signedIn(user)
}

/** Asks one of the lock's passkeys for its key. */
export const passkeyEntry = async ({ passkeyIds }: LockStanding): Promise<LockEntry> => ({
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
