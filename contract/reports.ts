import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { done, seqShape } from './shapes.ts'

export const REPORT_CATEGORIES = ['spam', 'harassment', 'threat', 'fraud', 'illegal', 'other'] as const

/** A message that the reporter chose. `text` is what they disclose of it: the server cannot open its envelope. */
export const reportedMessageShape = z.object({
  seq: seqShape,
  text: z.string().max(LIMITS.reportedTextMax),
})
export type ReportedMessage = z.infer<typeof reportedMessageShape>

export const reportsApi = {
  send: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/report',
    access: 'signed_in',
    rates: ['reports'],
    summary:
      'Reports a person on the list to the administration, with messages of theirs as far as the reporter discloses them. The person is not told. Sending an id twice is harmless.',
    input: z.object({
      contactId: z.uuid('Contact ID is required'),
      id: z.uuid(),
      category: z.enum(REPORT_CATEGORIES),
      text: z.string().max(LIMITS.reportTextMax),
      messages: z.array(reportedMessageShape).max(LIMITS.reportedMessagesMax),
    }),
    output: done,
  }),
}
