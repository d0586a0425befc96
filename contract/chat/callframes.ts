import { z } from 'zod'
import { deviceId } from '../account/documents.ts'
import { base64, base64Of, userId } from '../ground/shapes.ts'
import { CALL_LIMITS, CALL_TYPES } from './calllimits.ts'

const callTypeShape = z.enum(CALL_TYPES)
const attempt = z.number().int().min(1).max(CALL_LIMITS.attemptsMax)

/** `epoch`: the room has moved on. `again`: the callee's page was loaded anew, make another attempt. */
export const callRejectReason = z.enum(['declined', 'busy', 'epoch', 'again', 'failed'])
export type CallRejectReason = z.infer<typeof callRejectReason>

/**
 * `answered`: in another of the own browsers. `lost`: an end is gone. `minutes`: the caller's plan has none left. `words`: the four words
 * differ. `locked`: somebody locked the browser.
 */
export const callEndReason = z.enum(['ended', 'no_answer', 'answered', 'lost', 'minutes', 'words', 'failed', 'locked'])
export type CallEndReason = z.infer<typeof callEndReason>

const one = { callId: z.uuid(), to: userId, attempt }
/** The specification's field for calls of more than two. */
const participants = z.array(userId).max(1).optional()

/** [Note: M3] */
export const callOfferShape = z.object({
  ...{ ...one, callType: callTypeShape, participants },
  /** The commitment to nonce and fingerprint. */
  signal: base64Of(32),
  /** On an onion connection: the person lets this call leave Tor. */
  leavesTor: z.boolean().optional(),
})
const answered = { ...one, signal: base64(CALL_LIMITS.answerBytes) }
export const callAnswerShape = z.object({ ...answered, leavesTor: z.boolean().optional() })
export const callSignalShape = z.object({ ...one, signal: base64(CALL_LIMITS.signalBytes) })
export const iceCandidateShape = z.object({
  ...{ callId: z.uuid(), targetUserId: userId, attempt },
  candidate: base64(CALL_LIMITS.candidateBytes),
})
export const callRejectShape = z.object({ ...one, reason: callRejectReason })
export const callEndShape = z.object({ callId: z.uuid(), to: userId, reason: callEndReason })
export const callBeatShape = z.object({ callId: z.uuid() })

/** The server sets these, from the session. */
const sent = { from: userId, device: deviceId }

/** What the other end hears. */
export const heardOfferShape = z.object({
  ...{ ...one, callType: callTypeShape.nullable(), participants },
  /** null for a sleeping browser. */
  ...{ from: userId.nullable(), device: deviceId.nullable(), signal: base64Of(32).nullable() },
})
export const heardAnswerShape = z.object({ ...answered, ...sent })
export const heardSignalShape = callSignalShape.extend(sent)
export const heardCandidateShape = iceCandidateShape.extend(sent)
export const heardRejectShape = callRejectShape.extend({ from: userId })
/** `from`: null if the server ends it. */
export const heardEndShape = callEndShape.extend({ from: userId.nullable() })
/** It rings, as far as the caller may know. */
export const callSuccessShape = z.object({ callId: z.uuid() })
