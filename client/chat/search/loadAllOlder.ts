import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { Room } from '../../rooms/list/room.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { failureWords } from '../../ui/failure.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { beginOlder } from './stopOlder.ts'
import { searchStore } from './store.ts'

/** Fetches all older messages of these rooms, one room after another, so that a search covers them. `stopOlder` ends it early. */
export async function loadAllOlder(env: Env, rooms: Room[]): Promise<void> {
  const isStopped = beginOlder()
  searchStore.setState({ older: { done: 0, total: rooms.length }, olderFailure: null })
  try {
    for (const [done, room] of rooms.entries()) {
      if (isStopped()) return
      searchStore.setState({ older: { done, total: rooms.length } })
      if (await loadRoom(env, room, isStopped)) noteLoaded(room.id)
    }
    if (!isStopped()) searchStore.setState({ older: null })
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof CryptoFailure)) throw error
    if (!isStopped()) searchStore.setState({ older: null, olderFailure: failureWords(error) })
  }
}

const noteLoaded = (chatRoomId: string) =>
  searchStore.setState(({ unloaded }) => ({ unloaded: unloaded.filter((one) => one !== chatRoomId) }))

/** Fetches a room's older messages. Returns true when the whole room is in the vault. */
async function loadRoom(env: Env, room: Room, isStopped: () => boolean): Promise<boolean> {
  const start = async () => (await env.crypto.page({ chatRoomId: room.id, limit: 1 })).from
  let from = await start()
  while (from > 1 && !isStopped()) {
    await loadOlderPage(env, room, from)
    const next = await start()
    // Without this check a server that repeats a page would make an endless loop.
    if (next >= from) return false
    from = next
  }
  return from <= 1
}
