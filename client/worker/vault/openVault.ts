import { CryptoFailure } from '../primitives/failure.ts'
import { allRows, answerOf, readTogether, rowsOf, UPDATED_ELSEWHERE } from './database.ts'
import { handKey } from './keyHandover.ts'
import { openingOnce, type Parsed, parsedOnce } from './openOnce.ts'
import {
  isRoomLocked,
  isSearchRow,
  LOCKS,
  type LocksRead,
  locksShape,
  type RoomLocks,
  type RowKeys,
  roomLocked,
  roomOfKey,
} from './roomlocks.ts'
import { type Begin, commit } from './transaction.ts'
import { MARKS, type Marks, parseMarks, raisedMarks } from './vaultMarks.ts'
import {
  jsonOf,
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
} from './vaultRows.ts'

/** [Note: V1] */
export interface Vault {
  userId: string
  deviceId: string
  get<S extends VaultStore>(store: S, key: KeyOf[S]): Promise<VaultValue | undefined>
  /** Oldest first; without `after`, the last `limit` above zero. */
  page(store: 'messages', chatRoomId: string, range: PageRange): Promise<{ seq: number; value: VaultValue }[]>
  keys<S extends VaultStore>(store: S, beginning?: string): Promise<KeyOf[S][]>
  /** Leaves out locked rooms. */
  all<S extends VaultStore>(store: S, chatRoomId?: string): Promise<{ key: KeyOf[S]; value: VaultValue }[]>
  /** Leaves out locked rooms. */
  named(beginning: string): Promise<{ key: string; value: VaultValue }[]>
  /** Opens only what changed since `kept`. */
  parsed<T>(beginning: string, parse: (row: VaultValue) => T, kept?: Map<string, Parsed<T>>): Promise<Map<string, Parsed<T>>>
  marks(): Promise<Marks | undefined>
  knownMarks(): Marks | undefined
  /** Writes all or none to disk. Throws 'quota', 'vault_closed' or 'room_locked'. */
  write(writes: Write[]): Promise<void>
  /** The locks on disk [Note: L1]. */
  locks(): Promise<RoomLocks>
  /** True without a lock, or with row keys in memory. */
  isOpen(chatRoomId: string): Promise<boolean>
  /** Null forgets the row keys. */
  openRoom(chatRoomId: string, keys: RowKeys | null): void
  /** The vault with one room's row keys. */
  within(chatRoomId: string, keys: RowKeys): Vault
  close(): void
  /** Hands the key to waiting tabs [Note: V3]. */
  handKey(): void
  /** Tells of a close by anything but `close`. */
  onClosed(tell: (reason: ClosedBy) => void): void
}

type ClosedBy = 'update' | 'deletion' | 'browser'

interface PageRange {
  before?: number
  after?: number
  limit: number
}

