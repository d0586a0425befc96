import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'

/** Limits requests to the server. */
const PAGES = 40

/** Returns the day's first seq or the next; undefined without such a message. A binary search keeps reads of the vault few. */
export async function seqOfDay(env: Env, room: Room, dayStart: Date): Promise<number | undefined> {
  const { id: chatRoomId } = room
  for (let page = 0; page < PAGES; page++) {
    const { messages, from } = await env.crypto.page({ chatRoomId, after: 0, limit: 1 })
    const isReached = !messages[0] || Date.parse(messages[0].at) < dayStart.getTime() || from <= 1
    if (isReached || !(await loadOlderPage(env, room, from))) break
  }
  let low = 1
  let high = ((await env.crypto.roomRecord(chatRoomId))?.cursor ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { messages } = await env.crypto.page({ chatRoomId, after: middle - 1, limit: 1 })
    const [found] = messages
    if (!found || found.seq >= high || Date.parse(found.at) >= dayStart.getTime()) high = middle
    else low = found.seq + 1
  }
  const { messages } = await env.crypto.page({ chatRoomId, after: low - 1, limit: 1 })
  return messages[0]?.seq
}
