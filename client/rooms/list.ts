import { createStore } from 'zustand/vanilla'
import type { Contact } from '../../contract/contacts.ts'
import type { Room } from './room.ts'

/** The newest words of a room, as they stand under its name. */
export interface Preview {
  text: string
  /** `plain`: words that no device has sealed: a program's, or made up by the server. */
  kind: 'text' | 'plain' | 'photo' | 'document' | 'failed' | 'unreadable'
  /** Ticks, on own messages only. */
  status: 'sending' | 'sent' | 'delivered' | 'read' | null
}

/** A room with what the list shows of it. */
export interface RoomRow extends Room {
  /** Names a request when it is accepted or declined. */
  contactId: string
  /** ISO 8601. */
  addedAt: string
  lastMessage: Contact['lastMessage']
  unreadCount: number
  hasUnreadNotifications: boolean
  preview: Preview | null
  /** The server shows another state of the room than the account knows: nothing is sent until the person decides [Note: R8]. */
  asksRestart: boolean
  isTyping: boolean
}

export interface RoomsState {
  status: 'loading' | 'ready' | 'failed'
  /** By room id. */
  rooms: ReadonlyMap<string, RoomRow>
  /** Unread messages in accepted rooms, from the server. */
  unreadTotal: number
}

const EMPTY: RoomsState = { status: 'loading', rooms: new Map(), unreadTotal: 0 }

/** The rooms of the open account: filled by load.ts, changed by frames (updates.ts) and by what this browser sends. */
export const roomsStore = createStore<RoomsState>(() => EMPTY)

export const resetRooms = (): void => roomsStore.setState(EMPTY)

export const roomById = (id: string): RoomRow | undefined => roomsStore.getState().rooms.get(id)

/** A room as the list has it by now; as it was given where the list, which another account may have filled since, has it not. */
export function latestRoom(room: Room): Room {
  const row = roomById(room.id)
  return row?.ownId === room.ownId ? row : room
}

/** Adds rooms, each in the place of its row of before, and takes away those that are gone. */
export function putRooms(rows: RoomRow[], removedIds: string[] = []): void {
  const rooms = new Map([...roomsStore.getState().rooms, ...rows.map((row) => [row.id, row] as const)])
  for (const id of removedIds) rooms.delete(id)
  roomsStore.setState({ rooms })
}

/** Changes one row; nothing where the list does not have the room. */
export function changeRoom(id: string, change: (row: RoomRow) => Partial<RoomRow>): void {
  const row = roomById(id)
  if (row) putRooms([{ ...row, ...change(row) }])
}

/** Requests first, then the newest conversation. */
export const sortRooms = (rooms: Iterable<RoomRow>): RoomRow[] =>
  [...rooms].sort((a, b) => rank(a) - rank(b) || Date.parse(newestAt(b)) - Date.parse(newestAt(a)))
const rank = ({ state }: RoomRow) => (state === 'pending' ? 0 : 1)
const newestAt = ({ lastMessage, addedAt }: RoomRow) => lastMessage?.createdAt ?? addedAt
