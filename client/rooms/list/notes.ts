import { roomsApi } from '../../../contract/chat/rooms.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { fetchRooms } from './loadRooms.ts'
import { isNotes } from './room.ts'
import { type RoomRow, roomById, roomsStore } from './roomList.ts'

export const notesRoom = (): RoomRow | undefined => [...roomsStore.getState().rooms.values()].find(isNotes)

export const isEmptyNotes = (room: RoomRow): boolean => isNotes(room) && !room.lastMessage && !room.preview

/** Makes the room once, and trusts no answer. Throws ApiError. */
export async function openNotes(env: Env): Promise<string> {
  const chatRoomId = notesRoomId(await env.crypto.ownId())
  if (roomById(chatRoomId)) return chatRoomId
  await env.api(roomsApi.openNotes, {})
  await fetchRooms(env, [chatRoomId])
  return chatRoomId
}
