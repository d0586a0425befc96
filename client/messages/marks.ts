import { messagesApi } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { type ContactRow, changeRow } from '../rooms/rows.ts'

/** How far the server was told that this device keeps a room, and that it was read. */
const delivered = new Map<string, number>()
const read = new Map<string, number>()

export function forgetMarks(): void {
  delivered.clear()
  read.clear()
}

/** Tells once how far this device keeps a room. */
export async function tellDelivered(env: Env, chatRoomId: string, seq: number): Promise<void> {
  if ((delivered.get(chatRoomId) ?? 0) >= seq) return
  await tell(delivered, chatRoomId, seq, () => env.api(messagesApi.markDelivered, { chatRoomId, seq }))
}

/** Tells once how far a room was read. The row says so at once. */
export async function tellRead(env: Env, contact: ContactRow, seq: number): Promise<void> {
  const { chatRoomId } = contact
  if (seq <= Math.max(contact.readSeq, read.get(chatRoomId) ?? 0)) return
  changeRow(
    ({ id }) => id === contact.id,
    () => ({ unreadCount: 0, hasUnreadNotifications: false }),
  )
  await tell(read, chatRoomId, seq, () => env.api(messagesApi.markRead, { chatRoomId, seq }))
}

/** A mark that did not arrive is told again at the next occasion. */
async function tell(marks: Map<string, number>, chatRoomId: string, seq: number, post: () => Promise<unknown>): Promise<void> {
  marks.set(chatRoomId, seq)
  try {
    await post()
  } catch (error) {
    marks.delete(chatRoomId)
    throw error
  }
}
