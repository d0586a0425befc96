import { z } from 'zod'
import { sameBytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'

export const LOCKS = 'locks'

/** [Note: L1] The lock holds when written; rows follow. */
export interface RoomLock {
  n: number
  /** X-Wing, base64. */
  publicKey: string
  /** The newest seals new rows. */
  rowKeys: SealedRowKey[]
  /** False while older rows are not sealed. */
  isSealed: boolean
  /** True while the lock is taken off. */
  isOff?: boolean
  /** True: shut, but not sealed. */
  isClaim?: boolean
  /** The book's `data`, opened. */
  proven?: string[]
  givenUpKeys?: number
}

/** base64. */
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
    isClaim: z.boolean().exactOptional(),
    proven: z.array(z.string()).exactOptional(),
    givenUpKeys: z.number().exactOptional(),
  }),
)

export type RowKeys = readonly (CryptoKey | undefined)[]

export interface LocksRead {
  bytes: Uint8Array | undefined
  locks: RoomLocks
}

/** Returns false if another tab wrote the row. */
export const isUnchanged = ({ bytes }: LocksRead, now: unknown): boolean =>
  now instanceof Uint8Array ? bytes !== undefined && sameBytes(bytes, now) : bytes === undefined

/** One row a room each. */
export const SINGLE_KINDS = ['room', 'draft', 'reply', 'edit', 'pending', 'pages', 'timed']
/** Any number of rows a room. */
export const MANY_KINDS = ['acts', 'upload', 'transfer']
const SEALED_KINDS = [...SINGLE_KINDS, ...MANY_KINDS]
/** A locked room keeps no search rows. */
export const SEARCH_KINDS = ['search', 'searchhead', 'late']

/** Returns a key's room; undefined for own messages and epoch keys. */
export function roomOfKey(store: string, key: string | [string, number]): string | undefined {
  if (store === 'own') return undefined
  if (typeof key !== 'string') return key[0]
  if (store === 'groups') return key
  const [kind = '', chatRoomId] = key.split(':', 2)
  return SEALED_KINDS.includes(kind) || SEARCH_KINDS.includes(kind) ? chatRoomId : undefined
}

export const isSearchRow = (store: string, key: string | [string, number]): boolean =>
  store === 'sealed' && typeof key === 'string' && SEARCH_KINDS.includes(key.split(':', 1)[0] ?? '')

/** Returns the failure, with the room id as `cause`. */
export const roomLocked = (chatRoomId: string): CryptoFailure =>
  new CryptoFailure('room_locked', 'This chat is locked. Enter its password', { cause: chatRoomId })

export const isRoomLocked = (error: unknown): boolean => error instanceof CryptoFailure && error.code === 'room_locked'
