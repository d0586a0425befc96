import { createStore } from 'zustand/vanilla'
import type { ListedRoom } from '../../contract/roomlist.ts'
import type { Fork } from '../crypto/crypto.ts'
import type { Room } from './room.ts'

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
  /** Id by which a request is accepted or declined. */
  contactId: string
  /** ISO 8601. */
  addedAt: string
  lastMessage: ListedRoom['lastMessage']
  unreadCount: number
  hasUnreadNotifications: boolean
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
  isTyping: boolean
}

export interface RoomsState {
  status: 'loading' | 'ready' | 'failed'
  /** The rows by room id. */
  rooms: ReadonlyMap<string, RoomRow>
  /** Number of unread messages in accepted rooms. */
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

/** Adds or replaces rooms and removes those in `removedIds`. */
export function putRooms(rows: RoomRow[], removedIds: string[] = []): void {
  const rooms = new Map([...roomsStore.getState().rooms, ...rows.map((row) => [row.id, row] as const)])
  for (const id of removedIds) rooms.delete(id)
  roomsStore.setState({ rooms })
}

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
    .map((room) => ({ room, rank: room.state === 'pending' ? 0 : 1, newestMs: Date.parse(newestAt(room)) }))
    .sort((a, b) => a.rank - b.rank || b.newestMs - a.newestMs)
    .map(({ room }) => room)
const newestAt = ({ lastMessage, addedAt }: RoomRow) => lastMessage?.createdAt ?? addedAt
