import { NOTHING_SEEN, type Seen } from './builds.ts'

const DATABASE = 'conclave-code'
const STORE = 'seen'
const ROW = 'seen'

export interface Memory {
  read(): Promise<Seen>
  write(seen: Seen): Promise<void>
}

/** A full disk empties Cache Storage, but not IndexedDB. */
export const keptMemory: Memory = {
  async read() {
    return await inStore('readonly', async (store) => readSeen(await done(store.get(ROW))))
  },
  async write(seen) {
    await inStore('readwrite', (store) => done(store.put(seen, ROW)))
  },
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE)
  const database = await done(opening)
  try {
    const transaction = database.transaction(STORE, mode)
    const isStored = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    const result = await work(transaction.objectStore(STORE))
    await isStored
    return result
  } finally {
    database.close()
  }
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const readSeen = (row: unknown): Seen => ({ ...NOTHING_SEEN, ...(row as Partial<Seen> | undefined) })
