import { encodeFields } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, lockedKey, openWith, randomBytes, sealWith } from '../primitives/seal.ts'
import { committed, deleteDatabase, openDatabase, readTogether, rowsOf, UPDATED_ELSEWHERE } from './database.ts'
import { VAULT } from './migrations.ts'
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
import { databaseOf, findVault, forgetUser, HEAD, noteUser, type VaultHead } from './vaults.ts'

export type { Write }

const VAULT_KEY = 'conclave/vault/v1'
const CHECK = 'conclave/vault-check/v1'

/** The sealed memory of one device in this browser [Note: V1]. */
export interface Vault {
  userId: string
  deviceId: string
  get<S extends VaultStore>(store: S, key: KeyOf[S]): Promise<VaultValue | undefined>
  /** At most `limit` messages of a room, oldest first: the first ones after a seq, else the last ones (before a seq). */
  page(store: 'messages', chatRoomId: string, range: PageRange): Promise<{ seq: number; value: VaultValue }[]>
  /** Every row in the order of its keys; of one room where the store is kept by room. */
  all<S extends VaultStore>(store: S, chatRoomId?: string): Promise<{ key: KeyOf[S]; value: VaultValue }[]>
  /** The rows of the store `sealed` whose names begin so, in the order of their names. */
  named(beginning: string): Promise<{ key: string; value: VaultValue }[]>
  /** All of the changes or none, on disk when it resolves. Throws CryptoFailure 'quota' or 'vault_closed'. */
  write(writes: Write[]): Promise<void>
  close(): void
  /** `tell` is called once when the vault is closed by anything but `close`. */
  onClosed(tell: (reason: ClosedBy) => void): void
}

/** A newer tab brings the vault up to date; it is deleted; the browser takes it away. */
type ClosedBy = 'update' | 'deletion' | 'browser'

interface PageRange {
  before?: number
  after?: number
  limit: number
}

/** Makes the empty vault of a new device and opens it. Throws CryptoFailure('vault_exists'). */
export async function createVault(
  owner: { userId: string; username: string; deviceId: string },
  unlockSecret: Uint8Array,
  factory: IDBFactory = indexedDB,
): Promise<Vault> {
  const { userId, username, deviceId } = owner
  const localKey = randomBytes(32)
  const key = await vaultKey(localKey, unlockSecret)
  const check = await sealWith(key, CHECK, new Uint8Array(), deviceId)
  const head: VaultHead = { format: 1, deviceId, localKey, check }
  // The list comes first: a vault that no sign-in finds would stand in the way of the next one.
  await noteUser(username, userId, factory)
  const { database, isNew } = await openDatabase(factory, databaseOf(userId), VAULT, (upgrade) => {
    upgrade.objectStore('meta').put(head, HEAD)
  })
  erase(localKey)
  if (isNew) return vaultOver(database, key, { userId, deviceId })
  database.close()
  throw new CryptoFailure('vault_exists', 'This browser already keeps a vault of this account')
}

/**
 * Opens the vault with the half of its key that the server keeps. Throws CryptoFailure: 'vault_absent', 'vault_shut' where the secret
 * is another, or what `findVault` throws.
 */
export async function openVault(userId: string, unlockSecret: Uint8Array, factory: IDBFactory = indexedDB): Promise<Vault> {
  const found = await findVault(userId, factory)
  if (!found) throw new CryptoFailure('vault_absent', 'This browser keeps no vault of this account')
  const { database, head } = found
  try {
    const key = await vaultKey(head.localKey, unlockSecret)
    await openWith(key, CHECK, head.check, head.deviceId)
    return vaultOver(database, key, { userId, deviceId: head.deviceId })
  } catch (error) {
    database.close()
    throw new CryptoFailure('vault_shut', 'The vault of this browser does not open', { cause: error })
  } finally {
    erase(head.localKey)
  }
}

/** Deletes a vault and all that is in it; where it is open, it closes. */
export async function destroyVault(userId: string, factory: IDBFactory = indexedDB): Promise<void> {
  await deleteDatabase(factory, databaseOf(userId))
  await forgetUser(userId, factory)
}

/** Both halves are the HKDF's secret input: who lacks either knows nothing of the key. */
async function vaultKey(localKey: Uint8Array, unlockSecret: Uint8Array): Promise<CryptoKey> {
  const both = encodeFields(localKey, unlockSecret)
  const raw = await hkdf(both, VAULT_KEY)
  const key = await lockedKey(raw)
  erase(both, raw)
  return key
}

function vaultOver(database: IDBDatabase, key: CryptoKey, owner: { userId: string; deviceId: string }): Vault {
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

  const begin = (stores: VaultStore[], mode: IDBTransactionMode): IDBTransaction => {
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
    async write(writes) {
      // Sealed before the transaction opens: IndexedDB commits one that waits for anything else.
      const sealed = await Promise.all(writes.map((change) => seal(key, change)))
      await commit(begin, sealed)
    },
    close() {
      isOpen = false
      database.close()
    },
    onClosed(tell) {
      listeners.add(tell)
    },
  }
}

async function commit(
  begin: (stores: VaultStore[], mode: IDBTransactionMode) => IDBTransaction,
  writes: Sealed[],
): Promise<void> {
  if (writes.length === 0) return
  const transaction = begin([...new Set(writes.map((write) => write.store))], 'readwrite')
  const end = committed(transaction)
  try {
    for (const { store, key, sealed } of writes) {
      if (sealed) transaction.objectStore(store).put(sealed, key)
      else transaction.objectStore(store).delete(key)
    }
  } catch (error) {
    transaction.abort()
    await end.catch(() => undefined)
    throw asFailure(error)
  }
  await end.catch((error: unknown) => {
    throw asFailure(error)
  })
}

function asFailure(error: unknown): unknown {
  const isFull = error instanceof Error && error.name === 'QuotaExceededError'
  return isFull ? new CryptoFailure('quota', 'This browser has no room left', { cause: error }) : error
}
