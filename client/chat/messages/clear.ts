import { contactsApi } from '../../../contract/chat/contacts.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { renewEpoch } from '../../rooms/log/readyRoom.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { showCleared } from './takeClears.ts'

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
