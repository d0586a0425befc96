import type { ServerData } from '../../contract/frames.ts'
import type { Env } from '../env.ts'
import { closeAccount } from '../me/account/account.ts'
import { endedWords } from '../me/account/endedWords.ts'
import { refreshDevices } from '../me/devices/deviceList.ts'
import { refreshOwnDevices } from '../rooms/trust/ownDevices.ts'
import { goToAuth } from './address.ts'

/** Checks the account's devices after they have changed, or may have changed while the page was offline. */
export async function checkOwnKeys(env: Env, userId: string): Promise<void> {
  if (await refreshOwnDevices(env)) await refreshDevices(env)
  else await removedFromAccount(env, userId)
}

/** Handles the end of the session. Deletes this browser's keys only if a list signed by the account has removed it [Note: D3]. */
export async function signedOutElsewhere(env: Env, userId: string, why: ServerData['signed_out']): Promise<void> {
  const { manifest } = why
  let isListed = true
  try {
    isListed = !manifest || (await env.crypto.takeOwnManifest(manifest))
  } finally {
    if (isListed) {
      await closeAccount(env, endedWords(why))
      goToAuth(userId)
    } else await removedFromAccount(env, userId)
  }
}

async function removedFromAccount(env: Env, userId: string): Promise<void> {
  // Use the account's id: a refused request may have closed the account on this page already.
  await env.crypto.destroy(userId)
  await closeAccount(env, 'This browser was removed from your account.')
  goToAuth()
}
