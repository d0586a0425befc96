import { createStore } from 'zustand/vanilla'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import type { Fork, Marks } from '../../worker/crypto.ts'
import { isPinned, marksStore } from './marks.ts'
import { type DirectRoom, isRequest, markOf, type Room } from './room.ts'
import { takeVoice } from './voicedrafts.ts'

export interface Preview {
  text: string
  /** `plain` is unsealed text from a program or the server. */
  kind: 'text' | 'plain' | 'photo' | 'document' | 'call' | 'missed' | 'failed' | 'unreadable'
  /** null on messages of others. */
  status: 'sending' | 'sent' | 'delivered' | 'read' | null
  /** The place of the deleted message that it tells of. */
  deletedSeq?: number
  missedSeq?: number
}

export interface RoomRow extends Room {
  /** ISO 8601. */
  addedAt: string
  lastMessage: ListedRoom['lastMessage']
  /** Only for locked chats; null otherwise. */
  lastMessageAt: string | null
  unreadCount: number
  /** ISO 8601; null after that time. */
  mutedUntil: string | null
  /** ISO 8601. */
  readAt?: string | null | undefined
  preview: Preview | null
  /** The server shows another state than the account knows. Sending stops until the person decides [Note: R8]. */
  asksRestart: boolean
  /** Contradicting device lists of members. A proven one stops sending until the person decides [Note: D2]. */
  forks: Fork[]
  isPasswordProtected: boolean
  /** `interrupted`: the server has a password but the book has no lock; `claimed`: the reverse [Note: L1]. */
  lock: 'none' | 'shut' | 'open' | 'interrupted' | 'claimed'
  /** True if the room has or had a lock: pages may hold its archive keys. */
  hasPages: boolean
  isTyping: boolean
}

export type DirectRow = DirectRoom<RoomRow>

export interface RoomsState {
  status: 'loading' | 'ready' | 'failed'
  rooms: ReadonlyMap<string, RoomRow>
  /** Counts accepted, unmuted rooms. */
  unreadTotal: number
  /** Start of the next changes; null before the whole list was read. */
  counter: string | null
  /** Each reset makes a new object, so a late answer for the former account is refused. */
  session: object
}

const empty = (): RoomsState => ({
  ...{ status: 'loading', rooms: new Map(), unreadTotal: 0, counter: null, session: {} },
})

export const roomsStore = createStore<RoomsState>(empty)

export function resetRooms(): void {
  behind.clear()
  unanswered.clear()
  changedBetween.clear()
  roomsStore.setState(empty())
}

export const roomById = (id: string): RoomRow | undefined => roomsStore.getState().rooms.get(id)

/** Returns the current row, or `room` if the list has no row of this account. */
export function latestRoom(room: Room): Room {
  const row = roomById(room.id)
  return row?.ownId === room.ownId ? row : room
}

export const isShutRow = ({ lock }: Pick<RoomRow, 'lock'>): boolean => lock !== 'none' && lock !== 'open'

export function isShut({ id }: Pick<RoomRow, 'id'>): boolean {
  const row = roomById(id)
  return row !== undefined && isShutRow(row)
}

export function putRooms(rows: RoomRow[], removedIds: string[] = []): void {
  const rooms = new Map([...roomsStore.getState().rooms, ...rows.map((row) => [row.id, row] as const)])
  for (const id of removedIds) {
    rooms.delete(id)
    takeVoice(id)?.drop()
  }
  // The only sum, so the number always matches the rows.
  const unreadTotal = [...rooms.values()].reduce((sum, row) => sum + (isNews(row) ? row.unreadCount : 0), 0)
  roomsStore.setState({ rooms, unreadTotal })
}

export const isNews = (row: Pick<RoomRow, 'direct' | 'unreadCount' | 'mutedUntil'>): boolean =>
  !isRequest(row) && row.unreadCount > 0 && row.mutedUntil === null

/** A missed call has no count. */
export const hasMissedCall = (row: Pick<RoomRow, 'preview' | 'lastSeq' | 'marks' | 'ownId'>): boolean =>
  row.preview?.kind === 'missed' && row.lastSeq > markOf(row, row.ownId).readSeq

/** Rooms with a new row and a log still to catch up. */
const behind = new Set<string>()

export const isBehind = (id: string): boolean => behind.has(id)

export function setBehind(ids: Iterable<string>): void {
  for (const id of ids) behind.add(id)
}

export const takeBehind = (id: string): boolean => behind.delete(id)

/** Kept rows: only the answer says what is unread. */
const unanswered = new Set<string>()

export const isUnanswered = (id: string): boolean => unanswered.has(id)

export function setUnanswered(ids: Iterable<string>): void {
  for (const id of ids) unanswered.add(id)
}

export function setAnswered(ids: Iterable<string>): void {
  for (const id of ids) unanswered.delete(id)
}

/** Changed by a frame or by id: the list does not name a row that changed back. */
export const changedBetween = new Set<string>()

export function changeRoom(id: string, change: (row: RoomRow) => Partial<RoomRow>): void {
  const row = roomById(id)
  if (row) putRooms([{ ...row, ...change(row) }])
}

/** Requests first, then pins in their order; the newest of the others. */
export const sortRooms = (rooms: Iterable<RoomRow>, { marks }: { marks: Marks } = marksStore.getState()): RoomRow[] =>
  [...rooms]
    .map((room) => ({
      room,
      rank: isRequest(room) ? 0 : isPinned(room, marks) ? 1 : 2,
      newestMs: Date.parse(newestAt(room) ?? room.addedAt),
      place: marks[room.id]?.['pinned']?.seq ?? 0,
    }))
    .sort((a, b) => a.rank - b.rank || (a.rank === 1 ? a.place - b.place : b.newestMs - a.newestMs))
    .map(({ room }) => room)

export const newestAt = ({ lastMessage, lastMessageAt }: Pick<RoomRow, 'lastMessage' | 'lastMessageAt'>): string | undefined =>
  lastMessage?.createdAt ?? lastMessageAt ?? undefined
