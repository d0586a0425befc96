import { createStore } from 'zustand/vanilla'
import { isOnionOrigin } from '../../net/onion.ts'

interface Asked {
  host: string
  answer: (goes: boolean) => void
}

export const leavingStore = createStore<{ asked: Asked | null }>(() => ({ asked: null }))

/** True if the page leaves no Tor, or the person says so. */
export async function mayLeaveFor(url: string): Promise<boolean> {
  const { origin, host } = new URL(url, location.href)
  if (!isOnionOrigin() || origin === location.origin) return true
  leavingStore.getState().asked?.answer(false)
  const goes = await new Promise<boolean>((answer) => leavingStore.setState({ asked: { host, answer } }))
  leavingStore.setState({ asked: null })
  return goes
}
