import { z } from 'zod'
import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, committed, findDatabase, openDatabase } from './database.ts'
import { LIST, LIST_STORE, VAULT } from './migrations.ts'

// One list for the browser, so that a sign-in can name its device before anything is opened. The device id is read from the
// vault itself: the two cannot disagree.
const LIST_NAME = 'conclave'

/** Where a vault keeps its head. */
export const HEAD = 'head'

/** What a vault says without being opened; `check` is a seal that only the right key opens. */
const headShape = z.object({
  format: z.literal(1),
  deviceId: z.string(),
  localKey: z.instanceof(Uint8Array),
  check: z.instanceof(Uint8Array),
})
export type VaultHead = z.infer<typeof headShape>

/** The database of a user's vault. */
export const databaseOf = (userId: string): string => `conclave-${userId}`

/**
 * A user's vault in this browser, not opened. Throws CryptoFailure: 'vault_shut' where it is damaged, 'vault_newer' or 'vault_upgrade'
 * where this page cannot read it. Only a browser without one answers undefined.
 */
export async function findVault(
  userId: string,
  factory: IDBFactory,
): Promise<{ database: IDBDatabase; head: VaultHead } | undefined> {
  const database = await findDatabase(factory, databaseOf(userId), VAULT)
  if (!database) return undefined
  const head = headShape.safeParse(await answerOf(database.transaction('meta').objectStore('meta').get(HEAD)))
  if (head.success) return { database, head: head.data }
  database.close()
  throw new CryptoFailure('vault_shut', 'The vault of this browser is damaged', { cause: head.error })
}

/** The device whose vault this browser keeps. */
export async function vaultDeviceOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  const found = await findVault(userId, factory)
  found?.database.close()
  return found?.head.deviceId
}

/** The vault that a username has in this browser. */
export async function knownVaultOf(
  username: string,
  factory: IDBFactory = indexedDB,
): Promise<{ userId: string; deviceId: string } | undefined> {
  const userId = await notedUser(username, factory)
  const deviceId = userId === undefined ? undefined : await vaultDeviceOf(userId, factory)
  return userId === undefined || deviceId === undefined ? undefined : { userId, deviceId }
}

/** The username of a vault in this browser, in lower case; undefined where the list has none. */
export async function usernameOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  return (await listed(factory)).find((row) => row.userId === userId)?.username
}

/**
 * Throws CryptoFailure('other_account') where the vault of this user was made under another username: whoever names this user for
 * somebody else would have their keys taken for that one's.
 */
export async function requireNoted(userId: string, username: string, factory: IDBFactory = indexedDB): Promise<void> {
  const noted = await usernameOf(userId, factory)
  if (noted === undefined || noted === foldName(username)) return
  throw new CryptoFailure(
    'other_account',
    'The server names you as somebody else whose keys this browser keeps. They stay as they are',
  )
}

const rowsShape = z.array(z.object({ username: z.string(), userId: z.string() }))
type Row = z.infer<typeof rowsShape>[number]

async function listed(factory: IDBFactory): Promise<Row[]> {
  const database = await openList(factory)
  try {
    return rowsShape.parse(await answerOf(database.transaction(LIST_STORE).objectStore(LIST_STORE).getAll()))
  } finally {
    database.close()
  }
}

const notedUser = async (username: string, factory: IDBFactory): Promise<string | undefined> =>
  (await listed(factory)).find((row) => row.username === foldName(username))?.userId

/** Notes under which username a user's vault is looked for; one row a user. */
export const noteUser = (username: string, userId: string, factory: IDBFactory): Promise<void> =>
  change(factory, (store) => store.put({ username: foldName(username), userId }))

/** Takes a user off the list. */
export const forgetUser = (userId: string, factory: IDBFactory): Promise<void> => change(factory, (store) => store.delete(userId))

const foldName = (username: string) => username.trim().toLowerCase()

async function change(factory: IDBFactory, edit: (store: IDBObjectStore) => void): Promise<void> {
  const database = await openList(factory)
  try {
    const transaction = database.transaction(LIST_STORE, 'readwrite', { durability: 'strict' })
    edit(transaction.objectStore(LIST_STORE))
    await committed(transaction)
  } finally {
    database.close()
  }
}

async function openList(factory: IDBFactory): Promise<IDBDatabase> {
  const { database } = await openDatabase(factory, LIST_NAME, LIST)
  return database
}
