import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, findDatabase } from './database.ts'
import { firstDatabaseOf, isNamed, type ListedVault, listedVaultOf, listedVaults } from './listedVaults.ts'
import { VAULT } from './migrations.ts'
import { type AnyHead, findHead } from './vaultHead.ts'
import { MARKS, type Marks, parseMarks } from './vaultMarks.ts'

/** Finds a vault without opening it. Throws 'vault_shut', 'vault_newer', 'vault_upgrade' or 'other_account'. */
export async function findVault(
  userId: string,
  factory: IDBFactory,
  username?: string,
): Promise<{ database: IDBDatabase; head: AnyHead } | undefined> {
  const listed = await listedVaultOf(userId, username, factory)
  const database = await findDatabase(factory, listed?.database ?? firstDatabaseOf(userId), VAULT)
  if (!database) return undefined
  try {
    const head = await findHead(database)
    if (head) return { database, head }
    database.close()
    return undefined
  } catch (error) {
    database.close()
    throw error
  }
}

/** Returns the device id of a user's vault. */
export async function vaultDeviceOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  const found = await findVault(userId, factory)
  found?.database.close()
  return found?.head.deviceId
}

/** Returns an account's vault; `who`: username or user id. */
export async function knownVaultOf(
  who: string,
  factory: IDBFactory = indexedDB,
): Promise<{ userId: string; deviceId: string } | undefined> {
  const userId = (await listedVaults(factory)).find((row) => row.userId === who || isNamed(row, who))?.userId
  const deviceId = userId === undefined ? undefined : await vaultDeviceOf(userId, factory)
  return userId === undefined || deviceId === undefined ? undefined : { userId, deviceId }
}

/** Returns a vault's username in lower case. */
export async function usernameOf(userId: string, factory: IDBFactory = indexedDB): Promise<string | undefined> {
  return (await listedVaultOf(userId, undefined, factory))?.username
}

/** Returns a vault's marks [Note: V4]. Throws as `findDatabase`. */
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

/** True if only the marks of a deleted vault are here. */
export async function wasWiped(username: string, factory: IDBFactory = indexedDB): Promise<boolean> {
  const row = (await listedVaults(factory)).find((one) => isNamed(one, username))
  return (
    row !== undefined && (await vaultDeviceOf(row.userId, factory)) === undefined && (await marksIn(row, factory)) !== undefined
  )
}

/** Returns the marks of every readable vault. */
export async function everyMarks(factory: IDBFactory = indexedDB): Promise<Marks[]> {
  const found = (await listedVaults(factory)).map((row) => marksIn(row, factory).catch(passOverNewer))
  return (await Promise.all(found)).filter((marks) => marks !== undefined)
}

/** This page cannot replace a newer vault. */
function passOverNewer(error: unknown): undefined {
  if (!(error instanceof CryptoFailure)) throw error
}
