import { CryptoFailure } from '../primitives/failure.ts'
import { vaultOver } from './openVault.ts'
import { absent, type Keys, rewrap } from './rewrap.ts'
import { taken, type Vault } from './vault.ts'
import { changeHead } from './vaultHead.ts'
import { findVault } from './vaults.ts'
import { isOfflineWrap, type LockSecret, NO_SERVER, newWrap, offlineOf, openAnyWrap } from './wraps.ts'

/**
 * Lets each of these secrets open the vault without the server [Note: V3], in place of those that did. From then on the server cannot
 * shut this vault by deleting its unlock secret, and a copy of the profile lets its thief try passwords at one Argon2id each.
 * Throws what `rowKeyOf` throws.
 */
export function addOffline(keys: Keys, secrets: LockSecret[], factory: IDBFactory = indexedDB): Promise<void> {
  if (secrets.length === 0) throw new CryptoFailure('password', 'Enter the password again')
  return rewrap(keys, factory, async (rowKey, head) => {
    const offline = secrets.map((secret) => newWrap(rowKey, NO_SERVER, head.deviceId, offlineOf(secret)))
    return { ...head, wraps: [...head.wraps.filter((wrap) => !isOfflineWrap(wrap)), ...(await Promise.all(offline))] }
  })
}

/** Takes away what opens the vault without the server. That needs no key. */
export async function removeOffline(userId: string, factory: IDBFactory = indexedDB): Promise<void> {
  const found = await findVault(userId, factory)
  if (!found) throw absent()
  try {
    await changeHead(found.database, userId, async (head) =>
      head.format === 2 ? { ...head, wraps: head.wraps.filter((wrap) => !isOfflineWrap(wrap)) } : undefined,
    )
  } finally {
    found.database.close()
  }
}

/**
 * Opens a vault without the server, by one secret. Throws CryptoFailure: 'lock_secret' if it opens nothing, 'vault_absent', or what
 * `findVault` throws.
 */
export async function openVaultOffline(
  { userId, username }: { userId: string; username: string },
  secret: LockSecret,
  factory: IDBFactory = indexedDB,
): Promise<Vault> {
  const found = await findVault(userId, factory, username)
  if (!found) throw absent()
  const { database, head } = found
  try {
    const rowKey = head.format === 2 && (await openAnyWrap(head.wraps, NO_SERVER, head.deviceId, [offlineOf(secret)]))
    if (!rowKey) throw new CryptoFailure('lock_secret', 'This does not open this browser without the server')
    return vaultOver(database, await taken(rowKey), { userId, deviceId: head.deviceId })
  } catch (error) {
    database.close()
    throw error
  }
}
