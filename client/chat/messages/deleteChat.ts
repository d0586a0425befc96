import type { Env } from '../../env.ts'
import type { DirectRow, RoomRow } from '../../rooms/list/roomList.ts'
import { clearChat } from './clear.ts'
import { keepMarks } from './setMark.ts'

/** Clears the chat and takes it off the list, in all own browsers. Throws ApiError, CryptoFailure('queue_full'). */
export async function deleteChat(env: Env, room: DirectRow, onCleared: () => void): Promise<void> {
  await clearChat(env, room)
  onCleared()
  await markDeleted(env, room, true)
}

/** Puts a deleted chat back on the list. */
export const bringBack = (env: Env, room: RoomRow): Promise<void> => markDeleted(env, room, false)

const markDeleted = (env: Env, room: RoomRow, on: boolean): Promise<void> =>
  keepMarks(env, [{ type: 'delete_chat', room: room.id, on, at: room.lastSeq }])
