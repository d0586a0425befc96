import { createStore } from 'zustand/vanilla'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure, type LogOutcome } from '../../worker/crypto.ts'
import { isPaused, pauseIfOlder } from './pauseQuestion.ts'

/** `version` is the newest version of the own list, `copies` the number of detected copies of this browser. */
export const ownNewsStore = createStore<{ version: number; copies: number }>(() => ({ version: 0, copies: 0 }))

export function noteOwnNews({ ownList, isCopied }: Pick<LogOutcome, 'ownList' | 'isCopied'>): void {
  const { version, copies } = ownNewsStore.getState()
  if (ownList > version || isCopied)
    ownNewsStore.setState({ version: Math.max(version, ownList), copies: copies + Number(isCopied) })
}

/**
 * Returns false if a signed manifest has removed this device. Throws CryptoFailure without an answer, which is no reason to
 * delete keys.
 */
export async function refreshOwnDevices(env: Env): Promise<boolean> {
  const { manifest, historySeals } = await env.api(devicesApi.keys, {})
  if (!manifest) throw new CryptoFailure('manifest', 'The server returned no device list of this account')
  return env.crypto.takeOwnManifest(manifest, { historySeals })
}

/**
 * Fetches an own manifest that a message named [Note: D2]. Throws CryptoFailure('own_rollback') if an own device named a version
 * that the server lacks.
 */
export async function fetchOwnManifest(env: Env, ownId: string, version: number, isByOwnDevice = false): Promise<void> {
  const question = isByOwnDevice ? `${ownId} by own device` : ownId
  if (isPaused(env, question)) return
  await refreshOwnDevices(env)
  await pauseIfOlder(env, question, ownId, version)
  if (isByOwnDevice && isPaused(env, question))
    throw new CryptoFailure('own_rollback', 'The server returned an older list of your devices than they know themselves')
}

/**
 * Fetches the version that a commit named: the server may hide a new browser from this device [Note: D2]. Throws what
 * `checkSuccession` throws.
 */
export async function fetchOwnVersion(env: Env, ownId: string, version: number): Promise<void> {
  if ((await env.crypto.manifestVersion(ownId)) >= version) return
  const { manifest } = await env.api(devicesApi.manifest, { userId: ownId, version })
  if (manifest) await env.crypto.takeOwnManifest(manifest)
}
