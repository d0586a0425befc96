import { useEffect } from 'react'
import { ApiError } from '../net/api.ts'
import type { RoomRow } from '../rooms/list.ts'
import { useEnv } from '../ui/env.tsx'
import { useLatest } from '../ui/useLatest.tsx'
import { markSeen } from './seen.ts'
import type { RoomView } from './store.ts'

/** Offline, or the session ended: both show elsewhere, and the mark is sent at the next occasion. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Tells that a room on screen was seen: only while the page is visible and has the focus. */
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
