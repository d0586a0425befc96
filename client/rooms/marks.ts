import { messagesApi } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { changeRoom } from './list.ts'
import { markOf, type Room } from './room.ts'

/** Newest seqs reported to the server as delivered and as read, by room id. */
const delivered = new Map<string, number>()
const read = new Map<string, number>()

export function forgetMarks(): void {
  delivered.clear()
  read.clear()
}

/** Reports once to the server up to which seq this device has stored a room. */
export async function markDelivered(env: Env, { id: chatRoomId }: Room, seq: number): Promise<void> {
  if ((delivered.get(chatRoomId) ?? 0) >= seq) return
  await tell(delivered, chatRoomId, seq, () => env.api(messagesApi.markDelivered, { chatRoomId, seq }))
}

/** Reports once to the server up to which seq a room was read. Sets the unread count of its row to zero at once. */
export async function markRead(env: Env, room: Room, seq: number): Promise<void> {
  const { id: chatRoomId, ownId } = room
  if (seq <= Math.max(markOf(room, ownId).readSeq, read.get(chatRoomId) ?? 0)) return
  changeRoom(chatRoomId, () => ({ unreadCount: 0, hasUnreadNotifications: false }))
  await tell(read, chatRoomId, seq, () => env.api(messagesApi.markRead, { chatRoomId, seq }))
}

/** Posts a mark. After a failure the next call posts again. */
async function tell(marks: Map<string, number>, chatRoomId: string, seq: number, post: () => Promise<unknown>): Promise<void> {
  marks.set(chatRoomId, seq)
  try {
    await post()
  } catch (error) {
    marks.delete(chatRoomId)
    throw error
  }
}
