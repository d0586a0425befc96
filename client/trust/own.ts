import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { isAskedInVain, noteAnswer } from './asked.ts'

/**
 * Takes the account's newest manifest. False: this device was removed from the account, as the account itself signed. Throws
 * CryptoFailure where the server shows none: its silence is no reason to give up this browser's keys.
 */
export async function meetOwnDevices(env: Env): Promise<boolean> {
  const { manifest, historySeals } = await env.api(devicesApi.keys, {})
  if (!manifest) throw new CryptoFailure('manifest', 'The server returned no device list of this account')
  return env.crypto.meetSelf(manifest, { historySeals })
}

/**
 * A message named a newer version of this account's own manifest [Note: D2]. `isOwnWord`: it was one of the account's own devices,
 * so the server must have that version. Throws CryptoFailure('own_rollback') where it has not.
 */
export async function hearOfOwnDevices(env: Env, userId: string, version: number, isOwnWord = false): Promise<void> {
  const question = isOwnWord ? `${userId} own word` : userId
  if (isAskedInVain(env, question)) return
  await meetOwnDevices(env)
  await noteAnswer(env, question, userId, version)
  if (isOwnWord && isAskedInVain(env, question))
    throw new CryptoFailure('own_rollback', 'The server returned an older list of your devices than they know themselves')
}
