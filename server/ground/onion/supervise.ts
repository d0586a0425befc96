import { setTimeout as wait } from 'node:timers/promises'
import type { Say } from './say.ts'

/** What lived so long begins at the first pause again. */
const STEADY_MS = 60_000
const STOP_MS = 3000

export interface Stoppable {
  /** Resolves with the reason, in words. */
  ended: Promise<string>
  stop(): Promise<void>
}

interface Options {
  againMs: readonly [number, number]
  hasWorked: () => boolean
  say: Say
}

/** Begins again whatever ends or does not begin, until it is stopped. */
export function supervise(begin: () => Promise<Stoppable>, { againMs, hasWorked, say }: Options): { stop(): Promise<void> } {
  const [firstMs, mostMs] = againMs
  const stopping = new AbortController()
  let running: Stoppable | undefined

  async function work(): Promise<void> {
    for (let pauseMs = firstMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, mostMs)) {
      const startedMs = performance.now()
      const why = await once()
      if (hasWorked() || performance.now() - startedMs > STEADY_MS) pauseMs = firstMs
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      // A server that ends together with its tor says nothing.
      if (!stopping.signal.aborted) say.once(why)
    }
  }

  async function once(): Promise<string> {
    try {
      running = await begin()
      if (stopping.signal.aborted) await running.stop()
      return `${await running.ended}. It is started again`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  const working = work()
  return {
    async stop() {
      stopping.abort()
      await running?.stop()
      // A tor that does not answer holds up no server that ends.
      await Promise.race([working, wait(STOP_MS, undefined, { ref: false })])
    },
  }
}
