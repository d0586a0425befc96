import { z } from 'zod'
import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, committed, findDatabase, openDatabase } from './database.ts'
import { LIST, LIST_STORE } from './migrations.ts'

const LIST_NAME = 'conclave'

export interface ListedVault {
  userId: string
  /** Lower case. */
  username: string
  database: string
  kept: string[]
}

const rowShape = z.object({
  userId: z.string(),
  username: z.string(),
  database: z.string().optional(),
  kept: z.array(z.string()).optional(),
})

/** Names the folder of an account's files. */
export const filesOf = (userId: string): string => `conclave-files-${userId}`

/** Names a user's first database. */
export const firstDatabaseOf = (userId: string): string => `conclave-${userId}`

export const readRow = (row: unknown): ListedVault => {
  const { userId, username, database = firstDatabaseOf(userId), kept = [] } = rowShape.parse(row)
  return { userId, username, database, kept }
}

export async function listedVaults(factory: IDBFactory): Promise<ListedVault[]> {
  const database = await findDatabase(factory, LIST_NAME, LIST)
  if (!database) return []
  try {
    return (await answerOf<unknown[]>(database.transaction(LIST_STORE).objectStore(LIST_STORE).getAll())).map(readRow)
  } finally {
    database.close()
  }
}

/** Throws 'other_account': a server could else pass off this user's keys as another person's. */
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

export const forgetUser = (userId: string, factory: IDBFactory): Promise<void> =>
  changeList(factory, async (rows) => void rows.delete(userId))

export const foldName = (username: string) => username.trim().toLowerCase()

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
