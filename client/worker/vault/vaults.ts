import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, findDatabase } from './database.ts'
import { firstDatabaseOf, isNamed, type ListedVault, listedVaultOf, listedVaults } from './listedVaults.ts'
import { VAULT } from './migrations.ts'
import { type AnyHead, readHead } from './vaultHead.ts'
import { MARKS, type Marks, parseMarks } from './vaultMarks.ts'

/**
 * Finds a user's vault in this browser without opening it. Throws CryptoFailure: 'vault_shut' if it is damaged, 'vault_newer' or
 * 'vault_upgrade' if this page cannot read it, 'other_account' if it was made under another username than the given one. Returns
 * undefined only if this browser has none.
 */
export async function findVault(
  userId: string,
  factory: IDBFactory,
  username?: string,
): Promise<{ database: IDBDatabase; head: AnyHead } | undefined> {
  const listed = await listedVaultOf(userId, username, factory)
  const database = await findDatabase(factory, listed?.database ?? firstDatabaseOf(userId), VAULT)
  if (!database) return undefined
  try {
    return { database, head: await readHead(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** The id of the device whose vault this browser stores for the user. */
export async function vaultDeviceOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  const found = await findVault(userId, factory)
  found?.database.close()
  return found?.head.deviceId
}

/** The vault of an account in this browser. `who` is its username or its user id, which no username looks like. */
export async function knownVaultOf(
  who: string,
  factory: IDBFactory = indexedDB,
): Promise<{ userId: string; deviceId: string } | undefined> {
  const userId = (await listedVaults(factory)).find((row) => row.userId === who || isNamed(row, who))?.userId
  const deviceId = userId === undefined ? undefined : await vaultDeviceOf(userId, factory)
  return userId === undefined || deviceId === undefined ? undefined : { userId, deviceId }
}

/** The username of a vault in this browser, in lower case; undefined if the list has none. */
export async function usernameOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  return (await listedVaultOf(userId, undefined, factory))?.username
}

/** The marks of a vault, which need no key [Note: V4]. Throws what `findDatabase` throws. */
export async function marksIn(
  { database: name }: Pick<ListedVault, 'database'>,
  factory: IDBFactory,
): Promise<Marks | undefined> {
  const database = await findDatabase(factory, name, VAULT)
  if (!database) return undefined
  try {
    return parseMarks(await answerOf(database.transaction('meta').objectStore('meta').get(MARKS)))
  } finally {
    database.close()
  }
}

/** The marks of every vault in this browser that this page can read. */
export async function everyMarks(factory: IDBFactory = indexedDB): Promise<Marks[]> {
  const found = (await listedVaults(factory)).map((row) => marksIn(row, factory).catch(passOverNewer))
  return (await Promise.all(found)).filter((marks) => marks !== undefined)
}

/** Skips a vault that only a newer page can read: this page cannot replace that vault either. */
function passOverNewer(error: unknown): undefined {
  if (!(error instanceof CryptoFailure)) throw error
}
