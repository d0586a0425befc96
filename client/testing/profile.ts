/** Copies all that a browser stores for an account, like a backup of its profile. Returns how to restore it. */
export async function profileCopy(userId: string): Promise<() => Promise<void>> {
  const database = await openRaw(userId)
  const names = [...database.objectStoreNames]
  const copy = new Map<string, [IDBValidKey, unknown][]>()
  for (const name of names) {
    const store = database.transaction(name).objectStore(name)
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())])
    copy.set(
      name,
      keys.map((key, at) => [key, values[at]]),
    )
  }
  database.close()
  return async () => {
    const target = await openRaw(userId)
    const transaction = target.transaction(names, 'readwrite')
    for (const [name, rows] of copy) {
      const store = transaction.objectStore(name)
      store.clear()
      for (const [key, value] of rows) store.keyPath === null ? store.put(value, key) : store.put(value)
    }
    await new Promise((resolve) => transaction.addEventListener('complete', resolve))
    target.close()
    await listFirst(userId)
  }
}

/** Restores the first vault of this user in the browser's list, and deletes later vaults. */
async function listFirst(userId: string): Promise<void> {
  for (const { name = '' } of await indexedDB.databases())
    if (name.startsWith(`conclave-${userId}-`)) await settled(indexedDB.deleteDatabase(name))
  const list = await settled(indexedDB.open('conclave'))
  const rows = list.transaction('vaults', 'readwrite').objectStore('vaults')
  const { username } = (await settled(rows.get(userId))) as { username: string }
  await settled(rows.put({ userId, username }))
  list.close()
}

const openRaw = (userId: string) => settled(indexedDB.open(`conclave-${userId}`))

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
