import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { jumpToMessage } from './messages.ts'

/** Bounds what one press may fetch. */
const PAGES_MAX = 100

/** Shows a quoted message, and fetches older ones until it is here. Returns false if this chat has no such message. */
export async function jumpToQuoted(env: Env, room: Room, { senderId, id }: Quote): Promise<boolean> {
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { from, said } = await env.crypto.quoted({ chatRoomId: room.id, senderId, id })
    if (said) {
      await jumpToMessage(env, room, said.seq)
      return true
    }
    if (!(await loadOlderPage(env, room, from))) return false
  }
  return false
}
