/** Collects the people for whom something has come, so that a burst is looked up once and told once. */
export interface PushQueue {
  /** Notes people who may have to be woken. It waits for nothing, and what is lost with this process the next job finds. */
  note(userIds: readonly string[]): void
  /** From now on calls `tell` with those who were noted. */
  start(tell: (userIds: string[]) => Promise<void>): void
  /** Starts nothing more and waits for what is under way. */
  stop(): Promise<void>
}

/** From the first message of a burst to its push. */
const DELAY_MS = 2000
/** People who wait. Beyond this number the job finds them. */
const WAITING_MAX = 10_000

export function makePushQueue(delayMs: number = DELAY_MS): PushQueue {
  const waiting = new Set<string>()
  let tell: ((userIds: string[]) => Promise<void>) | undefined
  let timer: NodeJS.Timeout | undefined
  const underWay = new Set<Promise<void>>()

  function flush(): void {
    timer = undefined
    const userIds = [...waiting]
    waiting.clear()
    // Not one after another: the next people do not wait for a push service that hangs.
    const work: Promise<void> = (tell?.(userIds) ?? Promise.resolve()).finally(() => underWay.delete(work))
    underWay.add(work)
  }

  return {
    note(userIds) {
      if (!tell) return
      for (const userId of userIds) if (waiting.size < WAITING_MAX) waiting.add(userId)
      if (waiting.size > 0) timer ??= setTimeout(flush, delayMs)
    },
    start(given) {
      tell = given
    },
    async stop() {
      tell = undefined
      waiting.clear()
      clearTimeout(timer)
      await Promise.all(underWay)
    },
  }
}