export function vaultOver(database: IDBDatabase, key: CryptoKey, owner: { userId: string; deviceId: string }): Vault {
  const listeners = new Set<(reason: ClosedBy) => void>()
  let isOpen = true
  let closedBy: ClosedBy | undefined
  let knownMarks: Marks | undefined
  const end = (reason: ClosedBy) => {
    if (!isOpen) return
    isOpen = false
    closedBy = reason
    database.close()
    for (const tell of listeners) tell(reason)
  }
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
  let known: Promise<LocksRead> | undefined
  async function readLocks(): Promise<LocksRead> {
    const bytes = await read('sealed', LOCKS)
    if (!(bytes instanceof Uint8Array)) return { bytes: undefined, locks: {} }
    return { bytes, locks: jsonOf(locksShape, await openRow(key, 'sealed', LOCKS, bytes)) }
  }
  const locksNow = (): Promise<LocksRead> => {
    const reading = readLocks()
    known = reading
    reading.catch(() => {
      if (known === reading) known = undefined
    })
    return reading
  }
  const locks = () => known ?? locksNow()

  const over = (openRooms: Map<string, RowKeys>): Vault => {
    let once = openingOnce()
    const isShut = async (chatRoomId: string | undefined) =>
      chatRoomId !== undefined && !openRooms.has(chatRoomId) && (await locks()).locks[chatRoomId] !== undefined
    async function refuseShut(chatRoomId: string | undefined): Promise<void> {
      if (chatRoomId !== undefined && (await isShut(chatRoomId))) throw roomLocked(chatRoomId)
    }
    const named = (beginning: string) => allRows(reading('sealed'), nameRange(beginning))
    const openAll = <S extends VaultStore>(store: S, rows: { key: IDBValidKey; value: unknown }[]) =>
      Promise.all(
        rows.map(async (row) => {
          const rowKey = readKey[store](row.key)
          await refuseShut(roomOfKey(store, rowKey))
          return { key: rowKey, value: await openRow(key, store, rowKey, row.value, openRooms) }
        }),
      )
    const openFree = async <S extends VaultStore>(store: S, rows: { key: IDBValidKey; value: unknown }[]) => {
      const each = rows.map((row) => openAll(store, [row]).catch((error: unknown) => [refusedOf(error)]))
      return (await Promise.all(each)).flat().filter((row) => row !== undefined)
    }

    /** A locked room's search rows are not stored. */
    async function sealed(change: Write, { locks: all }: LocksRead): Promise<Sealed | undefined> {
      const chatRoomId = change.chatRoomId ?? roomOfKey(change.store, change.key)
      const lock = chatRoomId === undefined ? undefined : all[chatRoomId]
      if (chatRoomId === undefined || !lock || change.value === null) return seal(key, change)
      if (isSearchRow(change.store, change.key)) return undefined
      const index = lock.rowKeys.length - 1
      const rowKeys = openRooms.get(chatRoomId)
      if (rowKeys && lock.isOff) return seal(key, change)
      const rowKey = rowKeys?.[index]
      if (!rowKey) throw roomLocked(chatRoomId)
      return seal(key, change, { chatRoomId, index, key: rowKey })
    }

    return {
      ...owner,
      async get(store, rowKey) {
        const bytes = await read(store, rowKey)
        if (bytes === undefined) return undefined
        await refuseShut(roomOfKey(store, rowKey))
        return await once(`${store} ${rowKey}`, bytes, () => openRow(key, store, rowKey, bytes, openRooms))
      },
      async page(store, chatRoomId, { before, after, limit }) {
        const direction = after === undefined ? 'prev' : 'next'
        const rows = await rowsOf(reading(store), roomRange(chatRoomId, { before, after: after ?? 0 }), { direction, limit })
        if (direction === 'prev') rows.reverse()
        return (await openAll(store, rows)).map(({ key: [, seq], value }) => ({ seq, value }))
      },
      async keys(store, beginning) {
        const isByRoom = store === 'messages' || store === 'outbox'
        const range = beginning === undefined ? undefined : isByRoom ? roomRange(beginning, {}) : nameRange(beginning)
        return (await answerOf(reading(store).getAllKeys(range))).map(readKey[store])
      },
      async all(store, chatRoomId) {
        return openFree(store, await allRows(reading(store), chatRoomId === undefined ? undefined : roomRange(chatRoomId, {})))
      },
      named: async (beginning) => openFree('sealed', await named(beginning)),
      async parsed(beginning, parse, kept) {
        const each = (await named(beginning)).map(async (row) => {
          const rowKey = readKey.sealed(row.key)
          await refuseShut(roomOfKey('sealed', rowKey))
          const open = async () => parse(await openRow(key, 'sealed', rowKey, row.value, openRooms))
          return [rowKey, await parsedOnce(row.value, kept?.get(rowKey), open)] as const
        })
        const free = await Promise.all(each.map((one) => one.catch(refusedOf)))
        return new Map(free.filter((one) => one !== undefined))
      },
      async marks() {
        knownMarks = parseMarks(await answerOf(begin(['meta'], 'readonly').objectStore('meta').get(MARKS)))
        return knownMarks
      },
      knownMarks: () => knownMarks,
      async write(writes) {
        const changes = writes.flatMap(({ mark }) => mark ?? [])
        const mark = changes.length > 0 ? { userId: owner.userId, changes } : undefined
        for (let read = await locks(); ; read = await locksNow()) {
          // IndexedDB commits a transaction that waits for anything else.
          const rows = (await Promise.all(writes.map((change) => sealed(change, read)))).filter((row) => row !== undefined)
          if (await commit(begin, rows, read, mark)) break
        }
        for (const change of changes) knownMarks = raisedMarks(owner.userId, knownMarks, change)
        if (writes.some((change) => change.store === 'sealed' && change.key === LOCKS)) known = undefined
      },
      locks: async () => (await locksNow()).locks,
      isOpen: async (chatRoomId) => !(await isShut(chatRoomId)),
      openRoom(chatRoomId, keys) {
        if (keys) openRooms.set(chatRoomId, keys)
        else openRooms.delete(chatRoomId)
        once = openingOnce()
      },
      within: (chatRoomId, keys) => over(new Map([...openRooms, [chatRoomId, keys]])),
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
  return over(new Map())
}

function refusedOf(error: unknown): undefined {
  if (!isRoomLocked(error)) throw error
}
