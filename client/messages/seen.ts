import type { Env } from '../env.ts'
import { markRead } from '../rooms/marks.ts'
import type { Room } from '../rooms/room.ts'
import { isLookedAt } from '../ui/focus.ts'
import { viewOf } from './store.ts'

/** Marks the shown messages of a room as read, if it is on screen and the page has the focus. */
export async function markSeen(env: Env, room: Room): Promise<void> {
  const view = viewOf(room)
  if (!view || view.hasNewer || room.state === 'pending' || !isLookedAt()) return
  await markRead(env, room, view.messages.findLast(({ seq }) => seq !== null)?.seq ?? 0)
}
