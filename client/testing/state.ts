import { createHash } from 'node:crypto'
import type { AccountKeys, KeyChange, SealedBook, Unlock } from '../../contract/account/devices.ts'
import type { Passkey } from '../../contract/account/passkeys.ts'
import type { Session, SignIn } from '../../contract/account/sessions.ts'
import type { ArchiveKey, LogEntry, RoomGroup } from '../../contract/chat/rooms.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { membersOfDirectRoom } from '../../contract/ground/shapes.ts'
import { ApiError } from '../net/api.ts'
import type { Mark } from '../rooms/list/room.ts'

export interface Account {
  keys: AccountKeys
  /** The newest book. */
  book: SealedBook
  /** The newest book of each device, by device id. */
  books?: Record<string, SealedBook>
  packages: { deviceId: string; keyPackage: string; isLastResort: boolean }[]
  username: string
  /** The secrets with which the password and the recovery kit authenticate to the server. */
  authSecret: string | null
  kitSecret: string | null
  historySeals: KeyChange['historySeals']
  /** Sessions besides those of the account's devices, and sign-ins; none until a test adds them. */
  sessions?: Session[]
  signIns?: (SignIn & { answeredBy: string[] })[]
  /** The devices whose session sleeps [Note: D4]. */
  asleep?: Set<string>
  /** The passkeys that sign in, and whether the password needs one. */
  passkeys?: Passkey[]
  biometricEnabled?: boolean
  /** The unlock data of the device added last. */
  unlock: Unlock | null
  /** The unlock data of each device, by device id. */
  unlocks?: Record<string, Unlock>
}

export interface Room {
  log: LogEntry[]
  generation: number
  groupId: string | null
  epoch: number
  groupInfo: string | null
  welcome: RoomGroup['welcome']
  archiveKeys: (ArchiveKey & { slot?: 'committer' | 'own_device'; pagedBy?: string })[]
  /** True after a device was removed: the server accepts no message before a commit that knows the removal. */
  needsCommit: boolean
  /** Places that their author took back. */
  emptied?: Set<number>
  /** Places that open once. */
  once?: Set<number>
}

/** The data of the server in memory. */
export interface ServerState {
  accounts: Map<string, Account>
  rooms: Map<string, Room>
  /** The ids of deleted accounts, whose keys are deleted too. */
  deleted: Set<string>
  /** The first account's contact entry for the second, by `user id, space, user id`. */
  contacts: Map<string, Listed>
  /** If true, accounts are no contacts until they are added. If false, all accounts have accepted each other. */
  areStrangers: boolean
  /** The marks by `room id, space, user id`. */
  marks: Map<string, Mark>
  /** The archive pages by `user id, space, room id`, the newest of each number first, and after it that of another device. */
  archivePages: Map<string, ArchivePage[]>
}

export interface ArchivePage {
  writtenBy: string
  number: number
  version: number
  historyKeyId: number | null
  sealed: string
}

export interface Listed {
  id: string
  state: 'pending' | 'accepted' | 'declined'
  /** ISO 8601. */
  addedAt: string
  isBlocked?: boolean
  /** The places at which the other was blocked: from the first seq to the last one, which an open block has not. */
  withheld?: [from: number, to: number][]
  clearedSeq?: number
  /** `verifiedAt` has the time of the last verification by device. */
  chatPassword?: { verifier: string; lockSecret: string; wrong: number; verifiedAt: Map<string, number> }
}

/** True if an entry's message is withheld from this account: cleared by it, or from somebody whom it blocked then. */
export function isWithheldFrom(state: ServerState, userId: string, { chatRoomId, seq, senderId }: LogEntry): boolean {
  const { contacts } = state
  if (roomIn(state, chatRoomId).emptied?.has(seq)) return true
  const otherId = membersOfDirectRoom(chatRoomId).find((id) => id !== userId) ?? ''
  const { clearedSeq = 0, withheld = [] } = contacts.get(`${userId} ${otherId}`) ?? {}
  return seq <= clearedSeq || (senderId !== userId && withheld.some(([from, to]) => seq >= from && seq <= to))
}

/** Returns the delivered and read marks of an account in a room. */
export const marksOf = ({ marks }: ServerState, chatRoomId: string, userId: string): Mark =>
  marks.get(`${chatRoomId} ${userId}`) ?? { deliveredSeq: 0, readSeq: 0 }

/** An endpoint with its handler. */
export type Verb = [Endpoint, (input: never, userId: string, deviceId: string) => unknown]

/** Returns the password salt of a username. */
export const saltOf = (username: string): string =>
  createHash('sha256').update(username).digest().subarray(0, 16).toString('base64')

export function accountIn({ accounts }: ServerState, userId: string): Account {
  const account = accounts.get(userId)
  if (!account) throw new ApiError(404, 'not_found', 'Not found')
  return account
}

/** Returns a room; creates it on first use. */
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
