import { hasRight } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { ownPrivacy } from '../../me/privacy/privacy.ts'
import { isAwaited, isBlocked, isNotes, isRequest } from '../../rooms/list/room.ts'
import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { refreshRoom } from './messageWindow.ts'
import { keyOf } from './selection.ts'
import { flush } from './send.ts'
import type { ShownMessage } from './store.ts'

/** To play it again while the first word of it is on its way says nothing new. */
const told = new Set<string>()

/** Returns false for who hides read marks or may not send. An act in a request would accept it. */
function mayTell(room: RoomRow): boolean {
  const { user } = accountStore.getState()
  const isTalk = !room.isClosed && !isNotes(room) && !isRequest(room) && !isAwaited(room) && !isBlocked(room)
  return isTalk && ownPrivacy().receipts && user !== null && hasRight(user.subscriptionTier, 'send')
}

/** Tells the sender, and the own browsers, that a voice message was listened to. What the server refuses is not sent later. */
export async function tellListened(env: Env, chatRoomId: string, message: ShownMessage): Promise<void> {
  const room = roomById(chatRoomId)
  const { isMine, senderId, seq, listened } = message
  if (!room || isMine || listened || senderId === undefined || seq === null || told.has(keyOf(message)) || !mayTell(room)) return
  told.add(keyOf(message))
  const id = crypto.randomUUID()
  const content = { type: 'listened' as const, target: { senderId, id: message.id } }
  await env.crypto.keepInOutbox({ id, chatRoomId, content, replyToId: null, sentAt: env.clock().toISOString() })
  await refreshRoom(env, room)
  const { outcome } = await flush(env, room)
  const left = (await env.crypto.outbox(chatRoomId)).find((row) => row.id === id)
  if (left && (left.failure !== null || outcome !== 'kept')) await env.crypto.dropFromOutbox({ chatRoomId, id })
}
