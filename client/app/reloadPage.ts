import { flushAll } from '../chat/messages/send.ts'
import type { Env } from '../env.ts'
import { refusedWords } from '../me/buildcheck/buildcheck.ts'
import { connectionStore } from '../net/status.ts'
import { hasVoices } from '../rooms/list/voicedrafts.ts'
import { inTime, takeNewest } from './offline.ts'

/** Storage key of the time when this tab last reloaded itself, in ms. sessionStorage survives the reload. */
const RELOADED_AT = 'conclave.reloadedAt'
/** Minimum time between two reloads: without it a page that stays older than the server would reload forever. */
const RELOAD_EVERY_MS = 10 * 60_000

/**
 * Reloads a page that is older than the server, once what waits has had its time to go out. Shows only a notice if it has reloaded recently, if a
 * recording would be lost, or if the server's version may not be started.
 */
export async function reloadPage(env: Env): Promise<void> {
  const now = env.clock().getTime()
  const sinceMs = now - Number(sessionStorage.getItem(RELOADED_AT) ?? Number.NEGATIVE_INFINITY)
  if ((sinceMs >= 0 && sinceMs < RELOAD_EVERY_MS) || hasVoices()) {
    env.socket.close()
    connectionStore.setState({ phase: 'waiting', pause: 'other_version' })
    return
  }
  // What does not go out now waits in the vault.
  const [offered] = await Promise.all([takeNewest(), inTime(flushAll(env))])
  if (refusedWords(offered)) {
    // Loaded anew it would be the same page: its browser starts no version that it does not trust.
    env.socket.close()
    connectionStore.setState({ phase: 'waiting', pause: 'refused_version' })
    return
  }
  sessionStorage.setItem(RELOADED_AT, String(now))
  location.reload()
}
