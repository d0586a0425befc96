import { type Opener, removeDevice } from '../account/keys.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { commitEverywhere } from '../rooms/gate.ts'
import { reloadVerified } from '../trust/verified.ts'
import { loadDevices } from './list.ts'

/** Takes a browser out of the account. Throws ApiError or CryptoFailure: then it is still in it. */
export async function removeBrowser(env: Env, opener: Opener, deviceId: string, how = { isStolen: false }): Promise<void> {
  await removeDevice(env, opener, deviceId, how)
  await reloadVerified(env)
  await loadDevices(env)
}

/** Commits in the account's rooms: the removal of a device stops sending there until a commit without it [Note: D3]. */
export async function reopenRooms(env: Env): Promise<void> {
  try {
    await commitEverywhere(env)
  } catch (error) {
    // Not reached, or asked too often: the next sender makes the commit.
    if (!(error instanceof ApiError)) throw error
  }
}
