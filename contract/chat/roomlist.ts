import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, chatRoomId, instant, seqShape, userId } from '../ground/shapes.ts'

const listedPersonShape = z.object({
  id: userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  /** null unless both have accepted each other. Older servers send none. */
  profileImageUrl: z.string().max(2000).nullable().default(null),
  /** The sealed book keeps the app's aliases. */
  alias: z.string().nullable(),
  /** The chat of a deleted account remains. */
  isDeleted: z.boolean(),
  /** Both must show it (`privacy.ts`). */
  isOnline: z.boolean(),
  lastSeen: instant.nullable(),
  /** Ed25519; null until a browser signs in. */
  identityKey: base64(32).nullable(),
  /** 0 without a device. */
  manifestVersion: seqShape,
  /** 0 for a hidden read mark. */
  deliveredSeq: seqShape,
  readSeq: seqShape,
})
export type ListedPerson = z.infer<typeof listedPersonShape>

const listedDirectShape = z.object({
  contactId: z.uuid(),
  /** `pending`: the caller has not accepted, and sees nothing else. */
  state: z.enum(['pending', 'accepted']),
  isBlocked: z.boolean(),
  /** As far as the caller may know. */
  hasAnswered: z.boolean(),
})
export type ListedDirect = z.infer<typeof listedDirectShape>

export const roomRowShape = z
  .object({
    chatRoomId,
    /** The contact was added, or the caller joined. */
    addedAt: instant,
    people: z.array(listedPersonShape).max(LIMITS.roomMembersMax - 1),
    /** null in other rooms. A direct room has one other person. */
    direct: listedDirectShape.nullable(),
    lastSeq: seqShape,
    /** The caller has cleared the chat up to here. */
    clearedSeq: seqShape,
    isPasswordProtected: z.boolean(),
    /** A locked chat shows place, time and count. */
    isLocked: z.boolean(),
    /** Set for a locked chat. */
    lastMessageAt: instant.nullable(),
    /** The newest message not withheld; null while locked. The vault has its text. */
    lastMessage: z.object({ id: z.uuid(), seq: seqShape, senderId: userId, createdAt: instant }).nullable(),
    unreadCount: z.number().int().nonnegative(),
    /** The bell leaves a muted room out. */
    mutedUntil: instant.nullable(),
    readSeq: seqShape,
    /** When it was raised. Older servers send none. */
    readAt: instant.nullish(),
  })
  .refine(({ people, direct }) => direct === null || people.length === 1, { message: 'A direct room has one other person' })
export type ListedRoom = z.infer<typeof roomRowShape>

export const roomPageShape = z.object({
  rooms: z.array(roomRowShape).max(LIMITS.roomPageMax),
  removed: z.array(chatRoomId).max(LIMITS.roomPageMax),
  /** Sent back as `since`; null for `ids`. Sealed by the server. */
  counter: z.string().max(120).nullable(),
  more: z.boolean(),
  /** Sent back as `before`; null if this is no page. */
  before: z.string().max(120).nullable(),
})
export type RoomPage = z.infer<typeof roomPageShape>

const ID = 'dm_[0-9a-f-]{36}_[0-9a-f-]{36}|room_[0-9a-f-]{36}'
const ids = z.string().regex(new RegExp(`^(${ID})(,(${ID})){0,${LIMITS.roomIdsMax - 1}}$`))

export const listRooms = endpoint({
  method: 'GET',
  path: '/api/rooms',
  access: 'signed_in',
  summary:
    'The room list: a page of it, the newest chat first; what has changed since a counter; or the rows of some rooms, comma-separated. A counter that is too old, or is none of this account, is refused with 410: read the pages anew.',
  input: z
    .object({
      before: z
        .string()
        // Milliseconds since 1970, within Date and timestamptz.
        .regex(new RegExp(`^-?\\d{1,14}\\.(${ID})$`))
        .optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.roomPageMax).default(LIMITS.pageDefault),
      since: z.string().max(120).optional(),
      ids: ids.optional(),
    })
    .refine(({ before, since, ids }) => [before, since, ids].filter((each) => each !== undefined).length <= 1, {
      message: 'Send one of before, since and ids',
    }),
  output: roomPageShape,
})
