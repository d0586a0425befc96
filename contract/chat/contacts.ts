import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, chatRoomId, done, instant, nothing, seqShape, userId } from '../ground/shapes.ts'
import { deliveryStatus, messageType } from './messages.ts'

/** A malformed id is refused like a missing one. */
export const contactId = z.uuid('Contact ID is required')

export const contactShape = z.object({
  id: z.uuid(),
  userId,
  contactUserId: userId,
  /** The sealed book keeps the app's aliases. */
  displayName: z.string().nullable(),
  isBlocked: z.boolean(),
  isPasswordProtected: z.boolean(),
  /** A locked chat shows place, time and count. */
  isLocked: z.boolean(),
  addedAt: instant,
  /** `pending`: the caller has not accepted, and sees nothing else of the person. */
  state: z.enum(['pending', 'accepted']),
  contactUser: z.object({
    displayName: z.string().max(LIMITS.displayNameMax),
    username: z.string().max(LIMITS.usernameMax),
    /** null unless both have accepted each other. */
    profileImageUrl: z.string().nullable(),
    /** The chat of a deleted account remains. */
    isDeleted: z.boolean(),
    /** Both must show it (`privacy.ts`). */
    isOnline: z.boolean(),
    lastSeen: instant.nullable(),
    onionAddress: z.string().nullable(),
    /** Ed25519; null until a browser signs in. */
    identityKey: base64(32).nullable(),
    /** 0 without a device. */
    manifestVersion: seqShape,
  }),
  /** null while the chat is locked. */
  lastMessage: z
    .object({
      id: z.uuid(),
      seq: seqShape,
      createdAt: instant,
      senderId: userId,
      deliveryStatus,
      messageType,
      /** `LIMITS.previewChars` of an unsealed text; empty for a sealed one. */
      content: z.string(),
      fileName: z.string().max(255).nullable(),
    })
    .nullable(),
  unreadCount: z.number().int().nonnegative(),
  /** The bell counts accepted chats that are not muted. */
  hasUnreadNotifications: z.boolean(),
  mutedUntil: instant.nullable(),
  chatRoomId,
  /** As far as the caller may know. */
  hasAnswered: z.boolean(),
  /** Hidden read marks are 0. */
  lastSeq: seqShape,
  readSeq: seqShape,
  /** The caller has cleared the chat up to here. */
  clearedSeq: seqShape,
  theirDeliveredSeq: seqShape,
  theirReadSeq: seqShape,
})
export type Contact = z.infer<typeof contactShape>

const blockedShape = z.object({
  contactId: z.uuid(),
  userId,
  username: z.string().max(LIMITS.usernameMax),
  /** This list alone has blocked requests and removed people. */
  isListed: z.boolean(),
})
export type Blocked = z.infer<typeof blockedShape>

export const contactsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/contacts',
    access: 'signed_in',
    summary:
      'A page of the contacts with last message and counters, newest chat first. Answers an ETag, and where the next page is in `Link: <...>; rel="next"` (RFC 8288); without it this page is the last.',
    input: z.object({
      before: z
        .string()
        .regex(/^-?\d{1,14}\.dm_[0-9a-f-]{36}_[0-9a-f-]{36}$/)
        .optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.roomPageMax).default(LIMITS.roomPageMax),
    }),
    output: z.array(contactShape).max(LIMITS.roomPageMax),
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
  block: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/block',
    access: 'signed_in',
    rates: ['blocks'],
    summary:
      'Blocks a person: what they write from now on is withheld from the caller for good. A request leaves the list. The other side is not told.',
    input: z.object({ contactId }),
    output: done,
  }),
  blocked: endpoint({
    method: 'GET',
    path: '/api/contacts/blocked',
    access: 'signed_in',
    summary: 'Everybody whom the caller blocks, by username.',
    input: nothing,
    output: z.array(blockedShape).max(LIMITS.contactsMax),
  }),
  unblock: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/unblock',
    access: 'signed_in',
    rates: ['blocks'],
    summary: 'Ends a block. What came meanwhile stays withheld. The other side is not told.',
    input: z.object({ contactId }),
    output: done,
  }),
  clearChat: endpoint({
    method: 'DELETE',
    path: '/api/contacts/:contactId/clear-chat',
    access: 'signed_in',
    rates: ['clearChat'],
    summary:
      'Clears the caller’s side of a chat up to `upTo`, or to its end: its messages are given to the caller no more. The other side keeps theirs.',
    input: z.object({ contactId, upTo: z.coerce.number().int().nonnegative().optional() }),
    output: z.object({ clearedSeq: seqShape }),
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/contacts/:contactId/restore',
    access: 'signed_in',
    rates: ['answerContact'],
    summary: 'Puts a declined request back on the list, unless the person is blocked. The other side is not told.',
    input: z.object({ contactId }),
    output: contactShape,
  }),
}
