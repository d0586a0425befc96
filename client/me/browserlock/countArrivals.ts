import { notificationsApi } from '../../../contract/chat/notifications.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { keepAsking } from '../../net/pauses.ts'
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
  const count = async () => {
    try {
      isTold ||= await tellLocked(env)
      const { count: unread } = await env.api(notificationsApi.unreadCount, {})
      shows.reached(true)
      shows.unread(unread)
    } catch (error) {
      // Keep the last count. The server sends none to a session that no device has ever signed for [Note: D4].
      if (error instanceof ApiError) shows.reached(!isAway(error))
      else if (!isClosed(error)) throw error
    }
  }
  void count()
  return keepAsking(async () => {
    if (!isTold || document.visibilityState === 'visible') await count()
  }).stop
}
