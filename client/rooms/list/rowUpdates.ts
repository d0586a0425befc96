import type { FrameOf } from '../../../contract/frames.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { showPresence } from '../trust/people.ts'
import { readSeqOf } from './readMarks.ts'
import { withMark } from './room.ts'
import { changedBetween, changeRoom, roomById, roomsStore } from './roomList.ts'

const updates = new Map<string, number>()
export const updatesOf = (chatRoomId: string): number => updates.get(chatRoomId) ?? 0
export const allUpdates = (): ReadonlyMap<string, number> => new Map(updates)
const countUpdate = (chatRoomId: string) => updates.set(chatRoomId, updatesOf(chatRoomId) + 1)

export function addNewest(message: FrameOf<'message'>['data'], isSeen = false): void {
  countUpdate(message.chatRoomId)
  changeRoom(message.chatRoomId, (room) => {
    if (message.isSilent) return { lastSeq: Math.max(room.lastSeq, message.seq) }
    if (message.seq <= room.lastSeq && room.lastMessage && room.lastMessage.seq >= message.seq) return {}
    const isMine = message.senderId === room.ownId
    const unreadCount = isMine || isSeen || message.seq <= readSeqOf(room) ? room.unreadCount : room.unreadCount + 1
    return {
      lastMessage: message,
      lastSeq: Math.max(room.lastSeq, message.seq),
      unreadCount,
      isTyping: false,
    }
  })
}

/** Returns false if messages follow the own read mark: only the list's row says whether these are unread. */
export function onReceipt({ chatRoomId, userId, deliveredSeq, readSeq }: FrameOf<'receipt'>['data']): boolean {
  countUpdate(chatRoomId)
  changeRoom(chatRoomId, (room) => {
    const marks = withMark(room.marks, userId, { deliveredSeq, readSeq })
    if (userId !== room.ownId) return { marks }
    const unreadCount = readSeq >= room.lastSeq ? 0 : room.unreadCount
    return { marks, unreadCount, readAt: null }
  })
  const row = roomById(chatRoomId)
  return userId !== row?.ownId || row.unreadCount === 0
}

/** A pending request for rows is outdated by this frame. */
export function onPresence(ownId: string, presence: FrameOf<'presence'>['data']): void {
  const note = (id: string) => {
    countUpdate(id)
    changedBetween.add(id)
  }
  note(directRoomId(ownId, presence.userId))
  for (const { id, direct, memberIds } of roomsStore.getState().rooms.values())
    if (!direct && memberIds.includes(presence.userId)) note(id)
  showPresence(presence)
}

const typingEnds = new Map<string, ReturnType<typeof setTimeout>>()

/** The frame that ends it may be lost. */
export function onTyping({ chatRoomId, isTyping }: FrameOf<'typing'>['data']): void {
  clearTimeout(typingEnds.get(chatRoomId))
  showTyping(chatRoomId, isTyping)
  if (isTyping)
    typingEnds.set(
      chatRoomId,
      setTimeout(() => showTyping(chatRoomId, false), PERIODS.typingShownMs),
    )
}

function showTyping(chatRoomId: string, isTyping: boolean): void {
  if (roomById(chatRoomId)?.isTyping !== isTyping) changeRoom(chatRoomId, () => ({ isTyping }))
}
