import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { deliveryStatus, messageType } from './messages.ts'
import { base64, chatRoomId, done, instant, nothing, seqShape, userId } from './shapes.ts'

/** The id of a contact. A malformed id is refused like a missing one. */
const contactId = z.uuid('Contact ID is required')

/** One row of the contact list. */
export const contactShape = z.object({
  id: z.uuid(),
  userId,
  contactUserId: userId,
  /** The alias. The app keeps it in the sealed book and leaves this null. */
  displayName: z.string().nullable(),
  isBlocked: z.boolean(),
  isPasswordProtected: z.boolean(),
  addedAt: instant,
  /** `pending`: the other person has sent a request. Nothing else of theirs is shown until the caller accepts. */
  state: z.enum(['pending', 'accepted']),
  contactUser: z.object({
    displayName: z.string().max(LIMITS.displayNameMax),
    username: z.string().max(LIMITS.usernameMax),
    profileImageUrl: z.string().nullable(),
    /** True if the account was deleted: the conversation remains, and nothing can be sent. */
    isDeleted: z.boolean(),
    /** Presence and last seen are shown only between two people who have accepted each other. */
    isOnline: z.boolean(),
    lastSeen: instant.nullable(),
    onionAddress: z.string().nullable(),
    /** Ed25519 key; null until the person signs in with a browser. The client compares it with its pin. */
    identityKey: base64(32).nullable(),
    /** 0 without a device. If it is higher than the client's version, the client fetches the manifest before it sends. */
    manifestVersion: seqShape,
  }),
  lastMessage: z
    .object({
      id: z.uuid(),
      seq: seqShape,
      createdAt: instant,
      senderId: userId,
      deliveryStatus,
      messageType,
      /** The first `LIMITS.previewChars` characters of a text that nobody has sealed; empty for a sealed one. */
      content: z.string(),
      fileName: z.string().max(255).nullable(),
    })
    .nullable(),
  unreadCount: z.number().int().nonnegative(),
  hasUnreadNotifications: z.boolean(),
  chatRoomId,
  /** The newest seq of the log, the caller's read mark, and the other person's marks. */
  lastSeq: seqShape,
  readSeq: seqShape,
  theirDeliveredSeq: seqShape,
  theirReadSeq: seqShape,
})
export type Contact = z.infer<typeof contactShape>

export const contactsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/contacts',
    access: 'signed_in',
    summary: 'Every contact with its last message and counters, newest conversation first. Answers an ETag.',
    input: nothing,
    output: z.array(contactShape).max(LIMITS.contactsMax),
    answerLimitBytes: LIMITS.pageAnswerBytes,
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/contacts',
    access: 'signed_in',
    rates: ['addContact'],
    summary: 'Adds a contact by username or onion address. Adding back accepts.',
    input: z
      .object({
        username: z.string().trim().min(1).max(100).optional(),
        onionAddress: z.string().trim().min(1).max(100).optional(),
      })
      .refine((who) => (who.username === undefined) !== (who.onionAddress === undefined), {
        message: 'Send a username or an onion address',
      }),
    output: contactShape,
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/accept',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'Accepts a request.',
    input: z.object({ contactId }),
    output: contactShape,
  }),
  decline: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/decline',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'Takes a request off the list. The other side is not told.',
    input: z.object({ contactId }),
    output: done,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/contacts/:contactId',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'Takes a person off the list. The other side is not told; if they write again, that is a request.',
    input: z.object({ contactId }),
    output: done,
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/restore',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'Puts a declined request back on the list. The other side is not told.',
    input: z.object({ contactId }),
    output: contactShape,
  }),
}
