import type { ListedDirect } from '../../../contract/chat/roomlist.ts'
import type { PeerKeys } from '../trust/peers.ts'

/** The seqs up to which a member has received and read a room's log. */
export interface Mark {
  deliveredSeq: number
  readSeq: number
}

/**
 * How the own account and the other person of a direct room stand. `pending` is a request to write: none of its content is shown, and
 * the sender learns nothing, until the person accepts it.
 */
export type Direct = ListedDirect

/** A conversation as the server describes it. trust/people.ts has its people by id. */
export interface Room {
  id: string
  /** The id of the own account. */
  ownId: string
  /** The ids of all members including the own account, sorted. */
  memberIds: string[]
  /** The keys of the other members, as the server returns them. */
  peers: PeerKeys[]
  /** What only a direct room has: how the two stand. null in any other. */
  direct: Direct | null
  /** True if the other accounts were deleted: nothing can be sent. */
  isClosed: boolean
  /** The newest seq of the log. */
  lastSeq: number
  /** Up to here the account has cleared the room, by the server's word: it answers no message there any more. */
  clearedSeq: number
  /** The marks by member id. A member without a mark has received nothing yet. */
  marks: Readonly<Record<string, Mark>>
}

const NOTHING: Mark = { deliveredSeq: 0, readSeq: 0 }

export const markOf = ({ marks }: Pick<Room, 'marks'>, userId: string): Mark => marks[userId] ?? NOTHING

/** Merges a mark. Seqs only increase, so an older receipt changes nothing. */
export function withMark(marks: Room['marks'], userId: string, { deliveredSeq, readSeq }: Mark): Room['marks'] {
  const before = marks[userId] ?? NOTHING
  const mark = { deliveredSeq: Math.max(before.deliveredSeq, deliveredSeq), readSeq: Math.max(before.readSeq, readSeq) }
  return { ...marks, [userId]: mark }
}

/** Returns the delivery status of an own message: that of the member with the lowest mark. */
export function deliveryOf(
  { ownId, memberIds, marks }: Pick<Room, 'ownId' | 'memberIds' | 'marks'>,
  seq: number,
): 'sent' | 'delivered' | 'read' {
  const others = memberIds.filter((id) => id !== ownId).map((id) => marks[id] ?? NOTHING)
  if (others.length === 0) return 'sent'
  if (others.every(({ readSeq }) => readSeq >= seq)) return 'read'
  // A read message counts as delivered, whichever mark arrived first.
  return others.every(({ deliveredSeq, readSeq }) => Math.max(deliveredSeq, readSeq) >= seq) ? 'delivered' : 'sent'
}

/** A room that has another person, not members. */
export type DirectRoom<R extends Room = Room> = R & { direct: Direct }
export const isDirect = <R extends Room>(room: R): room is DirectRoom<R> => room.direct !== null

/** True for a request of somebody to write. */
export const isRequest = ({ direct }: Pick<Room, 'direct'>): boolean => direct?.state === 'pending'

/**
 * True if this browser reads and writes in the room: not in a request before it is accepted, nor in a room of several people, whose
 * members nothing proves.
 */
export const isFollowed = ({ direct }: Pick<Room, 'direct'>): boolean => direct?.state === 'accepted'

/** The room as it is once its request is accepted. */
export const accepted = <R extends Room>(room: R): R =>
  room.direct ? { ...room, direct: { ...room.direct, state: 'accepted' } } : room

/** True while the own account blocks the other person. */
export const isBlocked = ({ direct }: Pick<Room, 'direct'>): boolean => direct?.isBlocked === true

/** True while the other person has not answered the own request, as far as the server says. */
export const isAwaited = ({ direct, isClosed }: Pick<Room, 'direct' | 'isClosed'>): boolean =>
  direct?.state === 'accepted' && !isClosed && !direct.hasAnswered

/** Returns the id of the other person of a direct room; undefined in any other. */
export const personIdOfDirect = ({
  direct,
  ownId,
  memberIds,
}: Pick<Room, 'direct' | 'ownId' | 'memberIds'>): string | undefined =>
  direct ? memberIds.find((id) => id !== ownId) : undefined

/** Returns the ids of a room in the form that the vault takes. */
export const placeOf = ({ id, ownId, memberIds }: Room) => ({
  chatRoomId: id,
  peerIds: memberIds.filter((memberId) => memberId !== ownId),
})
