import { z } from 'zod'
import { type Bytes, decodeFields, encodeFields, fromUtf8 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { openWith, sealWith } from '../primitives/seal.ts'
import type { MarkChange } from './marks.ts'

const ROW = 'conclave/vault-row/v1'

/** The vault's stores. */
export const STORES = ['sealed', 'groups', 'messages', 'outbox', 'own'] as const

/** How a row of each store is found. Keys lie in the clear, values never. */
export interface KeyOf {
  /** By name: the device's keys, the book, the peers. */
  sealed: string
  /** MLS state, by room id. */
  groups: string
  /** Opened messages, by room id and seq. */
  messages: [chatRoomId: string, seq: number]
  /** Unanswered messages, by room id and order. */
  outbox: [chatRoomId: string, order: number]
  /** Messages that this device sent, by id. */
  own: string
}
export type VaultStore = keyof KeyOf

/** What JSON can say, and bytes beside it. Who reads it checks its shape. */
export interface VaultValue {
  json: unknown
  bytes?: Uint8Array
}

/** One change of a row; null deletes it. `mark`: what the vault's marks say of it from now on [Note: V4]. */
export type Write = { [S in VaultStore]: { store: S; key: KeyOf[S]; value: VaultValue | null; mark?: MarkChange } }[VaultStore]

/** A change as it reaches the disk; null deletes the row. */
export interface Sealed {
  store: VaultStore
  key: string | [string, number]
  sealed: Bytes | null
}

const name = z.string()
const place = z.tuple([z.string(), z.number()])

/** A key as IndexedDB gives it back. */
export const readKey: { [S in VaultStore]: (key: IDBValidKey) => KeyOf[S] } = {
  sealed: (key) => name.parse(key),
  groups: (key) => name.parse(key),
  messages: (key) => place.parse(key),
  outbox: (key) => place.parse(key),
  own: (key) => name.parse(key),
}

/** Seals a change to its place: a row that is moved to another store or key does not open there. */
export async function seal(vaultKey: CryptoKey, { store, key, value }: Write): Promise<Sealed> {
  if (value === null) return { store, key, sealed: null }
  const fields = [JSON.stringify(value.json), ...(value.bytes ? [value.bytes] : [])]
  return { store, key, sealed: await sealWith(vaultKey, ROW, encodeFields(...fields), store, ...placeOf(key)) }
}

/** The value of a row. Throws CryptoFailure('seal') where it was changed or moved. */
export async function openRow(vaultKey: CryptoKey, store: VaultStore, key: Sealed['key'], sealed: unknown): Promise<VaultValue> {
  if (!(sealed instanceof Uint8Array)) throw new CryptoFailure('seal', 'A row of the vault is not sealed')
  const [json, bytes] = decodeFields(await openWith(vaultKey, ROW, sealed, store, ...placeOf(key)))
  if (!json) throw new CryptoFailure('seal', 'A row of the vault is empty')
  return { json: JSON.parse(fromUtf8(json)), ...(bytes && { bytes }) }
}

/**
 * The JSON of a row in its shape; a loose shape keeps what a newer build has added. Throws CryptoFailure('vault_row') where it does
 * not fit: a row is never used as something that it is not.
 */
export function jsonOf<T>(shape: z.ZodType<T>, { json }: VaultValue): T {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  throw new CryptoFailure('vault_row', 'This browser keeps something that this page cannot read. Reload it', {
    cause: parsed.error,
  })
}

/** The keys of one room's rows, between two seqs where given. */
export function roomRange(
  chatRoomId: string,
  { before, after }: { before?: number | undefined; after?: number | undefined },
): IDBKeyRange {
  const lower = [chatRoomId, after ?? Number.NEGATIVE_INFINITY]
  const upper = [chatRoomId, before ?? Number.POSITIVE_INFINITY]
  return IDBKeyRange.bound(lower, upper, true, true)
}

/** The keys of named rows whose name begins so. */
export const nameRange = (beginning: string): IDBKeyRange => IDBKeyRange.bound(beginning, `${beginning}\uffff`)

const placeOf = (key: Sealed['key']): string[] => (typeof key === 'string' ? [key] : [key[0], String(key[1])])
