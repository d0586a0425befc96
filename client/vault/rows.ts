import { z } from 'zod'
import { type Bytes, decodeFields, encodeFields, fromUtf8 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { openWith, sealWith } from '../primitives/seal.ts'
import type { MarkChange } from './marks.ts'

const ROW = 'conclave/vault-row/v1'

/** The vault's stores. */
export const STORES = ['sealed', 'groups', 'messages', 'outbox', 'own'] as const

/** The key of a row in each store. Keys are stored unencrypted, values never. */
export interface KeyOf {
  /** By name: the device's keys, the book, the peers. */
  sealed: string
  /** MLS state, by room id. */
  groups: string
  /** Opened messages, by room id and seq. */
  messages: [chatRoomId: string, seq: number]
  /** Unacknowledged messages, by room id and order. */
  outbox: [chatRoomId: string, order: number]
  /** Messages that this device sent, by id. */
  own: string
}
export type VaultStore = keyof KeyOf

/** A JSON value with optional bytes. The reader checks its shape. */
export interface VaultValue {
  json: unknown
  bytes?: Uint8Array
}

/** One change of a row; null deletes it. `mark` is the change of the vault's marks that goes with it [Note: V4]. */
export type Write = { [S in VaultStore]: { store: S; key: KeyOf[S]; value: VaultValue | null; mark?: MarkChange } }[VaultStore]

/** A change in its form on disk; null deletes the row. */
export interface Sealed {
  store: VaultStore
  key: string | [string, number]
  sealed: Bytes | null
}

const name = z.string()
const place = z.tuple([z.string(), z.number()])

/** Parses a key that IndexedDB returned. */
export const readKey: { [S in VaultStore]: (key: IDBValidKey) => KeyOf[S] } = {
  sealed: (key) => name.parse(key),
  groups: (key) => name.parse(key),
  messages: (key) => place.parse(key),
  outbox: (key) => place.parse(key),
  own: (key) => name.parse(key),
}

/** Seals a change with its store and key as associated data: a row moved to another place does not open there. */
export async function seal(vaultKey: CryptoKey, { store, key, value }: Write): Promise<Sealed> {
  if (value === null) return { store, key, sealed: null }
  const fields = [JSON.stringify(value.json), ...(value.bytes ? [value.bytes] : [])]
  return { store, key, sealed: await sealWith(vaultKey, ROW, encodeFields(...fields), store, ...placeOf(key)) }
}

/** Opens a row. Throws CryptoFailure('seal') if it was changed or moved. */
export async function openRow(vaultKey: CryptoKey, store: VaultStore, key: Sealed['key'], sealed: unknown): Promise<VaultValue> {
  if (!(sealed instanceof Uint8Array)) throw new CryptoFailure('seal', 'A row of the vault is not sealed')
  const [json, bytes] = decodeFields(await openWith(vaultKey, ROW, sealed, store, ...placeOf(key)))
  if (!json) throw new CryptoFailure('seal', 'A row of the vault is empty')
  return { json: JSON.parse(fromUtf8(json)), ...(bytes && { bytes }) }
}

/**
 * Parses the JSON of a row by its shape; a loose shape keeps fields that a newer build has added. Throws
 * CryptoFailure('vault_row') if it does not fit, so no row is used as another type.
 */
export function jsonOf<T>(shape: z.ZodType<T>, { json }: VaultValue): T {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  throw new CryptoFailure('vault_row', 'This browser keeps something that this page cannot read. Reload it', {
    cause: parsed.error,
  })
}

/** The key range of one room's rows, between two seqs if given. */
export function roomRange(
  chatRoomId: string,
  { before, after }: { before?: number | undefined; after?: number | undefined },
): IDBKeyRange {
  const lower = [chatRoomId, after ?? Number.NEGATIVE_INFINITY]
  const upper = [chatRoomId, before ?? Number.POSITIVE_INFINITY]
  return IDBKeyRange.bound(lower, upper, true, true)
}

/** The key range of rows whose name starts with `beginning`. */
export const nameRange = (beginning: string): IDBKeyRange => IDBKeyRange.bound(beginning, `${beginning}\uffff`)

const placeOf = (key: Sealed['key']): string[] => (typeof key === 'string' ? [key] : [key[0], String(key[1])])
