import { z } from 'zod'
import { deviceId } from '../account/documents.ts'
import { endpoint } from '../ground/endpoint.ts'
import { done, instant, nothing, userId } from '../ground/shapes.ts'
import { transferEndReason } from './transferframes.ts'
import { TRANSFER_LIMITS } from './transferlimits.ts'

export const listedTransferShape = z.object({
  transferId: z.uuid(),
  from: userId,
  to: userId,
  /** null: that browser was removed. */
  senderDevice: deviceId.nullable(),
  receiverDevice: deviceId.nullable(),
  /** The next is greater, whichever browser begins it. */
  attempt: z.number().int().nonnegative(),
  end: transferEndReason.nullable(),
  expiresAt: instant,
})
export type ListedTransfer = z.infer<typeof listedTransferShape>

export const transfersApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/transfers',
    access: 'signed_in',
    assurance: 'device',
    summary: 'Direct transfers that run or ended within a day, sent and received; the newest 1,000.',
    input: nothing,
    output: z.array(listedTransferShape).max(1000),
  }),
  offer: endpoint({
    method: 'POST',
    path: '/api/transfers',
    access: 'signed_in',
    assurance: 'device',
    rates: ['transfers'],
    summary: 'Registers an offer, before the message that carries it is sent. Harmless twice.',
    input: z.object({
      transferId: z.uuid(),
      to: userId,
      /** Rounded up to a MiB. */
      bytes: z
        .number()
        .int()
        .min(TRANSFER_LIMITS.toldStepBytes)
        .max(100 * TRANSFER_LIMITS.toldStepBytes)
        .refine((bytes) => bytes % TRANSFER_LIMITS.toldStepBytes === 0),
    }),
    output: done,
  }),
  end: endpoint({
    method: 'POST',
    path: '/api/transfers/:transferId/end',
    access: 'signed_in',
    assurance: 'device',
    rates: ['transfers'],
    summary:
      'Ends a transfer: declined, done or forged by the receiver, changed by the sender, cancelled by either. Harmless twice.',
    input: z.object({ transferId: z.uuid(), reason: transferEndReason.exclude(['expired', 'removed']) }),
    output: done,
  }),
}
