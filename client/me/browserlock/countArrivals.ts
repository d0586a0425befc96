import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { isClosed } from '../../worker/crypto.ts'
import { isAway } from '../account/account.ts'
import { tellLocked } from './tellLocked.ts'

interface Shows {
  unread: (count: number) => void
  /** Told after each question whether the server can be reached. */
  reached: (isReached: boolean) => void
}

/** Puts the session to sleep as soon as the server can be reached, and shows its unread count. Returns how to stop. */
export function countArrivals(env: Env, shows: Shows): () => void {
  let isTold = false
  const ask = async () => {
    isTold ||= await tellLocked(env)
    return await env.api(notificationsApi.unreadCount, {})
  }
  const count = () =>
    void ask().then(
      (answer) => {
        shows.reached(true)
        shows.unread(answer.count)
      },
      (error: unknown) => {
        // Keep the last count. The server sends none to a session that no device has ever signed for [Note: D4].
        if (error instanceof ApiError) shows.reached(!isAway(error))
        else if (!isClosed(error)) throw error
      },
    )
  const isSeen = () => document.visibilityState === 'visible'
  const onVisible = () => void (isSeen() && count())
  document.addEventListener('visibilitychange', onVisible)
  const poll = setInterval(() => (isTold && !isSeen()) || count(), PERIODS.lockedPollMs)
  count()
  return () => {
    document.removeEventListener('visibilitychange', onVisible)
    clearInterval(poll)
  }
}
