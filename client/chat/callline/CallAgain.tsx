import { useStore } from 'zustand'
import type { CallType } from '../../../contract/chat/calllimits.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { askCall } from './askCall.ts'
import { useCallStop } from './useCallStop.tsx'

interface Props {
  chatRoomId: string
  callType: CallType
  words: string
}

export function CallAgain({ chatRoomId, callType, words }: Props) {
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  return chat && <Again {...{ chat, callType, words }} />
}

function Again({ chat, callType, words }: { chat: NonNullable<ReturnType<typeof useDirectChat>> } & Omit<Props, 'chatRoomId'>) {
  const stop = useCallStop(chat)
  if (stop.isAbsent) return null
  return (
    <button
      type="button"
      className="btn compact outline"
      aria-label={stop.why ? `${words}. ${stop.why}` : undefined}
      disabled={stop.why !== undefined}
      onClick={() => askCall(chat.room, callType)}
    >
      {words}
    </button>
  )
}
