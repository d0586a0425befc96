import type { Env } from '../../env.ts'
import type { LockAfter } from '../../worker/crypto.ts'
import { keepAndLoad, lockNow, offlineWaysOf, standingOf } from './browserlock.ts'
import { hearTabs, type LockNews } from './lockTabs.ts'
import { holdOpen } from './tellLocked.ts'
import { watchIdle } from './watchIdle.ts'

/** What opens this browser's vault besides the server. */
export interface Opening {
  hasLock: boolean
  opensOffline: boolean
}

interface Acts {
  /** Told what opens this browser: at the start, and after each change. */
  onOpening?: (opening: Opening) => Promise<void>
  /** Reloads the page, which ends its worker and clears all that it decrypted. */
  load?: () => void
}

/** Locks this page when its browser is idle or another tab locks [Note: V3]. Returns how to stop. */
export function watchLock(
  env: Env,
  userId: string,
  report: (work: Promise<unknown>) => void,
  { onOpening, load = () => location.reload() }: Acts = {},
): () => void {
  let stopIdle: (() => void) | undefined
  let isStopped = false
  let isLocking = false
  /** Runs `work` once: several lock messages may arrive before the page has reloaded. */
  const once = (work: () => Promise<void>) => {
    if (isLocking) return
    isLocking = true
    report(work())
  }
  const lock = () => once(() => lockNow(load))
  function watchOpen(after: LockAfter) {
    const [stop, letGo] = [watchIdle(env, after, lock), holdOpen()]
    return () => {
      stop()
      letGo()
    }
  }
  async function follow() {
    const [standing, offline] = await Promise.all([standingOf(env, userId), offlineWaysOf(env, userId)])
    stopIdle?.()
    stopIdle = standing && !isStopped ? watchOpen(standing.after) : undefined
    await onOpening?.({ hasLock: standing !== null, opensOffline: offline !== null })
  }
  function onNews(news: LockNews) {
    if (news === 'changed') report(follow())
    else once(() => keepAndLoad(load))
  }
  const stopHearing = hearTabs(onNews)
  // `tellTabs` opens its own channel, so this tab also receives the changes made in it.
  report(follow())
  return () => {
    isStopped = true
    stopIdle?.()
    stopHearing()
  }
}
