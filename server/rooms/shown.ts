import type { Message } from '../../contract/messages.ts'
import { type Marks, statusOf } from './status.ts'
import type { MessageRow } from './store.ts'

/** A message as the contract shows it; its status by the marks of the members who did not write it. */
export function shownMessage(row: MessageRow, members: ({ userId: string } & Marks)[]): Message {
  const readers = members.filter(({ userId }) => userId !== row.senderId)
  return { ...row, createdAt: row.createdAt.toISOString(), deliveryStatus: statusOf(row.seq, readers) }
}
