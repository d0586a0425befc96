import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { chatRoomId, done, instant, nothing, seqShape, userId } from '../ground/shapes.ts'

/** Reading a message reads those before it. */
export const notificationShape = z.object({
  /** Made of message and person, so without a version as other ids have. */
  id: z.guid(),
  userId,
  senderId: userId,
  /** null while the chat is locked. */
  messageId: z.uuid().nullable(),
  chatRoomId,
  seq: seqShape,
  type: z.enum(['new_message', 'mention', 'file_shared']),
  isRead: z.boolean(),
  readAt: instant.nullable(),
  createdAt: instant,
})
export type Notification = z.infer<typeof notificationShape>

export const muteTerm = z.enum(['hour', 'eight_hours', 'week', 'always'])
export type MuteTerm = z.infer<typeof muteTerm>

export const MUTED_FOR_GOOD = '9999-12-31T00:00:00.000Z'

const ID = 'dm_[0-9a-f-]{36}_[0-9a-f-]{36}|room_[0-9a-f-]{36}'

export const notificationsApi = {
  unreadCount: endpoint({
    method: 'GET',
    path: '/api/notifications/unread-count',
    access: 'signed_in',
    whileAsleep: true,
    summary: 'How many messages wait unread in accepted chats that are not muted. Answers an ETag.',
    input: nothing,
    output: z.object({ count: z.number().int().nonnegative() }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/notifications',
    access: 'signed_in',
    summary: 'A page of the messages that unread-count counts, the newest first.',
    input: z.object({
      before: z
        .string()
        .regex(new RegExp(`^\\d{1,15}\\.\\d{1,15}\\.(${ID})$`))
        .optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault),
    }),
    output: z.object({
      notifications: z.array(notificationShape).max(LIMITS.pageMax),
      /** Sent back as `before` for the next page; null on the last one. */
      before: z.string().max(150).nullable(),
    }),
  }),
  read: endpoint({
    method: 'POST',
    path: '/api/notifications/read',
    access: 'signed_in',
    rates: ['marks'],
    summary: 'Moves the read marks of some rooms up to these places: all of what a list has shown. All of them or none.',
    input: z.object({
      rooms: z
        .array(z.object({ chatRoomId, seq: seqShape }))
        .max(LIMITS.roomIdsMax, `At most ${LIMITS.roomIdsMax} rooms at once`),
    }),
    output: done,
  }),
  mute: endpoint({
    method: 'POST',
    path: '/api/notifications/:chatRoomId/mute',
    access: 'signed_in',
    rates: ['mutes', 'mutesInRoom'],
    summary: 'Mutes a room for the caller: its messages stay counted in its row, and are no news. Nobody else learns of it.',
    input: z.object({ chatRoomId, term: muteTerm }),
    output: z.object({ mutedUntil: instant }),
  }),
  unmute: endpoint({
    method: 'POST',
    path: '/api/notifications/:chatRoomId/unmute',
    access: 'signed_in',
    rates: ['mutes', 'mutesInRoom'],
    summary: 'Ends a mute.',
    input: z.object({ chatRoomId }),
    output: done,
  }),
}
