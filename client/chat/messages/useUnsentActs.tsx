import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { sendAndReport } from './sendOutcome.ts'
import { messagesStore } from './store.ts'
import { cancelUnsent, deleteUnsent, retryMessage } from './unsentMessage.ts'

export function useUnsentActs(onUpgrade: () => void) {
  const env = useEnv()
  const inRoom = (title: string, act: (room: RoomRow, id: string) => Promise<unknown>) => (id: string) => {
    const room = roomById(messagesStore.getState().open?.chatRoomId ?? '')
    if (room) act(room, id).catch((error: unknown) => showToast({ tone: 'bad', title, text: failureWords(error) }))
  }
  return {
    retry: inRoom('Not sent', (room, id) => sendAndReport(() => retryMessage(env, room, id), onUpgrade)),
    cancel: inRoom('Not cancelled', (room, id) => cancelUnsent(env, room, id)),
    remove: inRoom('Not deleted', (room, id) => deleteUnsent(env, room, id)),
  }
}
