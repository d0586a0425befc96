import { z } from 'zod'
import { sameBytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'

/** The name of the row that has the locks of all rooms of this vault. */
export const LOCKS = 'locks'

/** The lock of one room in this vault [Note: L1]. It holds from the moment at which it is written: the room's rows follow it. */
export interface RoomLock {
  /** The count of the book's entry that it follows. */
  n: number
  /** The X-Wing public key of the lock, base64. */
  publicKey: string
  /** The keys that seal the room's rows, by the index that a row names; the newest seals what is written. */
  rowKeys: SealedRowKey[]
  /** False while rows are left that are sealed under none of them. */
  isSealed: boolean
  /** True while the lock is taken off: what is written is sealed no more. */
  isOff?: boolean
}

/** A row key, sealed to the public key of a lock, both base64. */
export interface SealedRowKey {
  publicKey: string
  sealed: string
}

/** By room id. */
export type RoomLocks = Record<string, RoomLock>

export const locksShape: z.ZodType<RoomLocks> = z.record(
  z.string(),
  z.looseObject({
    n: z.number(),
    publicKey: z.string(),
    rowKeys: z.array(z.looseObject({ publicKey: z.string(), sealed: z.string() })),
    isSealed: z.boolean(),
    isOff: z.boolean().exactOptional(),
  }),
)

/** The row keys of a room that is open, by their index in the lock; a missing one opens no row. */
export type RowKeys = readonly (CryptoKey | undefined)[]

/** The locks as they were read, with the row's bytes: another tab may have changed them since. */
export interface LocksRead {
  bytes: Uint8Array | undefined
  locks: RoomLocks
}

/** True if the row of locks still has the bytes that were read. */
export const isUnchanged = ({ bytes }: LocksRead, now: unknown): boolean =>
  now instanceof Uint8Array ? bytes !== undefined && sameBytes(bytes, now) : bytes === undefined

/** Rows named `<kind>:<room id>`, alone or with more behind it. */
const SEALED_KINDS = ['room', 'draft', 'pending', 'pages', 'upload']
/** What the search makes of a room's messages; none of it is kept of a locked room. */
export const SEARCH_KINDS = ['search', 'searchhead', 'late']

/** The room that a row's key names. Of own messages and epoch keys it names none: who writes those says it. */
export function roomOfKey(store: string, key: string | [string, number]): string | undefined {
  if (store === 'own') return undefined
  if (typeof key !== 'string') return key[0]
  if (store === 'groups') return key
  const [kind = '', chatRoomId] = key.split(':', 2)
  return SEALED_KINDS.includes(kind) || SEARCH_KINDS.includes(kind) ? chatRoomId : undefined
}

export const isSearchRow = (store: string, key: string | [string, number]): boolean =>
  store === 'sealed' && typeof key === 'string' && SEARCH_KINDS.includes(key.split(':', 1)[0] ?? '')

/** What the reader of a locked room's row is told. The room's id is its `cause`. */
export const roomLocked = (chatRoomId: string): CryptoFailure =>
  new CryptoFailure('room_locked', 'This chat is locked. Enter its password', { cause: chatRoomId })

export const isRoomLocked = (error: unknown): boolean => error instanceof CryptoFailure && error.code === 'room_locked'
