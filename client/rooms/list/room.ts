import type { PeerKeys } from '../trust/peers.ts'

/** The seqs up to which a member has received and read a room's log. */
export interface Mark {
  deliveredSeq: number
  readSeq: number
}

/** A conversation as the server describes it. trust/people.ts has its people by id. */
export interface Room {
  id: string
  type: 'direct' | 'group'
  /** The id of the own account. */
  ownId: string
  /** The ids of all members including the own account, sorted. */
  memberIds: string[]
  /** The keys of the other members, as the server returns them. */
  peers: PeerKeys[]
  /**
   * `pending` is a request to write: none of its content is shown, and the sender learns nothing, until the person accepts it.
   */
  state: 'pending' | 'accepted'
  /** False while the other person has not answered the own request. */
  hasAnswered: boolean
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

/** True while the other person has not answered the own request, as far as the server says. */
export const isAwaited = ({ state, isClosed, hasAnswered }: Pick<Room, 'state' | 'isClosed' | 'hasAnswered'>): boolean =>
  state === 'accepted' && !isClosed && !hasAnswered

/** Returns the id of the other person in a direct room. */
export const peerIdOf = ({ type, ownId, memberIds }: Pick<Room, 'type' | 'ownId' | 'memberIds'>): string | undefined =>
  type === 'direct' ? memberIds.find((id) => id !== ownId) : undefined

/** Returns the ids of a room in the form that the vault takes. */
export const placeOf = ({ id, ownId, memberIds }: Room) => ({
  chatRoomId: id,
  peerIds: memberIds.filter((memberId) => memberId !== ownId),
})
