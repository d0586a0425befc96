import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, committed, readTogether, rowsOf, UPDATED_ELSEWHERE } from './database.ts'
import { handKey } from './handover.ts'
import { MARKS, type MarkChange, type Marks, parseMarks, raisedMarks } from './marks.ts'
import {
  type KeyOf,
  nameRange,
  openRow,
  readKey,
  roomRange,
  type Sealed,
  seal,
  type VaultStore,
  type VaultValue,
  type Write,
} from './rows.ts'

/** The sealed storage of one device in this browser [Note: V1]. */
export interface Vault {
  userId: string
  deviceId: string
  get<S extends VaultStore>(store: S, key: KeyOf[S]): Promise<VaultValue | undefined>
  /**
   * At most `limit` messages of a room, oldest first: the first ones after a seq, else the last ones (before a seq, if given).
   */
  page(store: 'messages', chatRoomId: string, range: PageRange): Promise<{ seq: number; value: VaultValue }[]>
  /** All rows in the order of their keys; only those of `chatRoomId` if it is given, in a store that is keyed by room. */
  all<S extends VaultStore>(store: S, chatRoomId?: string): Promise<{ key: KeyOf[S]; value: VaultValue }[]>
  /** The rows of the store `sealed` whose names start with `beginning`, in the order of their names. */
  named(beginning: string): Promise<{ key: string; value: VaultValue }[]>
  /** The unencrypted marks of the newest documents in the vault; undefined if a build without marks made it. */
  marks(): Promise<Marks | undefined>
  /** Writes all of the changes or none; they are on disk when it resolves. Throws CryptoFailure 'quota' or 'vault_closed'. */
  write(writes: Write[]): Promise<void>
  close(): void
  /** Hands its key to the tabs of this browser that wait for it: they show the lock of this vault [Note: V3]. */
  handKey(): void
  /** Calls `tell` once if anything but `close` closes the vault. */
  onClosed(tell: (reason: ClosedBy) => void): void
}

/** The reason: a newer tab upgrades the vault, the vault is deleted, or the browser closes the connection. */
type ClosedBy = 'update' | 'deletion' | 'browser'

interface PageRange {
  before?: number
  after?: number
  limit: number
}

/** Makes the vault of an open database and its row key. */
export function vaultOver(database: IDBDatabase, key: CryptoKey, owner: { userId: string; deviceId: string }): Vault {
  const listeners = new Set<(reason: ClosedBy) => void>()
  let isOpen = true
  let closedBy: ClosedBy | undefined
  const end = (reason: ClosedBy) => {
    if (!isOpen) return
    isOpen = false
    closedBy = reason
    database.close()
    for (const tell of listeners) tell(reason)
  }
  // Another tab waits for this connection to close.
  database.onversionchange = ({ newVersion }) => end(newVersion === null ? 'deletion' : 'update')
  database.onclose = () => end('browser')

  const begin: Begin = (stores, mode) => {
    if (closedBy === 'update') throw new CryptoFailure('vault_newer', UPDATED_ELSEWHERE)
    if (!isOpen) throw new CryptoFailure('vault_closed', 'The vault of this browser was closed')
    try {
      return database.transaction(stores, mode, { durability: 'strict' })
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error
      throw new CryptoFailure('vault_closed', 'The vault of this browser was closed', { cause: error })
    }
  }
  const reading = (store: VaultStore) => begin([store], 'readonly').objectStore(store)
  const read = readTogether<VaultStore>((stores) => begin(stores, 'readonly'))
  const openAll = <S extends VaultStore>(store: S, rows: { key: IDBValidKey; value: unknown }[]) =>
    Promise.all(
      rows.map(async (row) => {
        const rowKey = readKey[store](row.key)
        return { key: rowKey, value: await openRow(key, store, rowKey, row.value) }
      }),
    )

  return {
    ...owner,
    async get(store, rowKey) {
      const sealed = await read(store, rowKey)
      return sealed === undefined ? undefined : await openRow(key, store, rowKey, sealed)
    },
    async page(store, chatRoomId, { before, after, limit }) {
      const direction = after === undefined ? 'prev' : 'next'
      const rows = await rowsOf(reading(store), roomRange(chatRoomId, { before, after }), { direction, limit })
      if (direction === 'prev') rows.reverse()
      return (await openAll(store, rows)).map(({ key: [, seq], value }) => ({ seq, value }))
    },
    async all(store, chatRoomId) {
      return openAll(store, await rowsOf(reading(store), chatRoomId === undefined ? undefined : roomRange(chatRoomId, {})))
    },
    async named(beginning) {
      return openAll('sealed', await rowsOf(reading('sealed'), nameRange(beginning)))
    },
    async marks() {
      return parseMarks(await answerOf(begin(['meta'], 'readonly').objectStore('meta').get(MARKS)))
    },
    async write(writes) {
      // Rows are sealed before the transaction opens: IndexedDB commits a transaction that waits for anything else.
      const sealed = await Promise.all(writes.map((change) => seal(key, change)))
      const marks = writes.flatMap(({ mark }) => mark ?? [])
      await commit(begin, sealed, marks.length > 0 ? (meta) => raiseMarks(meta, owner.userId, marks) : undefined)
    },
    close() {
      isOpen = false
      database.close()
    },
    handKey: () => handKey({ ...owner, key }),
    onClosed(tell) {
      listeners.add(tell)
    },
  }
}

/** Begins a transaction on the vault's stores or on `meta`, which has head and marks. */
type Begin = (stores: (VaultStore | 'meta')[], mode: IDBTransactionMode) => IDBTransaction

async function commit(begin: Begin, writes: Sealed[], mark?: (meta: IDBObjectStore) => Promise<void>): Promise<void> {
  if (writes.length === 0) return
  const stores = new Set(writes.map((write) => write.store))
  const transaction = begin([...stores, ...(mark ? ['meta' as const] : [])], 'readwrite')
  const end = committed(transaction)
  try {
    for (const { store, key, sealed } of writes) {
      if (sealed) transaction.objectStore(store).put(sealed, key)
      else transaction.objectStore(store).delete(key)
    }
    await mark?.(transaction.objectStore('meta'))
  } catch (error) {
    abort(transaction)
    await end.catch(() => undefined)
    throw asFailure(error)
  }
  await end.catch((error: unknown) => {
    throw asFailure(error)
  })
}

/** Aborts a transaction, unless the disk has done so already. */
function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error
  }
}

/**
 * Updates the marks inside the transaction that writes the marked documents, so that marks never name a document that the vault
 * lacks.
 */
async function raiseMarks(meta: IDBObjectStore, userId: string, changes: MarkChange[]): Promise<void> {
  const known = parseMarks(await answerOf(meta.get(MARKS)))
  const marks = changes.reduce<Marks | undefined>((before, change) => raisedMarks(userId, before, change), known)
  if (marks) meta.put(marks, MARKS)
}

function asFailure(error: unknown): unknown {
  const isFull = error instanceof Error && error.name === 'QuotaExceededError'
  return isFull ? new CryptoFailure('quota', 'This browser has no room left', { cause: error }) : error
}
