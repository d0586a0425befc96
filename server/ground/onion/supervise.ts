import { setTimeout as wait } from 'node:timers/promises'
import type { Say } from './say.ts'

/** What lived so long begins at the first pause again. */
const STEADY_MS = 60_000

export interface Stoppable {
  /** Resolves with the reason, in words. */
  ended: Promise<string>
  stop(): Promise<void>
}

interface Options {
  /** The first pause and the longest; each is twice the one before. */
  againMs: readonly [number, number]
  /** True if it has worked since it began. */
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
      // Said only now, so that a server which ends together with its tor says nothing.
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
      await working
    },
  }
}
