import { ACT_LIMITS } from '../../../contract/chat/kinds/fold.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import type { BegunEdit } from '../../worker/crypto.ts'
import { sendAct } from './acts.ts'
import { chooseEdit, isOwnAndSent, isWithin } from './edits.ts'
import type { SendOutcome } from './outbox.ts'
import { PENDING_FROM } from './pendingActs.ts'
import { type ShownMessage, viewOf } from './store.ts'

const deletable: ShownMessage['body']['kind'][] = ['text', 'file', 'transfer', 'once']

/** True for what one has said in the last 48 hours. */
export const canDelete = (env: Env, message: ShownMessage): boolean =>
  isOwnAndSent(message) && deletable.includes(message.body.kind) && isWithin(env, message, ACT_LIMITS.deleteMs)

const shownNow = (room: Room, name: Pick<ShownMessage, 'senderId' | 'id'>) =>
  viewOf(room)?.messages.find(({ senderId, id }) => senderId === name.senderId && id === name.id)

/** Sends the changed words. They stay in the field if this browser cannot keep them. Throws CryptoFailure. */
export async function sendEdit(env: Env, room: Room, { target, n, text }: BegunEdit): Promise<SendOutcome> {
  const now = shownNow(room, target)
  const act = { type: 'edit' as const, target, n: Math.max(n, (now?.edited?.n ?? 0) + 1), text: text.trim() }
  return sendAct(env, room, act, () => void chooseEdit(env, room.id, null))
}

/** Takes the message and its edits back, for everyone. What of it still waits here is not sent. */
export async function deleteForEveryone(env: Env, room: Room, asked: ShownMessage): Promise<SendOutcome> {
  const now = shownNow(room, asked)
  const { id, seq, senderId, edited, pending } = now ?? asked
  if (seq === null || senderId === undefined) return { outcome: 'kept' }
  for (const waiting of pending?.ids ?? []) await env.crypto.dropFromOutbox({ chatRoomId: room.id, id: waiting })
  // An act that waits has no place yet.
  const places = [seq, ...(edited?.places ?? []).filter((place) => place < PENDING_FROM)]
  return sendAct(env, room, { type: 'delete', target: { senderId, id }, places })
}
