import { devicesApi } from '../../contract/devices.ts'
import type { Env } from '../env.ts'
import { ownNewsStore } from '../trust/own.ts'
import { failureWords } from '../ui/failure.ts'
import { devicesStore, type OwnDevice } from './store.ts'

/** Tells the other tabs of this browser to read again: an answer in one of them counts in all. */
const TABS = 'conclave/devices'

/** Shows what this browser knows of its own account: which devices were added, its own address, and if history is kept. */
export async function showAnnounced(env: Env): Promise<void> {
  const [{ onionAddress, keepsHistory }, announced, copiedAt] = await Promise.all([
    env.crypto.ownStanding(),
    env.crypto.newDevices(),
    env.crypto.copiedAt(),
  ])
  devicesStore.setState({ onionAddress, keepsHistory, announced, copiedAt })
}

/** Loads the account's devices. Without the server the list shows too, only without the times when each was last seen. */
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

/** Shows the account's devices anew after they changed. */
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

/** Marks devices as confirmed by the person: no tab announces them again. */
export async function knowDevices(env: Env, ids: string[]): Promise<void> {
  await env.crypto.deviceSeen(ids)
  await showEverywhere(env)
}

/** The person has restored this browser's data: no tab says any more that it was copied. */
export async function knowCopy(env: Env): Promise<void> {
  await env.crypto.copyKnown()
  await showEverywhere(env)
}

async function showEverywhere(env: Env): Promise<void> {
  await showAnnounced(env)
  const tabs = new BroadcastChannel(TABS)
  tabs.postMessage(null)
  tabs.close()
}

/** Shows at once what reading a room has told of the own devices: a browser that was added, or a copy of this one. */
export const watchOwnNews = (env: Env, report: (work: Promise<unknown>) => void): (() => void) =>
  ownNewsStore.subscribe(() => report(refreshDevices(env)))

/** Shows what the person answered about new devices in other tabs of this browser. Returns how to stop. */
export function watchTabs(env: Env, report: (work: Promise<unknown>) => void): () => void {
  const tabs = new BroadcastChannel(TABS)
  tabs.onmessage = () => report(showAnnounced(env))
  return () => tabs.close()
}

/** Forgets all of it when the account is closed here. */
export function resetDevices(): void {
  devicesStore.setState(devicesStore.getInitialState(), true)
  ownNewsStore.setState(ownNewsStore.getInitialState(), true)
}
