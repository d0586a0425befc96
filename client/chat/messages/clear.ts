import { contactsApi } from '../../../contract/chat/contacts.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { type DirectRow, type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import { renewEpoch } from '../../rooms/log/readyRoom.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { showNewest } from './messageWindow.ts'
import { viewOf } from './store.ts'

/**
 * Clears up to this page's newest message: on the server, here, and by the book elsewhere. Throws ApiError; then nothing is
 * cleared.
 */
export async function clearChat(env: Env, room: DirectRow): Promise<void> {
  const { clearedSeq } = await env.api(contactsApi.clearChat, { contactId: room.direct.contactId, upTo: room.lastSeq })
  await env.crypto.clearRoom({ chatRoomId: room.id, clearedSeq })
  await showCleared(env, room)
  await saveBook(env).catch((error: unknown) => {
    // The next sync saves the book.
    if (!(error instanceof ApiError)) throw error
  })
  await fetchRooms(env, [room.id])
  if (room.hasPages) await renewEpoch(env, room)
}

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

async function showCleared(env: Env, room: RoomRow): Promise<void> {
  await Promise.all([viewOf(room) && showNewest(env, room), refreshPreview(env, room)])
}
