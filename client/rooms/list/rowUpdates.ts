import type { FrameOf } from '../../../contract/frames.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { showPresence } from '../trust/people.ts'
import { withMark } from './room.ts'
import { changeRoom, roomById, roomsStore } from './roomList.ts'

/** Number of frames that have changed a room's row so far, by room id. */
const updates = new Map<string, number>()
export const updatesOf = (chatRoomId: string): number => updates.get(chatRoomId) ?? 0
/** A copy of all of them. */
export const allUpdates = (): ReadonlyMap<string, number> => new Map(updates)
const countUpdate = (chatRoomId: string) => updates.set(chatRoomId, updatesOf(chatRoomId) + 1)

/** Stores a message as the newest of its room, and counts it as unread if it was not seen. */
export function addNewest(message: FrameOf<'message'>['data'], isSeen: boolean): void {
  countUpdate(message.chatRoomId)
  changeRoom(message.chatRoomId, (room) => {
    if (message.seq <= room.lastSeq && room.lastMessage && room.lastMessage.seq >= message.seq) return {}
    const isMine = message.senderId === room.ownId
    const unreadCount = isMine || isSeen ? room.unreadCount : room.unreadCount + 1
    return {
      lastMessage: message,
      lastSeq: Math.max(room.lastSeq, message.seq),
      unreadCount,
      isTyping: false,
    }
  })
}

/**
 * Applies a receipt of any member. Own marks come from another page or browser. Returns false if messages follow the own read
 * mark: only the row of the list shows whether they are unread or the own.
 */
export function onReceipt({ chatRoomId, userId, deliveredSeq, readSeq }: FrameOf<'receipt'>['data']): boolean {
  countUpdate(chatRoomId)
  changeRoom(chatRoomId, (room) => {
    const marks = withMark(room.marks, userId, { deliveredSeq, readSeq })
    if (userId !== room.ownId) return { marks }
    const unreadCount = readSeq >= room.lastSeq ? 0 : room.unreadCount
    return { marks, unreadCount }
  })
  const row = roomById(chatRoomId)
  return userId !== row?.ownId || row.unreadCount === 0
}

/** Shows what may be seen of a person now: a row that was asked for before shows what was seen then. */
export function onPresence(ownId: string, presence: FrameOf<'presence'>['data']): void {
  countUpdate(directRoomId(ownId, presence.userId))
  for (const { id, direct, memberIds } of roomsStore.getState().rooms.values())
    if (!direct && memberIds.includes(presence.userId)) countUpdate(id)
  showPresence(presence)
}

const typingEnds = new Map<string, ReturnType<typeof setTimeout>>()

/** Shows "typing…" and hides it after a few seconds, in case the end is not received. */
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
