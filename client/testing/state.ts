import { createHash } from 'node:crypto'
import type { AccountKeys, KeyChange, SealedBook, Unlock } from '../../contract/devices.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { ArchiveKey, LogEntry, RoomGroup } from '../../contract/rooms.ts'
import { ApiError } from '../net/api.ts'
import type { Mark } from '../rooms/room.ts'

export interface Account {
  keys: AccountKeys
  /** The newest. */
  book: SealedBook
  /** The newest of each device, by its id. */
  books?: Record<string, SealedBook>
  packages: { deviceId: string; keyPackage: string; isLastResort: boolean }[]
  username: string
  /** What the password and the recovery kit show the server. */
  authSecret: string | null
  kitSecret: string | null
  historySeals: KeyChange['historySeals']
  /** Of the device that was added last. */
  unlock: Unlock | null
}

export interface Room {
  log: LogEntry[]
  generation: number
  groupId: string | null
  epoch: number
  groupInfo: string | null
  welcome: RoomGroup['welcome']
  archiveKeys: (ArchiveKey & { slot?: 'committer' | 'own_device' })[]
  /** A device was removed: nothing is sealed here before a commit that knows it. */
  needsCommit: boolean
}

/** What the server in memory holds. */
export interface ServerState {
  accounts: Map<string, Account>
  rooms: Map<string, Room>
  /** Accounts that are gone: their keys are too. */
  deleted: Set<string>
  /** By `user id, space, user id`: what the first one has of the other on the list. */
  contacts: Map<string, Listed>
  /** Nobody has anybody on the list before they are added. Else everybody has accepted everybody. */
  areStrangers: boolean
  /** By `room id, space, user id`. */
  marks: Map<string, Mark>
}

export interface Listed {
  id: string
  state: 'pending' | 'accepted' | 'declined'
}

/** How far somebody has come in a room. */
export const marksOf = ({ marks }: ServerState, chatRoomId: string, userId: string): Mark =>
  marks.get(`${chatRoomId} ${userId}`) ?? { deliveredSeq: 0, readSeq: 0 }

/** What answers a call. */
export type Verb = [Endpoint, (input: never, userId: string, deviceId: string) => unknown]

/** The salt of a username's password. */
export const saltOf = (username: string): string =>
  createHash('sha256').update(username).digest().subarray(0, 16).toString('base64')

export function accountIn({ accounts }: ServerState, userId: string): Account {
  const account = accounts.get(userId)
  if (!account) throw new ApiError(404, 'not_found', 'Not found')
  return account
}

/** A room, made where nobody has been before. */
export function roomIn({ rooms }: ServerState, chatRoomId: string): Room {
  const room = rooms.get(chatRoomId)
  if (room) return room
  const fresh: Room = {
    log: [],
    generation: 0,
    groupId: null,
    epoch: 0,
    groupInfo: null,
    welcome: null,
    archiveKeys: [],
    needsCommit: false,
  }
  rooms.set(chatRoomId, fresh)
  return fresh
}
