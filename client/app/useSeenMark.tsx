import { useEffect } from 'react'
import { isMarkedUnread, marksStore } from '../rooms/list/marks.ts'
import { roomById } from '../rooms/list/roomList.ts'
import { useEnv } from '../ui/env.tsx'

/** Ends the mark of an opened chat. */
export function useSeenMark(openRoomId: string | undefined): void {
  const env = useEnv()
  useEffect(() => {
    const room = openRoomId === undefined ? undefined : roomById(openRoomId)
    if (!room || !isMarkedUnread(room, marksStore.getState().marks)) return
    import('../chat/messages/setMark.ts').then(({ setMark }) => setMark(env, room, 'unread', false)).catch(() => undefined)
  }, [env, openRoomId])
}
