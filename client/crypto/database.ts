/** What a request of IndexedDB answers. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
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
