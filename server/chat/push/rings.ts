/** What this process knows of a call that rings browsers. */
export interface Rung {
  /** Hashes (hex) of the subscriptions that were told. */
  told: Set<string>
  /** Decided at its first ring. */
  isAllowed: boolean | undefined
  isOver: boolean
}

/** Rings go out at once, and whoever makes them waits for nothing. */
export interface Rings {
  start(report: (error: unknown) => void): void
  /** Does it after what was begun of the same call. */
  begin(callId: string, work: (rung: Rung) => Promise<void>): void
  /** The last work of a call: no other begins, and the ring that has not left stays. */
  end(callId: string, work: (rung: Rung) => Promise<void>): void
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>
}

/** A call that rings longer than any is forgotten. */
const KEPT_MS = 5 * 60_000
/** Beyond it the oldest is forgotten. */
const KEPT_MAX = 10_000

export function makeRings(clock: () => Date): Rings {
  const calls = new Map<string, { rung: Rung; work: Promise<void>; since: number }>()
  const underWay = new Set<Promise<void>>()
  let report: ((error: unknown) => void) | undefined

  function callOf(callId: string) {
    const now = clock().getTime()
    for (const [id, { since }] of calls) {
      if (now - since < KEPT_MS && calls.size <= KEPT_MAX) break
      calls.delete(id)
    }
    const made = { rung: { told: new Set<string>(), isAllowed: undefined, isOver: false }, work: Promise.resolve(), since: now }
    const call = calls.get(callId) ?? made
    calls.set(callId, call)
    return call
  }

  function begin(callId: string, work: (rung: Rung) => Promise<void>, isLast: boolean): void {
    const tell = report
    if (!tell) return
    const call = callOf(callId)
    if (call.rung.isOver) return
    call.rung.isOver = isLast
    const done: Promise<void> = call.work
      .then(() => work(call.rung))
      .catch(tell)
      .finally(() => underWay.delete(done))
    call.work = done
    underWay.add(done)
  }

  return {
    start(given) {
      report = given
    },
    begin: (callId, work) => begin(callId, work, false),
    end: (callId, work) => begin(callId, work, true),
    async stop() {
      report = undefined
      await Promise.all(underWay)
    },
  }
}
