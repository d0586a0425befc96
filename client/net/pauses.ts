import { PERIODS } from '../../contract/ground/limits.ts'

/** Three seconds to a minute, less a random part of up to a half: the pages that one server has lost do not come back in step. */
export const spread = (ms: number): number => Math.min(Math.max(ms, PERIODS.reconnectMs), 60_000) * (1 - Math.random() / 2)

/** Three seconds, then twice that each time. */
export const pauseMs = (tries: number): number => spread(PERIODS.reconnectMs * 2 ** tries)

/**
 * Asks again and again, one question at a time: ever more rarely, soon again after true, and at once when the network returns or the page
 * is seen.
 */
export function keepAsking(ask: () => Promise<unknown>) {
  const page = new AbortController()
  let tries = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const wait = () => {
    timer = setInterval(turn, pauseMs(tries++))
  }
  async function turn() {
    clearInterval(timer)
    timer = undefined
    if (page.signal.aborted) return
    try {
      if (await ask()) tries = 0
    } finally {
      wait()
    }
  }
  function now() {
    tries = 0
    if (timer) void turn()
  }
  wait()
  addEventListener('online', now, page)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && now(), page)
  return { now, stop: () => page.abort() }
}
