import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { commitEverywhere } from '../../rooms/log/commitEverywhere.ts'
import { reloadVerified } from '../../rooms/trust/verified.ts'
import { type Opener, removeDevice } from '../account/keys.ts'
import { loadDevices } from './deviceList.ts'

/** Removes a browser from the account. Throws ApiError or CryptoFailure; then it has not been removed. */
export async function removeBrowser(env: Env, opener: Opener, deviceId: string, how = { isStolen: false }): Promise<void> {
  await removeDevice(env, opener, deviceId, how)
  await reloadVerified(env)
  await loadDevices(env)
}

/** Commits in the account's rooms, because sending is blocked there until a commit without the removed device [Note: D3]. */
export async function reopenRooms(env: Env): Promise<void> {
  try {
    await commitEverywhere(env)
  } catch (error) {
    // The server was unreachable or limited the rate. The next sender makes the commit.
    if (!(error instanceof ApiError)) throw error
  }
}
