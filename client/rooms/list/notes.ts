import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { fetchRooms } from './loadRooms.ts'
import { isNotes } from './room.ts'
import { type RoomRow, roomById, roomsStore } from './roomList.ts'

export const notesRoom = (): RoomRow | undefined => [...roomsStore.getState().rooms.values()].find(isNotes)

/** Marks alone make no chat of it. */
export const isEmptyNotes = (room: RoomRow): boolean => isNotes(room) && !room.lastMessage && !room.preview

/** Makes the room once. Throws ApiError. */
export async function openNotes(env: Env): Promise<string> {
  const known = notesRoom()
  if (known) return known.id
  const { chatRoomId } = await env.api(roomsApi.openNotes, {})
  if (!roomById(chatRoomId)) await fetchRooms(env, [chatRoomId])
  return chatRoomId
}
