import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, chatRoomId, instant, seqShape, userId } from '../ground/shapes.ts'

/** Another member of a listed room, as the caller is shown them. */
const listedPersonShape = z.object({
  id: userId,
  username: z.string().max(LIMITS.usernameMax),
  displayName: z.string().max(LIMITS.displayNameMax),
  /** The path of the photo; null without one, and unless both have accepted each other. Servers of before send none. */
  profileImageUrl: z.string().max(2000).nullable().default(null),
  /** The alias. The app keeps it in the sealed book and leaves this null. */
  alias: z.string().nullable(),
  /** True if the account was deleted: the conversation remains, and nothing can be sent. */
  isDeleted: z.boolean(),
  /** Shown between two people who have accepted each other and both show it (`privacy.ts`). */
  isOnline: z.boolean(),
  lastSeen: instant.nullable(),
  /** Ed25519 key; null until the person signs in with a browser. The client compares it with its pin. */
  identityKey: base64(32).nullable(),
  /** 0 without a device. If it is higher than the client's version, the client fetches the manifest before it sends. */
  manifestVersion: seqShape,
  /** The person's marks in this room: 0 for a read mark that is not shown. */
  deliveredSeq: seqShape,
  readSeq: seqShape,
})
export type ListedPerson = z.infer<typeof listedPersonShape>

/** What only a direct room has: how the caller and the other person stand. */
const listedDirectShape = z.object({
  /** Id by which a request is accepted or declined. */
  contactId: z.uuid(),
  /** `pending`: the other person has sent a request. Nothing else of theirs is shown until the caller accepts. */
  state: z.enum(['pending', 'accepted']),
  /** True while the caller blocks the person. */
  isBlocked: z.boolean(),
  /** False while the other person has not answered the caller's request, as far as the caller may know. */
  hasAnswered: z.boolean(),
})
export type ListedDirect = z.infer<typeof listedDirectShape>

/** A row of the room list: a room and its other members. */
export const roomRowShape = z
  .object({
    chatRoomId,
    /** Since when the room is on the list: the contact was added, or the caller became a member. */
    addedAt: instant,
    /** The members besides the caller, by their ids. */
    people: z.array(listedPersonShape).max(LIMITS.roomMembersMax - 1),
    /** null in a room that is not direct. A direct room has exactly one other person. */
    direct: listedDirectShape.nullable(),
    /** The newest seq of the log. */
    lastSeq: seqShape,
    /** Up to here the caller has cleared the conversation. */
    clearedSeq: seqShape,
    /** True if the chat has a password. */
    isPasswordProtected: z.boolean(),
    /** True while this session did not verify it lately: place, time and count are all that is given of the chat. */
    isLocked: z.boolean(),
    /** The time of the newest message of a locked chat; null otherwise. */
    lastMessageAt: instant.nullable(),
    /** The newest message that is not withheld from the caller; null while the chat is locked. The page shows its text from the vault. */
    lastMessage: z.object({ id: z.uuid(), seq: seqShape, senderId: userId, createdAt: instant }).nullable(),
    unreadCount: z.number().int().nonnegative(),
    /** Until then the caller has muted the room: its messages are counted here and in no bell. null if it is not muted. */
    mutedUntil: instant.nullable(),
    /** The caller's read mark. */
    readSeq: seqShape,
  })
  .refine(({ people, direct }) => direct === null || people.length === 1, { message: 'A direct room has one other person' })
export type ListedRoom = z.infer<typeof roomRowShape>

/** Some rows of the list. */
export const roomPageShape = z.object({
  rooms: z.array(roomRowShape).max(LIMITS.roomPageMax),
  /** Rooms that are not on the list (any more). */
  removed: z.array(chatRoomId).max(LIMITS.roomPageMax),
  /**
   * Send it back as `since` for what has changed after this answer. A change may be answered twice, and is never left out. null where
   * `ids` were asked for.
   */
  counter: z.string().max(120).nullable(),
  /** True if more rows follow: older ones before `before`, or more changes since `counter`. */
  more: z.boolean(),
  /** Send it back as `before` for the next page; null on an answer that is no page. */
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
    'The room list: a page of it, the newest conversation first; what has changed since a counter; or the rows of some rooms, comma-separated. A counter that is too old is refused with 410: read the pages anew.',
  input: z
    .object({
      before: z
        .string()
        // Milliseconds since 1970 that both a Date and a timestamptz can hold.
        .regex(new RegExp(`^-?\\d{1,14}\\.(${ID})$`))
        .optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.roomPageMax).default(LIMITS.pageDefault),
      since: z
        .string()
        .regex(new RegExp(`^\\d{1,16}(\\.\\d{1,16}\\.(${ID}))?$`))
        .optional(),
      ids: ids.optional(),
    })
    .refine(({ before, since, ids }) => [before, since, ids].filter((each) => each !== undefined).length <= 1, {
      message: 'Send one of before, since and ids',
    }),
  output: roomPageShape,
})
