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
  return await new Promise<boolean>((resolve) => {
    const question = {
      host,
      answer(goes: boolean) {
        // A newer question stays.
        leavingStore.setState(({ asked }) => ({ asked: asked === question ? null : asked }))
        resolve(goes)
      },
    }
    leavingStore.setState({ asked: question })
  })
}
