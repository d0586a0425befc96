import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { hideRoom, showRoom } from '../chat/messages/messages.ts'
import { isMarkedDeleted, marksStore } from '../rooms/list/marks.ts'
import { isShutRow, type RoomRow } from '../rooms/list/roomList.ts'
import { isOtherState } from '../rooms/log/otherState.ts'
import { lostBookStore } from '../rooms/trust/book.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'

/** Loads the room's messages, and hides them when another one is opened. Returns how to try again. */
export function useShownRoom(room: RoomRow): () => void {
  const env = useEnv()
  const latest = useLatest(room)
  const [attempt, setAttempt] = useState(0)
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room, another attempt or a book shows it; news of the room does not
  useEffect(() => {
    showRoom(env, latest.current).catch((error) => {
      // The page or the chat says these itself, and asks.
      if (!lostBookStore.getState().isLost && !isOtherState(error))
        showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
    })
    return hideRoom
  }, [env, room.id, attempt, isBookLost, isShutRow(room)])
  const areMarksLoaded = useStore(marksStore, ({ isLoaded }) => isLoaded)
  // biome-ignore lint/correctness/useExhaustiveDependencies: to open a deleted chat brings it back for good, and to delete the open one does not
  useEffect(() => {
    if (!areMarksLoaded || !isMarkedDeleted(latest.current, marksStore.getState().marks)) return
    import('../chat/messages/deleteChat.ts').then(({ bringBack }) => bringBack(env, latest.current)).catch(() => undefined)
  }, [env, room.id, areMarksLoaded])
  return () => setAttempt(attempt + 1)
}
