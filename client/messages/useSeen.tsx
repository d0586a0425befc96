import { useEffect } from 'react'
import { ApiError } from '../net/api.ts'
import type { RoomRow } from '../rooms/list.ts'
import { useEnv } from '../ui/env.tsx'
import { useLatest } from '../ui/useLatest.tsx'
import { markSeen } from './seen.ts'
import type { RoomView } from './store.ts'

/** Ignores ApiErrors: other parts of the screen show that the page is offline or signed out, and the next look sends the mark again. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Marks the room on screen as read while the page is visible and has the focus. */
export function useSeen(room: RoomRow, view: RoomView | undefined): void {
  const env = useEnv()
  const latest = useLatest(room)
  const newest = view?.status === 'ready' ? view.messages.findLast((message) => !message.isMine)?.id : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counter may grow after the message is shown
  useEffect(() => {
    if (!newest) return
    const look = () => void markSeen(env, latest.current).catch(unlessRefused)
    look()
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [env, latest, newest, room.unreadCount])
}
