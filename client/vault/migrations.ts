import { STORES } from './rows.ts'

/**
 * One step of a database, inside the transaction that upgrades it. Only stores and keys can change here: rows are sealed, and a
 * transaction does not wait for a key. A row in an older shape is read as such and written anew when it changes.
 */
export type Migration = (database: IDBDatabase, upgrade: IDBTransaction) => void

/** The vault of a user. The number of steps is its version; a step is never changed once it was released. */
export const VAULT: Migration[] = [
  (database) => {
    for (const store of STORES) database.createObjectStore(store)
    database.createObjectStore('meta')
  },
  // The head has wraps from here on [Note: V3], made when the vault is opened: pages that know only the first head say that they are old.
  () => undefined,
]

export const LIST_STORE = 'vaults'

/** The list of the vaults in this browser. */
export const LIST: Migration[] = [(database) => database.createObjectStore(LIST_STORE, { keyPath: 'userId' })]
