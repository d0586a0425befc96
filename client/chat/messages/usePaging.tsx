import { useRef } from 'react'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import type { RoomView } from './store.ts'

type Load = (env: Env, room: Room) => Promise<void>

/** `page` loads one page at a time and calls `onLoaded` after each with messages. */
export function usePaging(room: Room, view: RoomView, onLoaded: () => void) {
  const env = useEnv()
  const isPaging = useRef(false)
  const shown = useLatest(view.messages)

  async function attempt(load: Load) {
    try {
      await load(env, room)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
    }
  }

  async function page(load: Load) {
    if (isPaging.current) return
    isPaging.current = true
    const before = shown.current
    await attempt(load)
    isPaging.current = false
    // No scroll event follows at the very edge.
    requestAnimationFrame(() => shown.current !== before && onLoaded())
  }

  return { attempt, page }
}
