import { PERIODS } from '../../contract/ground/limits.ts'

/** Up to a minute, less a random part that keeps pages apart. */
export const spread = (ms: number): number => Math.min(Math.max(ms, PERIODS.reconnectMs), 60_000) * (1 - Math.random() / 2)

export const pauseMs = (tries: number): number => spread(PERIODS.reconnectMs * 2 ** tries)

const SEEN_MS = 12_000

/** Asks one question at a time: ever more rarely, soon again after true, at once when network or person return. */
export function keepAsking(ask: () => Promise<unknown>) {
  const page = new AbortController()
  let tries = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const wait = () => {
    const mostMs = document.visibilityState === 'visible' ? SEEN_MS : Number.POSITIVE_INFINITY
    timer = setInterval(turn, Math.min(pauseMs(tries++), mostMs))
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
