import type { ListedDirect } from '../../../contract/chat/roomlist.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { PeerKeys } from '../trust/peers.ts'

export interface Mark {
  deliveredSeq: number
  readSeq: number
}

/** `pending` is a request to write: the content stays hidden and the sender learns nothing until acceptance. */
export type Direct = ListedDirect

export interface Room {
  id: string
  ownId: string
  /** Sorted, with the own account. */
  memberIds: string[]
  peers: PeerKeys[]
  direct: Direct | null
  /** True after the other accounts' deletion. */
  isClosed: boolean
  lastSeq: number
  clearedSeq: number
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

export function deliveryOf(
  { ownId, memberIds, marks }: Pick<Room, 'ownId' | 'memberIds' | 'marks'>,
  seq: number,
): 'sent' | 'delivered' | 'read' {
  const others = memberIds.filter((id) => id !== ownId).map((id) => marks[id] ?? NOTHING)
  if (others.length === 0) return 'sent'
  if (others.every(({ readSeq }) => readSeq >= seq)) return 'read'
  // A read message counts as delivered, in any order of marks.
  return others.every(({ deliveredSeq, readSeq }) => Math.max(deliveredSeq, readSeq) >= seq) ? 'delivered' : 'sent'
}

export type DirectRoom<R extends Room = Room> = R & { direct: Direct }
export const isDirect = <R extends Room>(room: R): room is DirectRoom<R> => room.direct !== null

export const isRequest = ({ direct }: Pick<Room, 'direct'>): boolean => direct?.state === 'pending'

export const NOTES = 'Note to self'

/** Its id proves its member [Note: M10]. */
export const isNotes = ({ id, ownId }: Pick<Room, 'id' | 'ownId'>): boolean => id === notesRoomId(ownId)

/** Excludes rooms of several people: nothing proves their members. */
export const isFollowed = (room: Pick<Room, 'direct' | 'id' | 'ownId'>): boolean =>
  room.direct?.state === 'accepted' || isNotes(room)

export const accepted = <R extends Room>(room: R): R =>
  room.direct ? { ...room, direct: { ...room.direct, state: 'accepted' } } : room

export const isBlocked = ({ direct }: Pick<Room, 'direct'>): boolean => direct?.isBlocked === true

export const isAwaited = ({ direct, isClosed }: Pick<Room, 'direct' | 'isClosed'>): boolean =>
  direct?.state === 'accepted' && !isClosed && !direct.hasAnswered

export const personIdOfDirect = ({
  direct,
  ownId,
  memberIds,
}: Pick<Room, 'direct' | 'ownId' | 'memberIds'>): string | undefined =>
  direct ? memberIds.find((id) => id !== ownId) : undefined

export const placeOf = ({ id, ownId, memberIds }: Room) => ({
  chatRoomId: id,
  peerIds: memberIds.filter((memberId) => memberId !== ownId),
})
