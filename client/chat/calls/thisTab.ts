import { z } from 'zod'
import { CALL_TYPES } from '../../../contract/chat/calllimits.ts'
import { callStore } from './callState.ts'
import type { LiveCall } from './liveCall.ts'
import { TAB_KEY } from './tabKey.ts'

const shape = z.object({
  callId: z.uuid(),
  chatRoomId: z.string(),
  isCaller: z.boolean(),
  callType: z.enum(CALL_TYPES),
  attempt: z.number(),
  answeredAt: z.number().nullable(),
  hasCamera: z.boolean(),
  isMuted: z.boolean(),
  consent: z.object({ allowsDirect: z.boolean(), leavesTor: z.boolean() }).partial(),
  isRelayOnly: z.boolean(),
  /** ms since 1970. */
  at: z.number(),
  startedAt: z.number().nullable(),
})
export type KnownCall = z.infer<typeof shape>

/** Nobody waits longer. */
const FRESH_MS = 30_000

export function rememberHere(call: LiveCall): void {
  const { callId, chatRoomId, isCaller, callType, attempt, answeredAt, media, consent, isRelayOnly } = call
  const known = {
    ...{ callId, chatRoomId, isCaller, callType, attempt, answeredAt, consent, isRelayOnly },
    hasCamera: media.camera !== null,
    isMuted: media.microphone?.enabled === false,
    at: call.env.clock().getTime(),
    startedAt: callStore.getState().callStartTime,
  }
  try {
    sessionStorage.setItem(TAB_KEY, JSON.stringify(known))
  } catch {
    // Storage is blocked: a reload ends the call.
  }
}

export function forgetHere(callId: string): void {
  if (readHere()?.callId === callId) sessionStorage.removeItem(TAB_KEY)
}

/** undefined: too old to be under way. */
export function knownHere(nowMs: number): KnownCall | undefined {
  const known = readHere()
  return known && nowMs - known.at < FRESH_MS ? known : undefined
}

function readHere(): KnownCall | undefined {
  try {
    return shape.safeParse(JSON.parse(sessionStorage.getItem(TAB_KEY) ?? 'null')).data
  } catch {
    return undefined
  }
}
