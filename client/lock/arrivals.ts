import { PERIODS } from '../../contract/limits.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import { closeAccount } from '../account/account.ts'
import { isClosed } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'

/**
 * Counts what waits unread while this page is locked: by the server's number, without opening anything. Closes the account where the
 * session ends meanwhile. Returns how to stop.
 */
export function countArrivals(env: Env, show: (unread: number) => void): () => void {
  const count = () =>
    void env.api(notificationsApi.unreadCount, {}).then(
      (answer) => show(answer.count),
      (error: unknown) => {
        // The count that was shown stays. A session that no device has proven learns it once the vault is open [Note: D4].
        if (!(error instanceof ApiError) && !isClosed(error)) throw error
      },
    )
  const offs = [
    env.socket.on('hello', count),
    env.socket.on('message', count),
    env.socket.on('signed_out', () => void closeAccount(env, 'You were signed out.')),
  ]
  const poll = setInterval(() => connectionStore.getState().phase === 'open' || count(), PERIODS.unreadPollMs)
  count()
  env.socket.open()
  return () => {
    for (const off of offs) off()
    clearInterval(poll)
  }
}
