import type { Pin } from '../../../contract/chat/content.ts'
import { PINS_MAX } from '../../../contract/chat/kinds/pin.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { sendAct } from './acts.ts'
import type { SendOutcome } from './outbox.ts'
import { canSelect } from './selection.ts'
import { type ShownMessage, viewOf } from './store.ts'

/** False for what no signature proves. */
export const canPin = (message: ShownMessage): boolean => canSelect(message) && message.body.kind !== 'plain'

const act = (target: Pin['target'], on: boolean): Pin => ({ type: 'pin', target, on })

export const takePinOff = (env: Env, room: Room, { senderId, id }: Pin['target']): Promise<SendOutcome> =>
  sendAct(env, room, act({ senderId, id }, false))

/** Pins a message for both sides, or takes it off. Of three the one that was pinned first makes place. */
export async function togglePin(env: Env, room: Room, { senderId, id, isPinned }: ShownMessage): Promise<SendOutcome> {
  if (senderId === undefined) return { outcome: 'kept' }
  if (isPinned) return takePinOff(env, room, { senderId, id })
  for (const first of (viewOf(room)?.pins ?? []).slice(PINS_MAX - 1)) await takePinOff(env, room, first)
  return sendAct(env, room, act({ senderId, id }, true))
}
