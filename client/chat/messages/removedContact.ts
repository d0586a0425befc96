import { isCounted } from '../../../contract/chat/kinds/kinds.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'

/** Lists those of these chats whose contact another tab has added, and stops what waits in the others. */
export async function stopRemoved(env: Env, chatRoomIds: string[]): Promise<void> {
  const outboxes = await Promise.all(chatRoomIds.map((id) => env.crypto.outbox(id)))
  const rows = outboxes.flat().filter(({ failure, content }) => failure === null && content)
  if (rows.length === 0) return
  try {
    // A question that names the chats would tell the server where words wait.
    await refreshRooms(env)
  } catch (error) {
    // The next flush asks again.
    if (error instanceof ApiError) return
    throw error
  }
  const stopped = rows.filter(({ chatRoomId }) => !roomById(chatRoomId))
  // The server may have it: its answer may have been lost.
  for (const { chatRoomId, id } of stopped)
    await env.crypto.changeOutbox({ chatRoomId, id, failure: 'You have removed this contact', unseal: true })
  const counted = stopped.filter(({ content }) => content && isCounted(content))
  for (const chatRoomId of new Set(counted.map((row) => row.chatRoomId))) {
    const count = counted.filter((row) => row.chatRoomId === chatRoomId).length
    const what = count === 1 ? 'A message waits' : `${count} messages wait`
    const text = `${what} for a contact whom you have removed. The words stay in that chat, where you find them if you add the contact again.`
    showToast({ tone: 'bad', title: 'Not sent', text, mustBeSeen: true })
  }
}
