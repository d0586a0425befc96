/** What a request of IndexedDB answers. */
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

/**
 * Reads single rows; those that are asked for in the same moment share one transaction. A page of fifty messages asks for more than
 * a hundred rows, and a transaction costs more than the row.
 */
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

/** Resolves when the transaction is committed; rejects with what ended it otherwise. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new DOMException('The transaction was given up', 'AbortError'))
  })
}

/** Every row of a range, in the order of its keys or backwards, at most `limit`. */
export function rowsOf(
  store: IDBObjectStore,
  range: IDBKeyRange | undefined,
  { direction = 'next', limit = Number.POSITIVE_INFINITY }: { direction?: IDBCursorDirection; limit?: number } = {},
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

/** Opens a database; `make` fills a new one in the transaction that makes it. */
export function openDatabase(
  factory: IDBFactory,
  name: string,
  make: (database: IDBDatabase) => void,
): Promise<{ database: IDBDatabase; isNew: boolean }> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, 1)
    let isNew = false
    request.onupgradeneeded = () => {
      isNew = true
      make(request.result)
    }
    request.onsuccess = () => resolve({ database: request.result, isNew })
    request.onerror = () => reject(request.error)
  })
}

/** Opens a database that is there. Where there is none it answers undefined, and there is none afterwards. */
export function findDatabase(factory: IDBFactory, name: string): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, 1)
    let isAbsent = false
    request.onupgradeneeded = () => {
      isAbsent = true
      request.transaction?.abort()
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => (isAbsent ? resolve(undefined) : reject(request.error))
  })
}

/** Deletes a database. Waits until other tabs have let go of it. */
export async function deleteDatabase(factory: IDBFactory, name: string): Promise<void> {
  await answerOf(factory.deleteDatabase(name))
}
