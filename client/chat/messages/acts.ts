import type { Act } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { refreshRoom } from './messageWindow.ts'
import type { SendOutcome } from './outbox.ts'
import { flush } from './send.ts'

/** Keeps what is done to a message, shows it, and sends it. Throws CryptoFailure('queue_full'). */
export async function sendAct(env: Env, room: Room, act: Act, onKept?: () => void): Promise<SendOutcome> {
  const message = {
    id: crypto.randomUUID(),
    chatRoomId: room.id,
    content: act,
    replyToId: null,
    sentAt: env.clock().toISOString(),
  }
  await env.crypto.keepInOutbox(message)
  onKept?.()
  await refreshRoom(env, room)
  return flush(env, room)
}
