import { Archive, ArchiveRestore, ArrowDown, ArrowUp, Bell, BellOff, Mail, MailOpen, Pin, PinOff } from 'lucide-react'
import type { Mark } from '../../../contract/chat/content.ts'
import { unmuteRoom } from '../../alerts/notifications/mute.ts'
import { setMark, setPins } from '../../chat/messages/setMark.ts'
import type { Env } from '../../env.ts'
import { isArchived, isMarkable, isMarkedUnread, isPinned, marksStore } from '../../rooms/list/marks.ts'
import { markAllRead } from '../../rooms/list/readMarks.ts'
import { isNotes } from '../../rooms/list/room.ts'
import { type RoomRow, roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { failureWords } from '../../ui/failure.ts'
import type { MenuItem } from '../../ui/Menu.tsx'
import { showToast } from '../../ui/toast.ts'
import { askAct } from './acts.ts'
import { sayMoved } from './moved.ts'
import { neighbourOf } from './neighbourOf.ts'

/** More would fill a phone’s screen. */
const PINS_MAX = 5

/** What the account can mark a row with. */
export function markItems(env: Env, room: RoomRow, name: string): MenuItem[] {
  if (!isMarkable(room)) return []
  const { marks } = marksStore.getState()
  const set = (is: Mark['is'], on: boolean) => tries(() => setMark(env, room, is, on))

  function pin() {
    if (pinnedRows().length >= PINS_MAX)
      return showToast({ tone: 'plain', title: `${PINS_MAX} chats are pinned`, text: 'Unpin one of them first.' })
    void set('pinned', true)
  }

  async function archive() {
    const focusNeighbour = neighbourOf(room.id)
    const done = set('archived', true)
    focusNeighbour()
    if (!(await done)) return
    showToast({
      tone: 'plain',
      title: `${name} is archived`,
      text: room.mutedUntil ? 'It stays there while it is muted.' : 'It comes back with its next message.',
      action: { words: 'Undo', run: () => void set('archived', false) },
    })
  }

  async function read() {
    if (isMarkedUnread(room, marks)) await set('unread', false)
    if (room.unreadCount > 0) await tries(() => markAllRead(env, [room]))
  }

  const isUnread = room.unreadCount > 0 || isMarkedUnread(room, marks)
  const isAway = isArchived(room, marks)
  const pinItem = isPinned(room, marks)
    ? { icon: PinOff, label: 'Unpin', press: 'P', onSelect: () => void set('pinned', false) }
    : { icon: Pin, label: 'Pin', press: 'P', onSelect: pin }
  const readItem = isUnread
    ? { icon: MailOpen, label: 'Mark as read', press: 'U', onSelect: () => void read() }
    : { icon: Mail, label: 'Mark as unread', press: 'U', onSelect: () => void set('unread', true) }
  return [
    ...(isAway ? [] : [pinItem, ...moveItems(env, room)]),
    ...(isNotes(room) ? [] : [readItem]),
    isAway
      ? { icon: ArchiveRestore, label: 'Move out of the archive', press: 'E', onSelect: () => void set('archived', false) }
      : { icon: Archive, label: 'Archive', press: 'E', onSelect: () => void archive() },
  ]
}

export const muteItem = (env: Env, room: RoomRow): MenuItem =>
  room.mutedUntil
    ? { icon: Bell, label: 'Unmute', press: 'M', onSelect: () => void unmuteRoom(env, room) }
    : { icon: BellOff, label: 'Mute', press: 'M', onSelect: () => askAct('mute', room.id) }

/** In their order. */
export const pinnedRows = (): RoomRow[] =>
  sortRooms(roomsStore.getState().rooms.values()).filter((row) => isPinned(row, marksStore.getState().marks))

function moveItems(env: Env, room: RoomRow): MenuItem[] {
  const at = pinnedRows().findIndex(({ id }) => id === room.id)
  if (at < 0) return []
  const up = { icon: ArrowUp, label: 'Move up', press: 'Alt Shift ↑', onSelect: () => void movePin(env, room.id, -1) }
  const down = { icon: ArrowDown, label: 'Move down', press: 'Alt Shift ↓', onSelect: () => void movePin(env, room.id, 1) }
  return [...(at > 0 ? [up] : []), ...(at < pinnedRows().length - 1 ? [down] : [])]
}

let moving: Promise<void> = Promise.resolve()

/** Moves a pinned chat by so many places among the pinned, after the moves before. */
export function movePin(env: Env, chatRoomId: string, by: number): Promise<void> {
  moving = moving.then(() => moveBy(env, chatRoomId, by))
  return moving
}

async function moveBy(env: Env, chatRoomId: string, by: number): Promise<void> {
  const before = pinnedRows()
  const from = before.findIndex(({ id }) => id === chatRoomId)
  const to = Math.max(0, Math.min(before.length - 1, from + by))
  if (from < 0 || to === from) return
  const after = before.toSpliced(from, 1).toSpliced(to, 0, ...before.slice(from, from + 1))
  // Pins are ordered by the seq of their mark: everything from the first changed place is marked again.
  if (await tries(() => setPins(env, after.slice(Math.min(from, to))))) sayMoved(`Moved to ${to + 1} of ${after.length}`)
}

async function tries(run: () => Promise<void>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    showToast({ tone: 'bad', title: 'The chat was not marked', text: failureWords(error) })
    return false
  }
}
