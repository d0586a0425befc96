import { useEffect } from 'react'
import { ApiError } from '../net/api.ts'
import { useEnv } from '../ui/env.tsx'
import { markSeen } from './messages.ts'
import type { RoomView } from './store.ts'

/** Offline, or the session ended: both show elsewhere, and the next look tells again. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Tells that the open chat was seen: only while the page is visible and has the focus. */
export function useSeen(view: RoomView | undefined, unreadCount: number): void {
  const env = useEnv()
  const newest = view?.status === 'ready' ? view.messages.findLast((message) => !message.isMine)?.id : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counter may grow after the message is shown
  useEffect(() => {
    if (!newest) return
    const look = () => {
      if (document.visibilityState === 'visible' && document.hasFocus()) markSeen(env).catch(unlessRefused)
    }
    look()
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [env, newest, unreadCount])
}
