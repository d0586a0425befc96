import { flushAll } from '../chat/messages/send.ts'
import type { Env } from '../env.ts'
import { refusedWords } from '../me/buildcheck/buildcheck.ts'
import { connectionStore } from '../net/status.ts'
import { hasVoices } from '../rooms/list/voicedrafts.ts'
import { inTime, takeNewest } from './offline.ts'

/** In ms. sessionStorage survives the reload. */
const RELOADED_AT = 'conclave.reloadedAt'
/** A page that stays older than the server would reload forever. */
const RELOAD_EVERY_MS = 10 * 60_000

/** Loads the newer page, or says why not: it has just done so, a recording would be lost, or the server's version is not trusted. */
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
    // The same page would start again.
    env.socket.close()
    connectionStore.setState({ phase: 'waiting', pause: 'refused_version' })
    return
  }
  sessionStorage.setItem(RELOADED_AT, String(now))
  location.reload()
}
