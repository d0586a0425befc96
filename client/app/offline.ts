import type { Env } from '../env.ts'
import { accountStore } from '../me/account/accountState.ts'
import type { Opening } from '../me/browserlock/watchLock.ts'
import { askForNewest, type Offered } from '../net/offered.ts'
import { patience } from '../net/patience.ts'
import { registerWorker } from '../net/workers.ts'
import { roomsStore } from '../rooms/list/roomList.ts'

type Attempt = (work: Promise<unknown>) => void

const isInstalled = () => globalThis.matchMedia?.('(display-mode: standalone)')?.matches === true

/**
 * Shows what this browser kept of the last page until the server answers, and keeps it for the next one. Keeps a copy of the app where
 * it opens without the server or has a lock, and for an installed app, around which no browser would say what is wrong.
 */
export function keepOffline(env: Env, attempt: Attempt) {
  let stopKeeping: (() => void) | undefined
  let isStopped = false
  const show = async () => {
    const [{ readKept, showKept, showPreviews }, { followShown }] = await Promise.all([
      import('../rooms/offline/keptScreens.ts'),
      import('../rooms/offline/followShown.ts'),
    ])
    if (isStopped) return
    stopKeeping = followShown(env, () => accountStore.getState().user, attempt)
    await showPreviews(env, await showKept(env, await readKept(env), false), () => roomsStore.getState().status === 'ready')
  }
  attempt(show())
  return {
    async onOpening({ hasLock, opensOffline }: Opening): Promise<void> {
      if (hasLock || opensOffline || isInstalled()) attempt(registerWorker())
    },
    stop() {
      isStopped = true
      stopKeeping?.()
    },
  }
}

/** Updates the copy from which the next page starts. Returns undefined without a service worker. */
export const takeNewest = (): Promise<Offered | undefined> => inTime(askForNewest())

/** Returns undefined for what fails or takes too long. */
export async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience().updateMs)
  })
  return await Promise.race([work.catch(() => undefined), isLate]).finally(() => clearTimeout(timer))
}
