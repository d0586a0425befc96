import { CryptoFailure } from '../primitives/failure.ts'
import { vaultOver } from './openVault.ts'
import { absent, type Keys, rewrap } from './rewrap.ts'
import { taken, type Vault } from './vault.ts'
import { changeHead } from './vaultHead.ts'
import { findVault } from './vaults.ts'
import { isOfflineWrap, type LockSecret, NO_SERVER, newWrap, offlineOf, openAnyWrap } from './wraps.ts'

/**
 * Lets these secrets open the vault offline [Note: V3]: a thief may then try passwords at one Argon2id each. Throws as
 * `rowKeyOf`.
 */
export function addOffline(keys: Keys, secrets: LockSecret[], factory: IDBFactory = indexedDB): Promise<void> {
  if (secrets.length === 0) throw new CryptoFailure('password', 'Enter the password again')
  return rewrap(keys, factory, async (rowKey, head) => {
    const offline = secrets.map((secret) => newWrap(rowKey, NO_SERVER, head.deviceId, offlineOf(secret)))
    return { ...head, wraps: [...head.wraps.filter((wrap) => !isOfflineWrap(wrap)), ...(await Promise.all(offline))] }
  })
}

/** Removes the offline wraps. */
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

/** Opens a vault offline. Throws 'lock_secret', 'vault_absent', or as `findVault`. */
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
