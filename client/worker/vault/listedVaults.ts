import { z } from 'zod'
import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, committed, findDatabase, openDatabase } from './database.ts'
import { LIST, LIST_STORE } from './migrations.ts'

// One list for the browser, so that a sign-in can name its device before any vault is opened. The device id is read from the
// vault itself, so the two cannot disagree.
const LIST_NAME = 'conclave'

/** The database of a user's vault in this browser, and older ones that were put aside. */
export interface ListedVault {
  userId: string
  /** In lower case, as it was when the vault was made. */
  username: string
  database: string
  /** Databases that did not open and were replaced; kept until the person removes this browser's keys. */
  kept: string[]
}

const rowShape = z.object({
  userId: z.string(),
  username: z.string(),
  /** Absent for the user's first database. */
  database: z.string().optional(),
  kept: z.array(z.string()).optional(),
})

/** The folder of an account's sealed files in the browser's own file system. */
export const filesOf = (userId: string): string => `conclave-files-${userId}`

/** The name of the database of a user's first vault in a browser. */
export const firstDatabaseOf = (userId: string): string => `conclave-${userId}`

export const readRow = (row: unknown): ListedVault => {
  const { userId, username, database = firstDatabaseOf(userId), kept = [] } = rowShape.parse(row)
  return { userId, username, database, kept }
}

/** The list, one row per user. */
export async function listedVaults(factory: IDBFactory): Promise<ListedVault[]> {
  const database = await findDatabase(factory, LIST_NAME, LIST)
  if (!database) return []
  try {
    return (await answerOf<unknown[]>(database.transaction(LIST_STORE).objectStore(LIST_STORE).getAll())).map(readRow)
  } finally {
    database.close()
  }
}

/**
 * The row of a user. Throws CryptoFailure('other_account') if it was made under another username than this one: a server could
 * otherwise return this user's id for another person, and this user's keys would be taken for that person's.
 */
export async function listedVaultOf(
  userId: string,
  username: string | undefined,
  factory: IDBFactory,
): Promise<ListedVault | undefined> {
  const row = (await listedVaults(factory)).find((one) => one.userId === userId)
  if (!row || username === undefined || isNamed(row, username)) return row
  throw new CryptoFailure(
    'other_account',
    'The server names you as somebody else whose keys this browser keeps. They stay as they are',
  )
}

export const isNamed = (row: ListedVault, username: string): boolean => row.username === foldName(username)

/** Removes a user from the list. */
export const forgetUser = (userId: string, factory: IDBFactory): Promise<void> =>
  changeList(factory, async (rows) => void rows.delete(userId))

export const foldName = (username: string) => username.trim().toLowerCase()

/** Changes the list in one transaction. */
export async function changeList(factory: IDBFactory, edit: (rows: IDBObjectStore) => Promise<void>): Promise<void> {
  const { database } = await openDatabase(factory, LIST_NAME, LIST)
  try {
    const transaction = database.transaction(LIST_STORE, 'readwrite', { durability: 'strict' })
    const end = committed(transaction)
    await edit(transaction.objectStore(LIST_STORE))
    await end
  } finally {
    database.close()
  }
}
