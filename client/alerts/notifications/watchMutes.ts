import { MUTED_FOR_GOOD } from '../../../contract/chat/notifications.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { changeRoom, roomsStore } from '../../rooms/list/roomList.ts'

/** Ends each mute in the list when its time is over, by the server's clock. Returns how to stop. */
export function watchMutes({ clock }: Env): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  function look(): void {
    clearTimeout(timer)
    const nowMs = clock().getTime() + connectionStore.getState().clockOffsetMs
    let nextMs = Number.POSITIVE_INFINITY
    for (const { id, mutedUntil } of roomsStore.getState().rooms.values()) {
      if (mutedUntil === null || mutedUntil === MUTED_FOR_GOOD) continue
      const leftMs = Date.parse(mutedUntil) - nowMs
      // The change leads here again, for the others.
      if (leftMs <= 0) {
        changeRoom(id, () => ({ mutedUntil: null }))
        return
      }
      nextMs = Math.min(nextMs, leftMs)
    }
    if (nextMs < Number.POSITIVE_INFINITY) timer = setTimeout(look, nextMs)
  }
  const off = roomsStore.subscribe(look)
  look()
  return () => {
    off()
    clearTimeout(timer)
  }
}
