import type { Env } from '../../env.ts'
import { start } from '../account/account.ts'

const EVERY_MS = 5000

/**
 * Starts the page again every few seconds, and when the network returns, until the server answers who is signed in. Returns how to
 * stop.
 */
export function startWhenReached(env: Env, report: (error: unknown) => void): () => void {
  let isAsking = false
  async function ask() {
    if (isAsking) return
    isAsking = true
    await start(env, report).catch(report)
    isAsking = false
  }
  const timer = setInterval(ask, EVERY_MS)
  globalThis.addEventListener('online', ask)
  return () => {
    clearInterval(timer)
    globalThis.removeEventListener('online', ask)
  }
}
