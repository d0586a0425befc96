import type { Message } from '../../contract/messages.ts'
import { type Marks, statusOf } from './status.ts'
import type { MessageRow } from './store.ts'

/** Converts a message's row to the contract's shape. Its status comes from the marks of the members other than the sender. */
export function shownMessage(row: MessageRow, members: ({ userId: string } & Marks)[]): Message {
  const readers = members.filter(({ userId }) => userId !== row.senderId)
  return { ...row, createdAt: row.createdAt.toISOString(), deliveryStatus: statusOf(row.seq, readers) }
}
