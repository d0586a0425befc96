import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { jumpToMessage } from './messages.ts'

/** Bounds what one press may fetch. */
const PAGES_MAX = 100

/** Shows a quoted message, and fetches older ones until it is here. Says why where it cannot. */
export async function showQuoted(env: Env, room: Room, quote: Quote): Promise<void> {
  try {
    if (await isReached(env, room, quote)) return
    showToast({ tone: 'plain', title: 'Not found', text: 'This chat has no such message here.' })
  } catch (error) {
    showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
  }
}

async function isReached(env: Env, room: Room, { senderId, id }: Quote): Promise<boolean> {
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
