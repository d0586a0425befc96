import { z } from 'zod'
import { CALL_TYPES } from '../../../contract/chat/calllimits.ts'
import { callOutcome } from '../../../contract/chat/content.ts'
import type { Live } from '../keys/live.ts'
import { jsonOf, type Write } from '../vault/vaultRows.ts'

const NOTED = 'call:'

const shape = z.looseObject({
  callId: z.string(),
  chatRoomId: z.string(),
  callType: z.enum(CALL_TYPES),
  /** ms since 1970. */
  answeredAt: z.number().nullable(),
  seenAt: z.number(),
  isCompared: z.boolean(),
  /** null while the call is under way. */
  outcome: callOutcome.nullable(),
})
/** A call that this browser began, until its line is in the outbox: the page may die before. */
export type NotedCall = z.infer<typeof shape>

export const noteCall = ({ vault }: Live, call: NotedCall): Promise<void> =>
  vault.write([{ store: 'sealed', key: `${NOTED}${call.callId}`, value: { json: call } }])

/** In the transaction that keeps its line, so that no start writes another. */
export const forgottenWrite = (callId: string): Write => ({ store: 'sealed', key: `${NOTED}${callId}`, value: null })

export const forgetCall = ({ vault }: Live, callId: string): Promise<void> => vault.write([forgottenWrite(callId)])

export async function notedCalls({ vault }: Live): Promise<NotedCall[]> {
  return (await vault.named(NOTED)).map(({ value }) => jsonOf(shape, value))
}
