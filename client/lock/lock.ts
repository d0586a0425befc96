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

/** The lock of this browser for an account; null where it has none. */
export const standingOf = (env: Env, userId: string): Promise<LockStanding | null> => env.crypto.lockStanding(userId)

/** What may open the lock. Without a password it takes a passkey. */
interface LockChoice {
  after: LockAfter
  password?: string
  usesPasskey: boolean
}

/**
 * Locks this browser from now on after so long without input [Note: V3]. Password and passkey must be the account's: a typing error
 * would shut the person out. Throws ApiError or CryptoFailure: then nothing changed.
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
      // Where the password is no way in, the form has asked for it twice.
      if (ways.password) await env.crypto.reviewAccount(keys)
    }
    const { unlockSecret } = await env.api(devicesApi.unlock, {})
    await env.crypto.switchLockOn({ unlockSecret, after })
  } finally {
    await env.crypto.forgetPassword()
  }
  tellTabs('changed')
}

/** The server's half alone opens the vault again. Throws CryptoFailure('lock_secret') where the entry is wrong. */
export async function switchLockOff(env: Env, entry: LockEntry): Promise<void> {
  const { unlockSecret } = await env.api(devicesApi.unlock, {})
  await env.crypto.switchLockOff({ unlockSecret, entry })
  tellTabs('changed')
}

/** Another time without input; what opens the lock stays. */
export async function changeLockTime(env: Env, after: LockAfter): Promise<void> {
  await env.crypto.setLockAfter(after)
  tellTabs('changed')
}

/** Locks every tab of this browser. What stands in composers is kept first. `load`: ends the worker with the page. */
export async function lockNow(load: () => void = () => location.reload()): Promise<void> {
  tellTabs('lock')
  await keepAndLoad(load)
}

/** A worker that no longer answers must not keep the browser open. */
export async function keepAndLoad(load: () => void): Promise<void> {
  const isLate = new Promise<void>((resolve) => setTimeout(resolve, KEEP_MAX_MS))
  await Promise.race([keepDrafts(), isLate])
  load()
}

/**
 * Opens the locked vault. After a wrong entry the next one waits, longer each time. Throws CryptoFailure: 'lock_secret' where it is
 * wrong, 'lock_wait' where it is too soon, or what `crypto.open` throws.
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

/** The passkeys that open this lock are asked for their key. */
export const passkeyEntry = async ({ passkeyIds }: LockStanding): Promise<LockEntry> => ({
  passkey: await askPasskey(passkeyIds),
})

/** How long the next try has to wait; 0: not at all. The wait spares nobody who can run code of their own here. */
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
