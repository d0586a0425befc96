import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, done, instant, nothing, required, userId } from '../ground/shapes.ts'
import { contactShape } from './contacts.ts'

const useId = z.uuid()

/** A QR code that anyone who sees it can redeem [Note: I2]. */
const codeShape = z.object({
  /** 128 random bits in base64url; null without a valid code. */
  qrToken: z.string().max(LIMITS.qrTokenMax).nullable(),
  expiresAt: instant.nullable(),
  serverTime: instant,
  usageCount: z.number().int().nonnegative(),
  /** null for any number of people. */
  maxUsage: z.number().int().positive().nullable(),
})
export type ContactCode = z.infer<typeof codeShape>

const codeUseShape = z.object({
  id: useId,
  qrToken: z.string().max(LIMITS.qrTokenMax),
  usedAt: instant,
  /** null for a pasted token, which proves nothing. */
  proof: base64(32).nullable(),
  /** The scanner in the owner's list; null if the request has lapsed. */
  contactId: z.uuid().nullable(),
  userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  /** The scanner's Ed25519 key; null without a browser. */
  identityKey: base64(32).nullable(),
})
export type CodeUse = z.infer<typeof codeUseShape>

export const codesApi = {
  current: endpoint({
    method: 'GET',
    path: '/api/qr-code',
    access: 'signed_in',
    summary: 'The account’s valid contact code; nulls without one.',
    input: nothing,
    output: codeShape,
  }),
  generate: endpoint({
    method: 'POST',
    path: '/api/qr-code/generate',
    access: 'signed_in',
    rates: ['codes'],
    summary: 'Makes a new contact code. The one before is invalid at once.',
    input: nothing,
    output: codeShape,
  }),
  redeem: endpoint({
    method: 'POST',
    path: '/api/qr-code/add-contact',
    access: 'signed_in',
    rates: ['addContact'],
    summary: 'Adds a code’s owner as a contact. The owner is asked whether the caller is the person who scanned it.',
    input: z.object({
      qrToken: z.string({ error: 'QR token is required' }).trim().pipe(required('QR token', 100)),
      proof: base64(32).optional(),
    }),
    output: z.object({
      displayName: z.string().max(LIMITS.displayNameMax),
      contact: contactShape,
    }),
  }),
  uses: endpoint({
    method: 'GET',
    path: '/api/qr-code/uses',
    access: 'signed_in',
    summary: 'The uses of the account’s codes that are not answered, newest first.',
    input: nothing,
    output: z.array(codeUseShape).max(LIMITS.codeUsesMax),
  }),
  answerUse: endpoint({
    method: 'POST',
    path: '/api/qr-code/uses/:useId/answer',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'The owner has seen who used the code and is not asked again. Nobody else is told.',
    input: z.object({ useId }),
    output: done,
  }),
}
