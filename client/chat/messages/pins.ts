import type { Pin } from '../../../contract/chat/content.ts'
import { PINS_MAX, type Pinned } from '../../../contract/chat/kinds/pin.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { sendAct } from './acts.ts'
import { refreshRoom } from './messageWindow.ts'
import type { SendOutcome } from './outbox.ts'
import { canSelect } from './selection.ts'
import { type ShownMessage, viewOf } from './store.ts'

/** False for what no signature proves. */
export const canPin = (message: ShownMessage): boolean => canSelect(message) && message.body.kind !== 'plain'

/** A refused pin is not kept: its message may be nowhere on the screen to say so. */
async function sendPin(
  env: Env,
  room: Room,
  { senderId, id, place }: Omit<Pinned, 'seq' | 'on'>,
  on: boolean,
): Promise<SendOutcome> {
  const pin: Pin = { type: 'pin', target: { senderId, id }, place, on }
  const outcome = await sendAct(env, room, pin)
  const rows = await env.crypto.outbox(room.id)
  const refused = rows.filter(({ content, failure }) => content?.type === 'pin' && failure !== null)
  for (const row of refused) await env.crypto.dropFromOutbox({ chatRoomId: room.id, id: row.id })
  if (refused.length > 0) await refreshRoom(env, room)
  return outcome
}

export const takePinOff = (env: Env, room: Room, pin: Pinned): Promise<SendOutcome> => sendPin(env, room, pin, false)

/** Pins a message for both sides, or takes it off. Of three the one that was pinned first makes place. */
export async function togglePin(env: Env, room: Room, { senderId, id, seq, isPinned }: ShownMessage): Promise<SendOutcome> {
  if (senderId === undefined || seq === null) return { outcome: 'kept' }
  const before = viewOf(room)?.pins ?? []
  const outcome = await sendPin(env, room, { senderId, id, place: seq }, !isPinned)
  if (isPinned || outcome.outcome !== 'kept') return outcome
  for (const first of before.slice(PINS_MAX - 1)) await takePinOff(env, room, first)
  return outcome
}
