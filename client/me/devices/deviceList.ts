import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { ownNewsStore } from '../../rooms/trust/ownDevices.ts'
import { failureWords } from '../../ui/failure.ts'
import { cleanName } from '../account/browserName.ts'
import { devicesStore, type OwnDevice } from './store.ts'

/** Channel that makes the other tabs of this browser reload: a confirmation in one tab counts for all. */
const TABS = 'conclave/devices'

/** The account's devices as this page knows them, for other features to read and follow. */
export const shownDevices: Pick<typeof devicesStore, 'getState' | 'getInitialState' | 'subscribe'> = devicesStore

/** Shows the account's new devices, its key, and whether it keeps history, as this browser knows them. */
export async function showAnnounced(env: Env): Promise<void> {
  const [{ identityKey, keepsHistory }, announced, copiedAt] = await Promise.all([
    env.crypto.ownStanding(),
    env.crypto.newDevices(),
    env.crypto.copiedAt(),
  ])
  devicesStore.setState({ identityKey, keepsHistory, announced, copiedAt })
}

/** Loads the account's devices. Without the server the list lacks only the times when each device was last seen. */
export async function loadDevices(env: Env): Promise<void> {
  await showAnnounced(env)
  await listDevices(env, {})
  try {
    const seen = await env.api(devicesApi.list, {})
    await listDevices(env, Object.fromEntries(seen.map(({ id, lastSeenAt }) => [id, lastSeenAt])))
    devicesStore.setState({ failure: null })
  } catch (error) {
    devicesStore.setState({ failure: failureWords(error) })
  }
}

/** Shows the devices as this browser knows them now, with the times that are known. */
export async function showListed(env: Env): Promise<void> {
  await showAnnounced(env)
  if (devicesStore.getState().status === 'ready') await listDevices(env, {})
}

/** Reloads the account's devices after a change. */
export async function refreshDevices(env: Env): Promise<void> {
  if (devicesStore.getState().status === 'ready') await loadDevices(env)
  else await showAnnounced(env)
}

async function listDevices(env: Env, lastSeen: Record<string, string>): Promise<void> {
  const [{ deviceId }, listed] = await Promise.all([env.crypto.ownStanding(), env.crypto.ownDevices()])
  const known = new Map(devicesStore.getState().devices.map(({ id, lastSeenAt }) => [id, lastSeenAt]))
  const devices = listed.map((device): OwnDevice => {
    const lastSeenAt = lastSeen[device.id] ?? known.get(device.id) ?? null
    return { ...device, isCurrent: device.id === deviceId, lastSeenAt }
  })
  devices.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.addedAt.localeCompare(a.addedAt))
  devicesStore.setState({ status: 'ready', devices })
}

/** Marks devices as confirmed by the person, so that no tab announces them again. */
export async function knowDevices(env: Env, ids: string[]): Promise<void> {
  await env.crypto.deviceSeen(ids)
  await showEverywhere(env)
}

/** Notes that the person restored this browser's data, so that all tabs stop warning of a copy. */
export async function knowCopy(env: Env): Promise<void> {
  await env.crypto.copyKnown()
  await showEverywhere(env)
}

async function showEverywhere(env: Env): Promise<void> {
  await showListed(env)
  const tabs = new BroadcastChannel(TABS)
  tabs.postMessage(null)
  tabs.close()
}

/** Shows changes of the own devices found while reading rooms: an added browser, or a copy of this one. Returns how to stop. */
export const watchOwnNews = (env: Env, report: (work: Promise<unknown>) => void): (() => void) =>
  ownNewsStore.subscribe(() => report(refreshDevices(env)))

/**
 * Gives a browser of the account another name; '' gives back the one that it came with. Other tabs show it at once, other browsers
 * when the book arrives, which the next sync saves where the server is away now.
 */
export async function renameDevice(env: Env, deviceId: string, typed: string): Promise<void> {
  await env.crypto.nameDevice({ deviceId, name: cleanName(typed) })
  await showEverywhere(env)
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

/** Follows confirmations and names of devices given in other tabs of this browser. Returns how to stop. */
export function watchTabs(env: Env, report: (work: Promise<unknown>) => void): () => void {
  const tabs = new BroadcastChannel(TABS)
  tabs.onmessage = () => report(showListed(env))
  return () => tabs.close()
}

/** Clears the store when the account is closed here. */
export function resetDevices(): void {
  devicesStore.setState(devicesStore.getInitialState(), true)
  ownNewsStore.setState(ownNewsStore.getInitialState(), true)
}
