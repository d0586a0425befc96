import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { isClosed } from '../../worker/crypto.ts'
import { closeAccount, isAway } from '../account/account.ts'
import { endedWords } from '../account/endedWords.ts'

interface Shows {
  unread: (count: number) => void
  /** Told after each question whether the server can be reached. */
  reached: (isReached: boolean) => void
}

/**
 * Shows the server's unread count while this page is locked, without decrypting anything. Closes the account if the session ends.
 * Returns how to stop.
 */
export function countArrivals(env: Env, shows: Shows): () => void {
  const count = () =>
    void env.api(notificationsApi.unreadCount, {}).then(
      (answer) => {
        shows.reached(true)
        shows.unread(answer.count)
        env.socket.retry()
      },
      (error: unknown) => {
        // Keep the last count. The server sends none to an unproven session; it is proven when the vault opens [Note: D4].
        if (error instanceof ApiError) shows.reached(!isAway(error))
        else if (!isClosed(error)) throw error
      },
    )
  const offs = [
    env.socket.on('hello', count),
    env.socket.on('message', count),
    env.socket.on('signed_out', (why) => void closeAccount(env, endedWords(why))),
  ]
  const poll = setInterval(() => connectionStore.getState().phase === 'open' || count(), PERIODS.unreadPollMs)
  count()
  env.socket.open()
  return () => {
    for (const off of offs) off()
    clearInterval(poll)
  }
}
