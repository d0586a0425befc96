import { isArchived, isDeleted, isMarkedUnread } from '../../rooms/list/marks.ts'
import { isRequest } from '../../rooms/list/room.ts'
import type { Marks } from '../../worker/crypto.ts'
import type { ListRow } from './VirtualRows.tsx'

export type Filter = 'all' | 'unread' | 'verified' | 'archived'

const isUnread = ({ room }: ListRow, marks: Marks): boolean => room.unreadCount > 0 || isMarkedUnread(room, marks)

/** `openRoomId` stays among the unread ones until it is left. */
export function passes(row: ListRow, filter: Filter, { marks, openRoomId }: { marks: Marks; openRoomId: string | undefined }) {
  const { room, direct } = row
  if (isDeleted(room, marks) && room.id !== openRoomId) return false
  if (filter === 'archived') return isArchived(room, marks)
  if (isArchived(room, marks)) return false
  if (filter === 'unread') return !isRequest(room) && (isUnread(row, marks) || room.id === openRoomId)
  return filter === 'all' || (direct?.person.isVerified === true && !direct.person.mismatch)
}
