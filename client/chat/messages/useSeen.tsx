import { useEffect, useRef } from 'react'
import { ApiError } from '../../net/api.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { whenPainted } from '../../ui/painted.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { markSeen } from './markSeen.ts'
import type { RoomView } from './store.ts'

const PAUSE_MS = 300

/** Other parts of the screen show ApiErrors, and the next look retries. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

/** Marks only while the page is visible and focused. Returns the scroll handler. */
export function useSeen(room: RoomRow, view: RoomView, lastShown: () => number): () => void {
  const env = useEnv()
  const latest = useLatest({ room, lastShown })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const newest = view.messages.findLast((message) => !message.isMine)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counter may grow after the message is shown
  useEffect(() => {
    const look = () => void markSeen(env, latest.current.room, latest.current.lastShown()).catch(unlessRefused)
    // The new lines have a layout then.
    const cancel = whenPainted(look)
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      cancel()
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [env, latest, newest, view.isOpening, view.isAtEnd, room.unreadCount])
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void markSeen(env, latest.current.room, latest.current.lastShown()).catch(unlessRefused)
    }, PAUSE_MS)
  }
}
