import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { markOf, type Room } from './room.ts'
import { changeRoom, type RoomRow } from './roomList.ts'

const delivered = new Map<string, number>()
const read = new Map<string, number>()

export function forgetMarks(): void {
  delivered.clear()
  read.clear()
}

export async function markDelivered(env: Env, { id: chatRoomId }: Room, seq: number): Promise<void> {
  if ((delivered.get(chatRoomId) ?? 0) >= seq) return
  await tell(delivered, chatRoomId, seq, () => env.api(messagesApi.markDelivered, { chatRoomId, seq }))
}

export const readSeqOf = (room: Room): number => Math.max(markOf(room, room.ownId).readSeq, read.get(room.id) ?? 0)

/** Reports a seq as read and subtracts `passed` from the unread count at once. */
export async function markRead(env: Env, room: Room, seq: number, passed: number): Promise<void> {
  const { id: chatRoomId } = room
  if (seq <= readSeqOf(room)) return
  changeRoom(chatRoomId, ({ lastMessage, unreadCount }) => {
    const left = seq >= (lastMessage?.seq ?? 0) ? 0 : Math.max(0, unreadCount - passed)
    return { unreadCount: left }
  })
  await tell(read, chatRoomId, seq, () => env.api(messagesApi.markRead, { chatRoomId, seq }))
}

export async function markAllRead(env: Env, rows: RoomRow[]): Promise<void> {
  const rooms = rows.flatMap(({ id: chatRoomId, lastMessage }) => (lastMessage ? [{ chatRoomId, seq: lastMessage.seq }] : []))
  for (const { chatRoomId } of rooms) changeRoom(chatRoomId, () => ({ unreadCount: 0 }))
  for (let from = 0; from < rooms.length; from += LIMITS.roomIdsMax)
    await env.api(notificationsApi.read, { rooms: rooms.slice(from, from + LIMITS.roomIdsMax) })
}

/** The next call posts again after a failure. */
async function tell(marks: Map<string, number>, chatRoomId: string, seq: number, post: () => Promise<unknown>): Promise<void> {
  marks.set(chatRoomId, seq)
  try {
    await post()
  } catch (error) {
    marks.delete(chatRoomId)
    throw error
  }
}
