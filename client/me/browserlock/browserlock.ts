import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { askForNewest, type Outcome } from '../../net/offered.ts'
import { registerWorker } from '../../net/workers.ts'
import { tellMarks } from '../../rooms/list/tellMarks.ts'
import { endUnderway } from '../../rooms/list/underway.ts'
import { keepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { dropVoices } from '../../rooms/list/voicedrafts.ts'
import { CryptoFailure, type LockAfter, type LockEntry, type LockStanding, type VaultWays } from '../../worker/crypto.ts'
import { loadPasskeyCode, ownName, storedKeys, stretch, waysIn } from '../account/keys.ts'
import { tellTabs } from './lockTabs.ts'
import { noteLocked } from './tellLocked.ts'

const KEEP_MAX_MS = 2000

/** Returns the state of this browser's lock for an account; null if it has none. */
export const standingOf = (env: Env, userId: string): Promise<LockStanding | null> => env.crypto.lockStanding(userId)

/** Returns what opens this browser without the server; null if nothing does. */
export const offlineWaysOf = (env: Env, userId: string): Promise<VaultWays | null> => env.crypto.offlineWays(userId)

/** What is to open this browser: a password, a passkey or both. */
export interface EnteredWays {
  password?: string | undefined
  usesPasskey: boolean
}

/**
 * Switches on this browser's lock after a time without input [Note: V3]. Verifies that password and passkey are the account's,
 * because a typing error would lock the person out. Throws ApiError or CryptoFailure; then nothing has changed.
 */
export async function switchLockOn(env: Env, { after, ...entered }: EnteredWays & { after: LockAfter }): Promise<void> {
  await withEntered(env, entered, (unlockSecret) => env.crypto.switchLockOn({ unlockSecret, after }))
}

/**
 * Lets password or passkey open this browser without the server [Note: V3], once it has a whole copy of the app. Verifies them in the
 * same way; where the browser has a lock they must open that. Throws ApiError or CryptoFailure; then nothing has changed.
 */
export async function switchOfflineOn(env: Env, entered: EnteredWays): Promise<void> {
  await requireCopy()
  await withEntered(env, entered, (unlockSecret) => env.crypto.switchOfflineOn(unlockSecret))
}

const NO_COPY: Partial<Record<Outcome, string>> = {
  full: 'This browser has no room left for a copy of Conclave, which needs about 3 MB. Make room and try again',
  broken: 'The server was just updated, and not all of it fits together yet. Try again in a minute',
  older: 'The server has an older version of Conclave than this browser has seen. This browser does not go back to it',
  far: 'What the server hands out now is far ahead of what this browser has run, so this browser does not take it by itself',
  undone: 'You went back from what the server hands out now, so this browser does not take it',
  unsigned: 'What the server hands out now is not signed by its operator any more, so this browser does not take it',
  other_key: 'What the server hands out now is signed by another key than before, so this browser does not take it',
}

async function requireCopy(): Promise<void> {
  if (!(await registerWorker()))
    throw new CryptoFailure(
      'no_copy',
      'This browser keeps no copy of a page here: it does so on HTTPS only, and in no private window',
    )
  const outcome = (await askForNewest())?.outcome
  if (outcome === 'current' || outcome === 'taken') return
  throw new CryptoFailure('no_copy', (outcome && NO_COPY[outcome]) ?? 'The server cannot be reached')
}

/** From now on this browser opens with the server only. */
export async function switchOfflineOff(env: Env): Promise<void> {
  await env.crypto.switchOfflineOff()
  tellTabs('changed')
}

/** Enters the chosen ways, each of which must be the account's, and has `change` use them. */
async function withEntered(
  env: Env,
  { password, usesPasskey }: EnteredWays,
  change: (unlockSecret: string) => Promise<void>,
): Promise<void> {
  try {
    const keys = await storedKeys(env)
    const ways = waysIn(keys.keyring)
    if (usesPasskey) {
      const { askPasskey } = await loadPasskeyCode()
      await env.crypto.enterPasskey(await askPasskey(ways.passkeys.map(({ id }) => id)))
      await env.crypto.reviewAccount(keys)
    }
    if (password !== undefined) {
      await stretch(env, 'stretch', ownName(), password)
      // If the password opens no keyring, the form has asked for it twice instead.
      if (ways.password) await env.crypto.reviewAccount(keys)
    }
    const { unlockSecret } = await env.api(devicesApi.unlock, {})
    await change(unlockSecret)
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

/** Ends a call, saves drafts, drops recordings, then reloads the page. A worker that does not respond delays this by at most KEEP_MAX_MS. */
export async function keepAndLoad(load: () => void): Promise<void> {
  noteLocked()
  endUnderway('locked')
  tellMarks()
  const isLate = new Promise<void>((resolve) => setTimeout(resolve, KEEP_MAX_MS))
  await Promise.race([keepDrafts(), isLate])
  // A page that holds a recording would ask before it is loaded anew, and stay open.
  dropVoices()
  load()
}
