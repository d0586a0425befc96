import { isCounted } from '../../../contract/chat/kinds/kinds.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'

/** Returns the room if another tab has added the contact. */
export async function stopRemoved(env: Env, chatRoomId: string): Promise<RoomRow | undefined> {
  const rows = (await env.crypto.outbox(chatRoomId)).filter(({ failure, content }) => failure === null && content)
  if (rows.length === 0) return undefined
  try {
    await fetchRooms(env, [chatRoomId])
  } catch (error) {
    // The next flush asks again.
    if (error instanceof ApiError) return undefined
    throw error
  }
  const room = roomById(chatRoomId)
  if (room) return room
  for (const { id } of rows)
    await env.crypto.changeOutbox({ chatRoomId, id, failure: 'You have removed this contact', unseal: false })
  const count = rows.filter(({ content }) => content && isCounted(content)).length
  if (count === 0) return undefined
  const what = count === 1 ? 'A message waits' : `${count} messages wait`
  const text = `${what} for a contact whom you have removed. The words stay in that chat, where you find them if you add the contact again.`
  showToast({ tone: 'bad', title: 'Not sent', text, mustBeSeen: true })
  return undefined
}
