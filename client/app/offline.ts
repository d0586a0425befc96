import type { Env } from '../env.ts'
import { accountStore } from '../me/account/accountState.ts'
import type { Opening } from '../me/browserlock/watchLock.ts'
import { askForNewest, type Offered } from '../net/offered.ts'
import { patience } from '../net/patience.ts'
import { registerWorker } from '../net/workers.ts'

type Attempt = (work: Promise<unknown>) => void

const isInstalled = () => globalThis.matchMedia?.('(display-mode: standalone)')?.matches === true

/**
 * Keeps a copy of the app in this browser where it opens without the server or has a lock, and for an installed app, around which no
 * browser would say what is wrong. Where it opens without the server, keeps what the screens show as well.
 */
export function keepOffline(env: Env, attempt: Attempt) {
  let stopKeeping: (() => void) | undefined
  let isStopped = false
  return {
    async onOpening({ hasLock, opensOffline }: Opening): Promise<void> {
      if (hasLock || opensOffline || isInstalled()) attempt(registerWorker())
      if (!opensOffline) {
        stopKeeping?.()
        stopKeeping = undefined
        return
      }
      const [{ readKept, showKept }, { followShown }] = await Promise.all([
        import('../rooms/offline/keptScreens.ts'),
        import('../rooms/offline/followShown.ts'),
      ])
      if (isStopped || stopKeeping) return
      stopKeeping = followShown(env, () => accountStore.getState().user, attempt)
      await showKept(env, await readKept(env))
    },
    stop() {
      isStopped = true
      stopKeeping?.()
    },
  }
}

/** Updates the copy from which the next page starts. Returns undefined without a service worker, or where it takes too long. */
export async function takeNewest(): Promise<Offered | undefined> {
  const isLate = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patience().updateMs))
  return await Promise.race([askForNewest(), isLate])
}
