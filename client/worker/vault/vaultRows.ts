import { z } from 'zod'
import { type Bytes, decodeFields, encodeFields, fromUtf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { openWith, sealWith } from '../primitives/seal.ts'
import { type RowKeys, roomLocked } from './roomlocks.ts'
import type { MarkChange } from './vaultMarks.ts'

const ROW = 'conclave/vault-row/v1'
const LOCKED_ROW = 'conclave/locked-row/v1'

export const STORES = ['sealed', 'groups', 'messages', 'outbox', 'own'] as const

/** Keys are not encrypted; values are. */
export interface KeyOf {
  sealed: string
  groups: string
  messages: [chatRoomId: string, seq: number]
  outbox: [chatRoomId: string, order: number]
  own: string
}
export type VaultStore = keyof KeyOf

/** The reader checks the JSON's shape. */
export interface VaultValue {
  json: unknown
  bytes?: Uint8Array
}

/** `mark`: [Note: V4]. `chatRoomId`: if the key names no room [Note: L1]. */
export type Write = {
  [S in VaultStore]: { store: S; key: KeyOf[S]; value: VaultValue | null; mark?: MarkChange; chatRoomId?: string }
}[VaultStore]

export interface Sealed {
  store: VaultStore
  key: string | [string, number]
  sealed: Bytes | null
}

const name = z.string()
const place = z.tuple([z.string(), z.number()])

export const readKey: { [S in VaultStore]: (key: IDBValidKey) => KeyOf[S] } = {
  sealed: (key) => name.parse(key),
  groups: (key) => name.parse(key),
  messages: (key) => place.parse(key),
  outbox: (key) => place.parse(key),
  own: (key) => name.parse(key),
}

export interface RowSeal {
  chatRoomId: string
  index: number
  key: CryptoKey
}

/** Seals a value to its store and key; a locked room's row key seals first. */
export async function seal(vaultKey: CryptoKey, { store, key, value }: Write, within?: RowSeal): Promise<Sealed> {
  if (value === null) return { store, key, sealed: null }
  const place = [store, ...placeOf(key)]
  const inner = within && (await sealWith(within.key, LOCKED_ROW, fieldsOf(value), ...place))
  const row = within && inner ? { json: { lockedRoom: within.chatRoomId, index: within.index }, bytes: inner } : value
  return { store, key, sealed: await sealWith(vaultKey, ROW, fieldsOf(row), ...place) }
}

/** Throws 'seal' for a changed or moved row, 'room_locked' without the room's key. */
export async function openRow(
  vaultKey: CryptoKey,
  store: VaultStore,
  key: Sealed['key'],
  sealed: unknown,
  open?: ReadonlyMap<string, RowKeys>,
): Promise<VaultValue> {
  if (!(sealed instanceof Uint8Array)) throw new CryptoFailure('seal', 'A row of the vault is not sealed')
  const place = [store, ...placeOf(key)]
  const row = valueIn(await openWith(vaultKey, ROW, sealed, ...place))
  const locked = lockedIn(row.json)
  if (!locked || !row.bytes) return row
  const rowKey = open?.get(locked.lockedRoom)?.[locked.index]
  if (!rowKey) throw roomLocked(locked.lockedRoom)
  return valueIn(await openWith(rowKey, LOCKED_ROW, row.bytes, ...place))
}

const fieldsOf = ({ json, bytes }: VaultValue): Bytes => encodeFields(JSON.stringify(json), ...(bytes ? [bytes] : []))

function valueIn(plain: Uint8Array): VaultValue {
  const [json, bytes] = decodeFields(plain)
  if (!json) throw new CryptoFailure('seal', 'A row of the vault is empty')
  return { json: JSON.parse(fromUtf8(json)), ...(bytes && { bytes }) }
}

function lockedIn(json: unknown): { lockedRoom: string; index: number } | undefined {
  if (typeof json !== 'object' || json === null || !('lockedRoom' in json) || !('index' in json)) return undefined
  const { lockedRoom, index } = json
  return typeof lockedRoom === 'string' && typeof index === 'number' ? { lockedRoom, index } : undefined
}

/** Parses a row. Throws 'vault_row'. */
export function jsonOf<T>(shape: z.ZodType<T>, { json }: VaultValue): T {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  throw new CryptoFailure('vault_row', 'This browser keeps something that this page cannot read. Reload it', {
    cause: parsed.error,
  })
}

/** Returns a room's key range. */
export function roomRange(
  chatRoomId: string,
  { before, after }: { before?: number | undefined; after?: number | undefined },
): IDBKeyRange {
  const lower = [chatRoomId, after ?? Number.NEGATIVE_INFINITY]
  const upper = [chatRoomId, before ?? Number.POSITIVE_INFINITY]
  return IDBKeyRange.bound(lower, upper, true, true)
}

/** Returns the names' key range. */
export const nameRange = (beginning: string): IDBKeyRange => IDBKeyRange.bound(beginning, `${beginning}\uffff`)

const placeOf = (key: Sealed['key']): string[] => (typeof key === 'string' ? [key] : [key[0], String(key[1])])
