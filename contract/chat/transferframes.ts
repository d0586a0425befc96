import { z } from 'zod'
import { deviceId } from '../account/documents.ts'
import { base64, base64Of, userId } from '../ground/shapes.ts'
import { TRANSFER_LIMITS } from './transferlimits.ts'

/** `epoch`: the room has moved on. `again`: make another attempt. */
export const transferRejectReason = z.enum(['epoch', 'again', 'failed'])
export type TransferRejectReason = z.infer<typeof transferRejectReason>

/** `removed`: the sender's browser. `changed`: the file, at the sender. `forged`: what came is not what was offered. */
export const transferEndReason = z.enum(['declined', 'cancelled', 'done', 'expired', 'removed', 'changed', 'forged'])
export type TransferEndReason = z.infer<typeof transferEndReason>

const attempt = z.number().int().min(1).max(TRANSFER_LIMITS.attemptsMax)
const one = { transferId: z.uuid(), to: userId, attempt }

/** The receiver begins each attempt [Note: M11]. */
const accepted = { ...one, signal: base64Of(32) }
export const transferAcceptShape = z.object({
  ...accepted,
  leavesTor: z.boolean().optional(),
})
const answered = { ...one, signal: base64(TRANSFER_LIMITS.answerBytes) }
export const transferAnswerShape = z.object({ ...answered, leavesTor: z.boolean().optional() })
export const transferSignalShape = z.object({ ...one, signal: base64(TRANSFER_LIMITS.signalBytes) })
export const transferRejectShape = z.object({ ...one, reason: transferRejectReason })
export const transferHereShape = z.object({ transferId: z.uuid(), to: userId })

const sent = { from: userId, device: deviceId }

export const heardTransferAcceptShape = z.object({ ...accepted, ...sent })
export const heardTransferAnswerShape = z.object({ ...answered, ...sent })
export const heardTransferSignalShape = transferSignalShape.extend(sent)
export const heardTransferRejectShape = transferRejectShape.extend({ from: userId })
export const heardTransferHereShape = transferHereShape.extend({ from: userId })
/** Answers an accept. `isThere`: the browser that offered is connected. */
export const transferSuccessShape = z.object({ transferId: z.uuid(), isThere: z.boolean() })
/** To every browser of both. */
export const transferChangedShape = z.object({
  transferId: z.uuid(),
  device: deviceId.nullable(),
  end: transferEndReason.nullable(),
})
