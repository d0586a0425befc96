import { createStore } from 'zustand/vanilla'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import type { Fork } from '../../worker/crypto.ts'
import { type DirectRoom, isRequest, type Room } from './room.ts'
import { takeVoice } from './voicedrafts.ts'

/** The newest message of a room as its row shows it. */
export interface Preview {
  text: string
  /** `plain` is text that no device has sealed: a program's, or made up by the server. */
  kind: 'text' | 'plain' | 'photo' | 'document' | 'failed' | 'unreadable'
  /** Delivery status; null on messages of others. */
  status: 'sending' | 'sent' | 'delivered' | 'read' | null
}

/** A room with the fields of its row in the list. */
export interface RoomRow extends Room {
  /** ISO 8601. */
  addedAt: string
  lastMessage: ListedRoom['lastMessage']
  /** The time of the newest message of a locked chat; null otherwise. */
  lastMessageAt: string | null
  unreadCount: number
  /** Until then its messages are no news: no dot, and not in the bell (ISO 8601). null once that is over. */
  mutedUntil: string | null
  preview: Preview | null
  /**
   * True if the server shows another state of the room than the account knows. Nothing is sent until the person decides [Note:
   * R8].
   */
  asksRestart: boolean
  /**
   * Device lists of members with the same version. Nothing is sent until the person decides [Note: D2].
   */
  forks: Fork[]
  /** True while the server has a password of the chat. */
  isPasswordProtected: boolean
  /**
   * `shut`: nothing of the room is read or shown here. `interrupted`: the server has a password of the chat and the account's book no
   * lock, so that setting or removing it was interrupted [Note: L1].
   */
  lock: 'none' | 'shut' | 'open' | 'interrupted'
  /** True if the room has or had a lock: its archive keys may stand in pages. */
  hasPages: boolean
  isTyping: boolean
}

/** The row of a direct room. */
export type DirectRow = DirectRoom<RoomRow>

export interface RoomsState {
  status: 'loading' | 'ready' | 'failed'
  /** The rows by room id. */
  rooms: ReadonlyMap<string, RoomRow>
  /** Number of unread messages in accepted rooms that are not muted: what the bell, the title and the icon of the page show. */
  unreadTotal: number
  /** What the server counts changes from; null until the whole list has been read. */
  counter: string | null
  /** Another one after each reset, so that an answer for the account before is not taken for one of the next. */
  session: object
}

const empty = (): RoomsState => ({
  ...{ status: 'loading', rooms: new Map(), unreadTotal: 0, counter: null, session: {} },
})

/** The rooms of the open account. load.ts fills the store; frames (updates.ts) and sent messages change it. */
export const roomsStore = createStore<RoomsState>(empty)

export function resetRooms(): void {
  behind.clear()
  roomsStore.setState(empty())
}

export const roomById = (id: string): RoomRow | undefined => roomsStore.getState().rooms.get(id)

/** Returns the list's current row of a room, or `room` itself if the list has no row of this account. */
export function latestRoom(room: Room): Room {
  const row = roomById(room.id)
  return row?.ownId === room.ownId ? row : room
}

/** True if nothing of a room is shown here until its password is entered. */
export const isShutRow = ({ lock }: Pick<RoomRow, 'lock'>): boolean => lock === 'shut' || lock === 'interrupted'

/** Adds or replaces rooms and removes those in `removedIds`. */
export function putRooms(rows: RoomRow[], removedIds: string[] = []): void {
  const rooms = new Map([...roomsStore.getState().rooms, ...rows.map((row) => [row.id, row] as const)])
  for (const id of removedIds) {
    rooms.delete(id)
    takeVoice(id)?.drop()
  }
  // Summed here and nowhere else, so that no number can differ from the rows.
  const unreadTotal = [...rooms.values()].reduce((sum, row) => sum + (isNews(row) ? row.unreadCount : 0), 0)
  roomsStore.setState({ rooms, unreadTotal })
}

/** True if a row has a red dot and counts in the bell. */
export const isNews = (row: Pick<RoomRow, 'direct' | 'unreadCount' | 'mutedUntil'>): boolean =>
  !isRequest(row) && row.unreadCount > 0 && row.mutedUntil === null

/** Rooms whose rows were read and that have not been brought up to date since. */
const behind = new Set<string>()

export const isBehind = (id: string): boolean => behind.has(id)

/** Notes that these rooms are to be brought up to date. */
export function setBehind(ids: Iterable<string>): void {
  for (const id of ids) behind.add(id)
}

/** Notes that what was read of this room is being brought up to date. */
export const takeBehind = (id: string): boolean => behind.delete(id)

/** Changes one row. Does nothing if the list does not have the room. */
export function changeRoom(id: string, change: (row: RoomRow) => Partial<RoomRow>): void {
  const row = roomById(id)
  if (row) putRooms([{ ...row, ...change(row) }])
}

/** Sorts requests first, then the rooms with the newest messages. */
export const sortRooms = (rooms: Iterable<RoomRow>): RoomRow[] =>
  [...rooms]
    .map((room) => ({ room, rank: isRequest(room) ? 0 : 1, newestMs: Date.parse(newestAt(room) ?? room.addedAt) }))
    .sort((a, b) => a.rank - b.rank || b.newestMs - a.newestMs)
    .map(({ room }) => room)

/** The time of a room's newest message, also of a locked one; undefined if it has none. */
export const newestAt = ({ lastMessage, lastMessageAt }: Pick<RoomRow, 'lastMessage' | 'lastMessageAt'>): string | undefined =>
  lastMessage?.createdAt ?? lastMessageAt ?? undefined
