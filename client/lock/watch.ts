import type { Env } from '../env.ts'
import { watchIdle } from './idle.ts'
import { keepAndLoad, lockNow, standingOf } from './lock.ts'
import { hearTabs, type LockNews } from './tabs.ts'

interface Acts {
  /** Told whether this browser has a lock: at the start, and after each change. */
  onStanding?: (isLockable: boolean) => Promise<void>
  /** Reloads the page, which ends its worker and clears all that it decrypted. */
  load?: () => void
}

/** Locks this page when its browser is idle or another tab locks [Note: V3]. Returns how to stop. */
export function watchLock(
  env: Env,
  userId: string,
  report: (work: Promise<unknown>) => void,
  { onStanding, load = () => location.reload() }: Acts = {},
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
  async function follow() {
    const standing = await standingOf(env, userId)
    stopIdle?.()
    stopIdle = standing && !isStopped ? watchIdle(env, standing.after, lock) : undefined
    await onStanding?.(standing !== null)
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
