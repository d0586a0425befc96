import type { Env } from '../../env.ts'
import { markRead, readSeqOf } from '../../rooms/list/readMarks.ts'
import { isFollowed, type Room } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { isLookedAt } from '../../ui/focus.ts'
import { viewOf } from './store.ts'
import { isLine } from './timelineLines.ts'

/** Marks up to `seq`, or all shown messages, only on screen and with the page's focus. */
export async function markSeen(env: Env, room: Room, seq?: number): Promise<void> {
  const view = viewOf(room)
  if (!view || view.isOpening || !isFollowed(room) || !isLookedAt()) return
  const last = seq ?? view.messages.findLast((message) => message.seq !== null)?.seq ?? 0
  const before = readSeqOf(room)
  const passed = view.messages.filter(
    (message) => !message.isMine && !isLine(message) && message.seq !== null && message.seq > before && message.seq <= last,
  )
  // Sending raises the own marks already.
  if (passed.length === 0 && !roomById(room.id)?.unreadCount) return
  await markRead(env, room, last, passed.length)
}
