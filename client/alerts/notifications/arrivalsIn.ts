import { isNews, isShutRow, type RoomRow, type RoomsState } from '../../rooms/list/roomList.ts'

/**
 * The rooms in which something has come that is news: whatever brought it, a frame or the replay after a break. The first reading of
 * the list brings none, because it is no change.
 */
export function arrivalsIn(before: RoomsState, now: RoomsState): RoomRow[] {
  if (before.status !== 'ready' || before.session !== now.session || before.rooms === now.rooms) return []
  return [...now.rooms.values()].filter((row) => {
    const old = before.rooms.get(row.id)
    if (!old || old === row || !isNews(row)) return false
    // A locked chat has only a count.
    if (isShutRow(row)) return isShutRow(old) && row.unreadCount > old.unreadCount
    if (!row.lastMessage) return false
    return row.lastMessage.senderId !== row.ownId && row.lastMessage.seq > (old.lastMessage?.seq ?? 0)
  })
}
