import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { sendAndReport } from './sendOutcome.ts'
import { messagesStore } from './store.ts'
import { cancelUnsent, deleteUnsent, retryMessage } from './unsentMessage.ts'

/** What can be done with a message of the open chat that is not sent. */
export function useUnsentActs(onUpgrade: () => void) {
  const env = useEnv()
  const inRoom = (act: (room: RoomRow, id: string) => Promise<unknown>) => (id: string) => {
    const room = roomById(messagesStore.getState().open?.chatRoomId ?? '')
    if (room) void act(room, id)
  }
  return {
    retry: inRoom((room, id) => sendAndReport(() => retryMessage(env, room, id), onUpgrade)),
    cancel: inRoom((room, id) => cancelUnsent(env, room, id)),
    remove: inRoom((room, id) => deleteUnsent(env, room, id)),
  }
}
