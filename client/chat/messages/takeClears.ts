import type { Env } from '../../env.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import { showNewest } from './messageWindow.ts'
import { viewOf } from './store.ts'

/** Deletes here what other browsers of the account have cleared. */
export async function takeClears(env: Env): Promise<void> {
  const { rooms } = roomsStore.getState()
  const shown = [...rooms.values()]
    .filter(({ clearedSeq }) => clearedSeq > 0)
    .map(({ id, clearedSeq }) => [id, clearedSeq] as const)
  if (shown.length === 0) return
  for (const id of await env.crypto.applyClears(Object.fromEntries(shown))) {
    const room = rooms.get(id)
    if (room) await showCleared(env, room)
  }
}

export async function showCleared(env: Env, room: RoomRow): Promise<void> {
  await Promise.all([viewOf(room) && showNewest(env, room), refreshPreview(env, room)])
}
