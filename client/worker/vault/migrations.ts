import { STORES } from './vaultRows.ts'

/**
 * One upgrade step of a database, inside the upgrade transaction. Only stores and keys can change here: rows are sealed, and a
 * transaction does not wait for a key. A row in an older shape is read as such and written in the new shape when it changes.
 */
export type Migration = (database: IDBDatabase, upgrade: IDBTransaction) => void

/** The steps of a user's vault. Their number is its version; never change a step that was released. */
export const VAULT: Migration[] = [
  (database) => {
    for (const store of STORES) database.createObjectStore(store)
    database.createObjectStore('meta')
  },
  // From this version the head has wraps [Note: V3], made when the vault is opened: the version makes pages that know only the
  // first head report that they are old.
  () => undefined,
  // From this version rows of a locked room are sealed twice [Note: L1]: a page that does not know that would write them in the clear of
  // the vault's seal.
  () => undefined,
]

export const LIST_STORE = 'vaults'

/** The steps of the list of vaults in this browser. */
export const LIST: Migration[] = [(database) => database.createObjectStore(LIST_STORE, { keyPath: 'userId' })]
