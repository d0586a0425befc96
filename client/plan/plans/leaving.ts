import { createStore } from 'zustand/vanilla'
import { isOnionOrigin } from '../../net/onion.ts'

interface Asked {
  /** Of the page that would be opened. */
  host: string
  answer: (goes: boolean) => void
}

/** The question whether to leave Tor, which whoever shows plans also shows. */
export const leavingStore = createStore<{ asked: Asked | null }>(() => ({ asked: null }))

/** True if the person may go to that page: it is none outside of Tor, or they say so. */
export async function mayLeaveFor(url: string): Promise<boolean> {
  const { origin, host } = new URL(url, location.href)
  if (!isOnionOrigin() || origin === location.origin) return true
  leavingStore.getState().asked?.answer(false)
  const goes = await new Promise<boolean>((answer) => leavingStore.setState({ asked: { host, answer } }))
  leavingStore.setState({ asked: null })
  return goes
}
