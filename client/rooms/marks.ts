import { messagesApi } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { changeRoom } from './list.ts'
import { markOf, type Room } from './room.ts'
import { sumUnread } from './updates.ts'

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

/** The seq up to which the own account has read a room, as far as this page knows. */
export const readSeqOf = (room: Room): number => Math.max(markOf(room, room.ownId).readSeq, read.get(room.id) ?? 0)

/** Reports once to the server up to which seq a room was read, and counts `passed` messages as read in its row at once. */
export async function markRead(env: Env, room: Room, seq: number, passed: number): Promise<void> {
  const { id: chatRoomId } = room
  if (seq <= readSeqOf(room)) return
  changeRoom(chatRoomId, ({ lastMessage, unreadCount }) => {
    const left = seq >= (lastMessage?.seq ?? 0) ? 0 : Math.max(0, unreadCount - passed)
    return { unreadCount: left, hasUnreadNotifications: left > 0 }
  })
  sumUnread()
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
