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

/** How much later it is told of what followed by itself: at once, the server would learn that the one before was heard to its end. */
const LATER_MS = { least: 60_000, most: 300_000 }

/**
 * Tells the sender, and the own browsers, that a voice message was listened to. What the server refuses is dropped, and what followed by
 * itself is not told where the page ends first.
 */
export async function tellListened(env: Env, chatRoomId: string, message: ShownMessage, isFollower = false): Promise<void> {
  const room = roomById(chatRoomId)
  const { isMine, senderId, seq, listened } = message
  if (!room || isMine || listened || senderId === undefined || seq === null || told.has(keyOf(message)) || !mayTell(room)) return
  told.add(keyOf(message))
  if (isFollower) {
    const waitMs = LATER_MS.least + Math.random() * (LATER_MS.most - LATER_MS.least)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    const now = roomById(chatRoomId)
    // Another account may be open by now.
    if (!now || now.ownId !== room.ownId || !mayTell(now)) return void told.delete(keyOf(message))
  }
  const content = { type: 'listened' as const, target: { senderId, id: message.id } }
  await env.crypto.keepInOutbox({
    id: crypto.randomUUID(),
    chatRoomId,
    content,
    replyToId: null,
    sentAt: env.clock().toISOString(),
  })
  await refreshRoom(env, room)
  await flush(env, room)
}
