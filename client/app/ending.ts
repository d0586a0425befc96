import type { Signed } from '../../contract/shapes.ts'
import { closeAccount } from '../account/account.ts'
import { refreshDevices } from '../devices/list.ts'
import type { Env } from '../env.ts'
import { refreshOwnDevices } from '../trust/own.ts'
import { goToAuth } from './address.ts'

/** The account's devices or keys changed, or may have while the page was not connected. */
export async function checkOwnKeys(env: Env, userId: string): Promise<void> {
  if (await refreshOwnDevices(env)) await refreshDevices(env)
  else await removedFromAccount(env, userId)
}

/** The session has ended. Only a list that the account itself signed takes this browser's keys with it [Note: D3]. */
export async function signedOutElsewhere(env: Env, userId: string, manifest: Signed | undefined): Promise<void> {
  let isListed = true
  try {
    isListed = !manifest || (await env.crypto.takeOwnManifest(manifest))
  } finally {
    if (isListed) {
      await closeAccount(env, 'You were signed out.')
      goToAuth(userId)
    } else await removedFromAccount(env, userId)
  }
}

async function removedFromAccount(env: Env, userId: string): Promise<void> {
  // By the account's id: a refused request may have closed the account on this page already.
  await env.crypto.destroy(userId)
  await closeAccount(env, 'This browser was removed from your account.')
  goToAuth()
}
