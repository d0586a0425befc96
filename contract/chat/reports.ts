import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, instant, seqShape, userId } from '../ground/shapes.ts'
import { REPORT_LIMITS } from './reportlimits.ts'

export const REPORT_CATEGORIES = ['spam', 'harassment', 'threat', 'fraud', 'illegal', 'other'] as const

/** `text` is disclosed by the reporter: the server cannot open the envelope. */
export const reportedMessageShape = z.object({
  seq: seqShape,
  text: z.string().max(REPORT_LIMITS.reportedTextMax),
})
export type ReportedMessage = z.infer<typeof reportedMessageShape>

const namedShape = z.object({ id: userId, username: z.string(), isActive: z.boolean() })

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
      text: z.string().max(REPORT_LIMITS.reportTextMax),
      messages: z.array(reportedMessageShape).max(REPORT_LIMITS.reportedMessagesMax),
    }),
    output: done,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/admin/reports',
    access: 'admin',
    summary:
      'A page of what people have reported, newest first. Of each message: what the reporter disclosed, and whether the server has one of the reported person at that place.',
    input: z.object({ before: instant.optional() }),
    output: z.object({
      reports: z
        .array(
          z.object({
            id: z.uuid(),
            at: instant,
            reporter: namedShape,
            reported: namedShape,
            category: z.string(),
            text: z.string(),
            messages: z.array(reportedMessageShape.extend({ sentAt: instant.nullable() })).max(REPORT_LIMITS.reportedMessagesMax),
          }),
        )
        .max(REPORT_LIMITS.reportsPage),
      hasMore: z.boolean(),
    }),
    answerLimitBytes: LIMITS.pageAnswerBytes,
  }),
}
