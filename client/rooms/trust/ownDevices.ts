import { createStore } from 'zustand/vanilla'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure, type LogOutcome } from '../../worker/crypto.ts'
import { isPaused, pauseIfOlder } from './pauseQuestion.ts'

/**
 * Findings about the own devices from reading rooms: the newest version of their list, and how often a copy of this browser was
 * detected.
 */
export const ownNewsStore = createStore<{ version: number; copies: number }>(() => ({ version: 0, copies: 0 }))

/** Notes the findings of a catch-up. Subscribers of the store show them. */
export function noteOwnNews({ ownList, isCopied }: Pick<LogOutcome, 'ownList' | 'isCopied'>): void {
  const { version, copies } = ownNewsStore.getState()
  if (ownList > version || isCopied)
    ownNewsStore.setState({ version: Math.max(version, ownList), copies: copies + Number(isCopied) })
}

/**
 * Fetches the account's newest manifest. Returns false if a manifest signed by the account has removed this device. Throws
 * CryptoFailure if the server returns none: a missing response is no reason to delete this browser's keys.
 */
export async function refreshOwnDevices(env: Env): Promise<boolean> {
  const { manifest, historySeals } = await env.api(devicesApi.keys, {})
  if (!manifest) throw new CryptoFailure('manifest', 'The server returned no device list of this account')
  return env.crypto.takeOwnManifest(manifest, { historySeals })
}

/**
 * Fetches a newer version of the account's own manifest that a message named [Note: D2]. If one of the account's own devices
 * named it (`isByOwnDevice`), the server must have it. Throws CryptoFailure('own_rollback') if it does not.
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
 * Fetches the version of the account's own manifest that a commit named if the server's newest is older: the server may hide a
 * new browser from this device's requests alone [Note: D2]. Throws what `checkSuccession` throws.
 */
export async function fetchOwnVersion(env: Env, ownId: string, version: number): Promise<void> {
  if ((await env.crypto.manifestVersion(ownId)) >= version) return
  const { manifest } = await env.api(devicesApi.manifest, { userId: ownId, version })
  if (manifest) await env.crypto.takeOwnManifest(manifest)
}
