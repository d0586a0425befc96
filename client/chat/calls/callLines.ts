import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { CallContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { isShut, isShutRow, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import type { NotedCall } from '../../worker/crypto.ts'
import { flush } from '../messages/send.ts'
import { callStore } from './callState.ts'
import { reportBug } from './codeOf.ts'
import { type LiveCall, liveCall } from './liveCall.ts'

type Outcome = CallContent['outcome']

const notedOf = ({ callId, chatRoomId, callType, answeredAt, env }: LiveCall): NotedCall => ({
  ...{ callId, chatRoomId, callType, answeredAt },
  seenAt: env.clock().getTime(),
  isCompared: callStore.getState().isCompared,
  outcome: null,
})

export function noteUnderway(call: LiveCall): void {
  if (!call.isCaller || !call.isOffered) return
  call.env.crypto.noteCall(notedOf(call)).catch(reportBug)
}

export const writeLine = (env: Env, call: LiveCall, outcome: Outcome | null, isCompared: boolean): Promise<void> =>
  write(env, { ...notedOf(call), isCompared }, outcome)

async function write(env: Env, { callId, chatRoomId, ...call }: NotedCall, outcome: Outcome | null): Promise<void> {
  const room = roomById(chatRoomId)
  // The vault takes no words of a locked chat.
  if (outcome !== null && room && isShut(room)) {
    const owed = { callId, chatRoomId, ...call, outcome }
    await env.crypto.noteCall(owed)
    whenOpen(chatRoomId, () => write(env, owed, outcome))
    return
  }
  if (outcome !== null && room) {
    const seconds = call.answeredAt === null ? 0 : Math.round((call.seenAt - call.answeredAt) / 1000)
    const content: CallContent = {
      ...{ type: 'call', callId, callType: call.callType, outcome, isCompared: call.isCompared },
      seconds: Math.min(Math.max(0, seconds), CALL_LIMITS.lineSecondsMax),
    }
    // The server takes one message of an id, however often the line is written.
    const message = { id: callId, chatRoomId, content, replyToId: null, sentAt: new Date(call.seenAt).toISOString() }
    await env.crypto.keepInOutbox(message)
    await flush(env, room)
  } else await env.crypto.forgetCall(callId)
}

export async function writeOwed(env: Env): Promise<void> {
  for (const call of await env.crypto.notedCalls()) {
    const room = roomById(call.chatRoomId)
    if (!room || liveCall()?.callId === call.callId || (await isUnderwayIn(call.callId))) continue
    await write(env, call, call.outcome ?? (call.answeredAt === null ? 'no_answer' : 'answered'))
  }
}

function whenOpen(chatRoomId: string, work: () => Promise<void>): void {
  const off = roomsStore.subscribe(({ rooms }) => {
    const room = rooms.get(chatRoomId)
    if (room && isShutRow(room)) return
    off()
    // The account may be closed.
    if (room) work().catch(reportBug)
  })
}

const lockOf = (callId: string): string => `conclave/call/${callId}`

/** Returns how to let go; undefined if another tab has it. */
export async function holdCall(callId: string, withinMs: number): Promise<(() => void) | undefined> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return () => undefined
  return new Promise((resolve) => {
    const held = locks.request(
      lockOf(callId),
      { signal: AbortSignal.timeout(withinMs) },
      () => new Promise<void>((letGo) => resolve(letGo)),
    )
    held.catch(() => resolve(undefined))
  })
}

export async function isUnderwayIn(callId: string): Promise<boolean> {
  const { held = [] } = (await globalThis.navigator?.locks?.query?.()) ?? {}
  return held.some(({ name }) => name === lockOf(callId))
}
