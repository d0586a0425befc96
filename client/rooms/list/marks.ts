import { createStore } from 'zustand/vanilla'
import type { Mark } from '../../../contract/chat/content.ts'
import { starName } from '../../../contract/chat/kinds/star.ts'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import type { Env } from '../../env.ts'
import type { Marks } from '../../worker/crypto.ts'
import { lookSoon } from './lifetimes.ts'
import { isNotes, isRequest, markOf, type Room } from './room.ts'

/** Entries of the notes [Note: M13]. */
export const marksStore = createStore<{ marks: Marks; isLoaded: boolean }>(() => ({ marks: {}, isLoaded: false }))

export async function loadMarks(env: Env): Promise<void> {
  marksStore.setState({ marks: await env.crypto.marks(), isLoaded: true })
  for (const id of await env.crypto.hidingRooms()) lookSoon(id)
}

export const resetMarks = (): void => marksStore.setState({ marks: {}, isLoaded: false })

type Row = Pick<Room, 'id' | 'ownId' | 'direct' | 'marks'> &
  Pick<ListedRoom, 'lastMessage' | 'lastMessageAt' | 'unreadCount' | 'mutedUntil'> & { preview: { missedSeq?: number } | null }

const told = ({ id }: Pick<Room, 'id'>, is: Mark['is'] | 'deleted', marks: Marks) => {
  const mark = marks[id]?.[is]
  return mark?.on ? mark : undefined
}

export const isMarkable = (room: Pick<Room, 'id' | 'ownId' | 'direct'>): boolean =>
  isNotes(room) || (room.direct !== null && !isRequest(room))

export const isPinned = (room: Row, marks: Marks): boolean =>
  isMarkable(room) && told(room, 'pinned', marks) !== undefined && !isArchived(room, marks) && !isDeleted(room, marks)

/** A message brings a chat back unless it is muted. */
export function isArchived(room: Row, marks: Marks): boolean {
  const mark = isMarkable(room) ? told(room, 'archived', marks) : undefined
  return mark !== undefined && !isDeleted(room, marks) && (room.mutedUntil !== null || !hasComeAfter(mark.at, room))
}

/** A message or a request brings it back. */
export function isDeleted(room: Row, marks: Marks): boolean {
  const mark = isRequest(room) ? undefined : told(room, 'deleted', marks)
  return mark !== undefined && !hasComeAfter(mark.at, room)
}

export const isMarkedDeleted = ({ id }: Pick<Room, 'id'>, marks: Marks): boolean => marks[id]?.deleted?.on === true

/** Locked chats show no place. */
function hasComeAfter(at: number, { lastMessage, lastMessageAt, unreadCount, preview }: Row): boolean {
  if ((preview?.missedSeq ?? 0) > at) return true
  return lastMessage ? lastMessage.seq > at : lastMessageAt !== null && unreadCount > 0
}

/** Reading something newer ends it. */
export function isMarkedUnread(room: Row, marks: Marks): boolean {
  const mark = isMarkable(room) ? told(room, 'unread', marks) : undefined
  return mark !== undefined && markOf(room, room.ownId).readSeq <= mark.at
}

export const isStarred = (marks: Marks, chatRoomId: string, message: { senderId?: string; id: string }): boolean =>
  marks[chatRoomId]?.[starName({ senderId: '', ...message })]?.on === true
