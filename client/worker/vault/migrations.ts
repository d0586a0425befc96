import { STORES } from './vaultRows.ts'

/** A transaction cannot wait for a key: sealed rows keep their shape. */
export type Migration = (database: IDBDatabase, upgrade: IDBTransaction) => void

/** Never change a released step. */
export const VAULT: Migration[] = [
  (database) => {
    for (const store of STORES) database.createObjectStore(store)
    database.createObjectStore('meta')
  },
  // [Note: V3] Older pages must report that they are old.
  () => undefined,
  // [Note: L1] Older pages must not write a locked room's rows.
  () => undefined,
]

export const LIST_STORE = 'vaults'

export const LIST: Migration[] = [(database) => database.createObjectStore(LIST_STORE, { keyPath: 'userId' })]
