import type { Env } from '../env.ts'
import { watchIdle } from './idle.ts'
import { keepAndLoad, lockNow, standingOf } from './lock.ts'
import { hearTabs, type LockNews } from './tabs.ts'

/**
 * Locks this page when its browser is idle, and with the other tabs of the browser [Note: V3]. `load`: loads the page anew, which ends
 * its worker and everything that it has read. Returns how to stop.
 */
export function watchLock(
  env: Env,
  userId: string,
  report: (work: Promise<unknown>) => void,
  load: () => void = () => location.reload(),
): () => void {
  let stopIdle: (() => void) | undefined
  let isStopped = false
  let isLocking = false
  /** A tab may be told several times before it is gone. */
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
  }
  function onNews(news: LockNews) {
    if (news === 'changed') report(follow())
    else once(() => keepAndLoad(load))
  }
  const stopHearing = hearTabs(onNews)
  // The tab in which the lock is switched hears of it as the others do: from another channel of its own.
  report(follow())
  return () => {
    isStopped = true
    stopIdle?.()
    stopHearing()
  }
}
