import { messagesApi } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { changeRoom } from './list.ts'
import { markOf, type Room } from './room.ts'

/** By room: how far the server was told that this device keeps it, and that it was read. */
const delivered = new Map<string, number>()
const read = new Map<string, number>()

export function forgetMarks(): void {
  delivered.clear()
  read.clear()
}

/** Tells the server once how far this device keeps a room. */
export async function markDelivered(env: Env, { id: chatRoomId }: Room, seq: number): Promise<void> {
  if ((delivered.get(chatRoomId) ?? 0) >= seq) return
  await tell(delivered, chatRoomId, seq, () => env.api(messagesApi.markDelivered, { chatRoomId, seq }))
}

/** Tells the server once how far a room was read. Its row shows nothing unread at once. */
export async function markRead(env: Env, room: Room, seq: number): Promise<void> {
  const { id: chatRoomId, ownId } = room
  if (seq <= Math.max(markOf(room, ownId).readSeq, read.get(chatRoomId) ?? 0)) return
  changeRoom(chatRoomId, () => ({ unreadCount: 0, hasUnreadNotifications: false }))
  await tell(read, chatRoomId, seq, () => env.api(messagesApi.markRead, { chatRoomId, seq }))
}

/** A mark that did not reach the server is sent again with the next one. */
async function tell(marks: Map<string, number>, chatRoomId: string, seq: number, post: () => Promise<unknown>): Promise<void> {
  marks.set(chatRoomId, seq)
  try {
    await post()
  } catch (error) {
    marks.delete(chatRoomId)
    throw error
  }
}
