import { type Build, isContract, isVersion } from '../../contract/site/build.ts'

export type Age = Pick<Build, 'version' | 'contract'>

/** Outlasts the copies. */
export interface Seen {
  /** Base64url; only the person replaces the key. */
  key: string | null
  newest: Age | null
  /** Id of the build that the person went back from. */
  undone?: string
}

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

/** No later version would reach a number that no build may have. */
export function readSeen(row: unknown): Seen {
  const { key, newest, undone } = Object(row)
  const { version, contract } = Object(newest)
  return {
    key: typeof key === 'string' ? key : null,
    newest: isVersion(version) && isContract(contract) ? { version, contract } : null,
    ...(typeof undone === 'string' && { undone }),
  }
}
