import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { jumpToMessage } from '../messages/messages.ts'
import { useShowChat } from '../messages/useShowChat.tsx'

/** Leads to a message: its chat is shown there, and what lies over it goes. */
export function useJump(room: RoomRow, onLeave: () => void): (seq: number) => void {
  const env = useEnv()
  const showChat = useShowChat(onLeave)
  return (seq) => {
    showChat(room.id)
    jumpToMessage(env, room, seq).catch((error: unknown) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
  }
}
