import type { Env } from '../../env.ts'
import { CryptoFailure, isClosed } from '../../worker/crypto.ts'

/** Indexing starts after QUIET_MS without new messages, and after LATEST_MS at the latest. */
const QUIET_MS = 3000
const LATEST_MS = 30_000
/** A pause between two steps, for other work of the page. */
const PAUSE_MS = 20

/**
 * Indexes messages in the background, so that the first search is fast. Call `soon` after new messages. `report` receives the
 * failures.
 */
export function keepIndexed(env: Env, chatRoomIds: () => string[], report: (work: Promise<void>) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let askedAt: number | undefined
  let isStopped = false
  let isRunning = false

  async function run(): Promise<void> {
    askedAt = undefined
    if (isRunning) return
    isRunning = true
    try {
      while (!isStopped && !(await env.crypto.indexRooms({ chatRoomIds: chatRoomIds() }))) await pause()
    } catch (error) {
      if (error instanceof CryptoFailure && error.code === 'not_loaded') {
        // Without a connection the search's code could not be loaded. Messages wait in the vault meanwhile.
        if (!isStopped) timer = setTimeout(() => report(run()), LATEST_MS)
        return
      }
      // The account was closed meanwhile, so there is nothing left to index.
      if (!isClosed(error)) throw error
    } finally {
      isRunning = false
    }
  }

  return {
    soon() {
      if (isStopped) return
      const now = env.clock().getTime()
      askedAt ??= now
      clearTimeout(timer)
      timer = setTimeout(() => report(run()), Math.max(0, Math.min(QUIET_MS, askedAt + LATEST_MS - now)))
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
