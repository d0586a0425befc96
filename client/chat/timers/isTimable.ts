import { isAwaited, isBlocked, isFollowed, isNotes } from '../../rooms/list/room.ts'
import { isShutRow, type RoomRow } from '../../rooms/list/roomList.ts'

/** True for a chat whose timer the server would take: both have accepted it. */
export const isTimable = (room: RoomRow): boolean =>
  isFollowed(room) && !isNotes(room) && !room.isClosed && !isBlocked(room) && !isAwaited(room) && !isShutRow(room)
