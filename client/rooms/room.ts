import type { PeerKeys } from '../trust/peers.ts'

/** How far a member has received and read a room's log. */
export interface Mark {
  deliveredSeq: number
  readSeq: number
}

/** A conversation, as the server describes it. What is known of the people in it is looked up by their ids (trust/people.ts). */
export interface Room {
  id: string
  type: 'direct' | 'group'
  /** The member whose browser this is. */
  ownId: string
  /** All members, the own account among them, sorted. */
  memberIds: string[]
  /** The keys of the other members, as the server names them. */
  peers: PeerKeys[]
  /** `pending`: somebody asks to write; nothing of theirs is shown, and they learn nothing, until the request is accepted. */
  state: 'pending' | 'accepted'
  /** The other accounts are gone: nothing can be sent. */
  isClosed: boolean
  /** The newest place in the log. */
  lastSeq: number
  /** By member id. A member without a mark has received nothing yet. */
  marks: Readonly<Record<string, Mark>>
}

const NOTHING: Mark = { deliveredSeq: 0, readSeq: 0 }

export const markOf = ({ marks }: Pick<Room, 'marks'>, userId: string): Mark => marks[userId] ?? NOTHING

/** Marks only rise: an older receipt changes nothing. */
export function withMark(marks: Room['marks'], userId: string, { deliveredSeq, readSeq }: Mark): Room['marks'] {
  const before = marks[userId] ?? NOTHING
  const mark = { deliveredSeq: Math.max(before.deliveredSeq, deliveredSeq), readSeq: Math.max(before.readSeq, readSeq) }
  return { ...marks, [userId]: mark }
}

/** How far an own message has come: as far as with that member who is furthest behind. */
export function deliveryOf(
  { ownId, memberIds, marks }: Pick<Room, 'ownId' | 'memberIds' | 'marks'>,
  seq: number,
): 'sent' | 'delivered' | 'read' {
  const others = memberIds.filter((id) => id !== ownId).map((id) => marks[id] ?? NOTHING)
  if (others.length === 0) return 'sent'
  if (others.every(({ readSeq }) => readSeq >= seq)) return 'read'
  // What was read has been delivered, whichever mark came first.
  return others.every(({ deliveredSeq, readSeq }) => Math.max(deliveredSeq, readSeq) >= seq) ? 'delivered' : 'sent'
}

/** The other person of a direct room. */
export const peerIdOf = ({ type, ownId, memberIds }: Pick<Room, 'type' | 'ownId' | 'memberIds'>): string | undefined =>
  type === 'direct' ? memberIds.find((id) => id !== ownId) : undefined

/** A room as the vault knows it. */
export const placeOf = ({ id, ownId, memberIds }: Room) => ({
  chatRoomId: id,
  peerIds: memberIds.filter((memberId) => memberId !== ownId),
})
