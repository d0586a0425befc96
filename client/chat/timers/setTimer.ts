import { lifetimeWords } from '../../../contract/chat/lifetimewords.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { refreshRoom } from '../messages/messageWindow.ts'
import { flush } from '../messages/send.ts'

const HOUR = 60 * 60
const DAY = 24 * HOUR

export const UNITS = [
  { words: 'minutes', seconds: 60 },
  { words: 'hours', seconds: HOUR },
  { words: 'days', seconds: DAY },
  { words: 'weeks', seconds: 7 * DAY },
]

export const timerLabel = (seconds: number): string => (seconds === 0 ? 'Off' : lifetimeWords(seconds))

/** The largest unit that says it in whole numbers. */
export function unitOf(seconds: number): number {
  return UNITS.findLast((unit) => seconds % unit.seconds === 0)?.seconds ?? 60
}

/**
 * Keeps the chat's new timer, shows it, and sends it. Returns why the server refuses it, and forgets it then. Throws
 * CryptoFailure('queue_full').
 */
export async function setTimer(env: Env, room: Room, seconds: number): Promise<string | undefined> {
  const { id: chatRoomId } = room
  const id = crypto.randomUUID()
  // One that was refused later is over.
  for (const { id: earlier, content, failure } of await env.crypto.outbox(chatRoomId))
    if (content?.type === 'timer' && failure) await env.crypto.dropFromOutbox({ chatRoomId, id: earlier })
  await env.crypto.keepInOutbox({
    ...{ id, chatRoomId, content: { type: 'timer', seconds }, replyToId: null },
    sentAt: env.clock().toISOString(),
  })
  await refreshRoom(env, room)
  await flush(env, room)
  const refused = (await env.crypto.outbox(chatRoomId)).find((row) => row.id === id)?.failure
  if (!refused) return undefined
  await env.crypto.dropFromOutbox({ chatRoomId, id })
  await refreshRoom(env, room)
  return refused
}
