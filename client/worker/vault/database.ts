import { CryptoFailure } from '../primitives/failure.ts'
import type { Migration } from './migrations.ts'

/** Resolves to the request's result. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

interface Read<S extends string> {
  store: S
  key: IDBValidKey
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Reads of one tick share a transaction, which costs more than a row. */
export function readTogether<S extends string>(
  begin: (stores: S[]) => IDBTransaction,
): (store: S, key: IDBValidKey) => Promise<unknown> {
  let waiting: Read<S>[] = []
  const flush = () => {
    const reads = waiting
    waiting = []
    try {
      const transaction = begin([...new Set(reads.map(({ store }) => store))])
      for (const { store, key, resolve, reject } of reads) answerOf(transaction.objectStore(store).get(key)).then(resolve, reject)
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }
  return (store, key) =>
    new Promise((resolve, reject) => {
      waiting.push({ store, key, resolve, reject })
      if (waiting.length === 1) queueMicrotask(flush)
    })
}

/** Resolves after the commit; rejects with the transaction's error. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new DOMException('The transaction was given up', 'AbortError'))
  })
}

export async function allRows(store: IDBObjectStore, range?: IDBKeyRange): Promise<{ key: IDBValidKey; value: unknown }[]> {
  const [keys, values] = await Promise.all([answerOf(store.getAllKeys(range)), answerOf<unknown[]>(store.getAll(range))])
  return keys.map((key, at) => ({ key, value: values[at] }))
}

/** Returns at most `limit` rows in key order. */
export function rowsOf(
  store: IDBObjectStore,
  range: IDBKeyRange,
  { direction, limit }: { direction: IDBCursorDirection; limit: number },
): Promise<{ key: IDBValidKey; value: unknown }[]> {
  return new Promise((resolve, reject) => {
    const rows: { key: IDBValidKey; value: unknown }[] = []
    const request = store.openCursor(range, direction)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (!cursor || rows.length >= limit) return resolve(rows)
      rows.push({ key: cursor.key, value: cursor.value })
      cursor.continue()
    }
  })
}

export const UPDATED_ELSEWHERE = 'Conclave was updated in another tab. Reload.'

/** Opens or creates a database. Throws 'vault_newer' or 'vault_upgrade'. */
export async function openDatabase(
  factory: IDBFactory,
  name: string,
  migrations: Migration[],
  fill: (upgrade: IDBTransaction) => void = () => undefined,
): Promise<{ database: IDBDatabase; isNew: boolean }> {
  let isNew = false
  const database = await request(factory, name, migrations, (upgrade) => {
    isNew = true
    migrate(upgrade, migrations)
    fill(upgrade)
  })
  if (!database) throw new Error('A database was not made')
  return { database, isNew }
}

/** Opens an existing database, or returns undefined. */
export const findDatabase = (factory: IDBFactory, name: string, migrations: Migration[]): Promise<IDBDatabase | undefined> =>
  request(factory, name, migrations, (upgrade) => upgrade.abort())

function request(
  factory: IDBFactory,
  name: string,
  migrations: Migration[],
  onAbsent: (upgrade: IDBTransaction) => void,
): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    const opening = factory.open(name, migrations.length)
    let isAbsent = false
    let cause: unknown
    opening.onupgradeneeded = ({ oldVersion }) => {
      const upgrade = opening.transaction
      if (!upgrade) return
      isAbsent = oldVersion === 0
      try {
        if (isAbsent) onAbsent(upgrade)
        else migrate(upgrade, migrations.slice(oldVersion))
      } catch (error) {
        cause = error
        upgrade.abort()
      }
    }
    opening.onsuccess = () => {
      const database = opening.result
      // An open connection would block every newer tab.
      database.onversionchange = () => database.close()
      resolve(database)
    }
    opening.onerror = () => {
      const { error } = opening
      if (error?.name === 'VersionError') return reject(new CryptoFailure('vault_newer', UPDATED_ELSEWHERE, { cause: error }))
      if (isAbsent && cause === undefined && error?.name === 'AbortError') return resolve(undefined)
      if (isAbsent) return reject(cause ?? error)
      const text = 'The keys in this browser could not be brought up to date. Nothing of them is lost: reload to try again'
      reject(new CryptoFailure('vault_upgrade', text, { cause: cause ?? error }))
    }
  })
}

function migrate(upgrade: IDBTransaction, migrations: Migration[]): void {
  for (const step of migrations) step(upgrade.db, upgrade)
}

/** Deletes a database after other tabs have closed it. */
export async function deleteDatabase(factory: IDBFactory, name: string): Promise<void> {
  await answerOf(factory.deleteDatabase(name))
}
