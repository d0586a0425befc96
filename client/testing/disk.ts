import { IDBFactory } from 'fake-indexeddb'
import { fromBase64, toBase64 } from '../../contract/ground/bytes.ts'

/** A browser's databases as JSON; bytes are base64 under `$bytes`. */
export interface Disk {
  name: string
  version: number
  stores: { name: string; keyPath: string | null; rows: [key: IDBValidKey, value: unknown][] }[]
}

/** Reads all databases of a browser. */
export async function readDisk(factory: IDBFactory): Promise<Disk[]> {
  const disk: Disk[] = []
  for (const { name = '', version = 0 } of await factory.databases()) {
    const database = await answer(factory.open(name))
    const stores = await Promise.all(
      [...database.objectStoreNames].map(async (store) => {
        const objects = database.transaction(store).objectStore(store)
        const [keys, values] = await Promise.all([answer(objects.getAllKeys()), answer<unknown[]>(objects.getAll())])
        const rows = keys.map((key, at): [IDBValidKey, unknown] => [key, withoutBytes(values[at])])
        return { name: store, keyPath: objects.keyPath as string | null, rows }
      }),
    )
    database.close()
    disk.push({ name, version, stores })
  }
  return disk
}

/** Creates a browser with exactly these databases. */
export async function browserWith(disk: Disk[]): Promise<IDBFactory> {
  const factory = new IDBFactory()
  for (const { name, version, stores } of disk) {
    const request = factory.open(name, version)
    request.onupgradeneeded = () => {
      for (const store of stores) {
        const objects = request.result.createObjectStore(store.name, { keyPath: store.keyPath })
        for (const [key, value] of store.rows) objects.put(withBytes(value), store.keyPath === null ? key : undefined)
      }
    }
    ;(await answer(request)).close()
  }
  return factory
}

function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) }
  if (Array.isArray(value)) return value.map(withoutBytes)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutBytes(inner)]))
}

function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (value === null || typeof value !== 'object') return value
  if ('$bytes' in value && typeof value.$bytes === 'string') return fromBase64(value.$bytes)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withBytes(inner)]))
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
