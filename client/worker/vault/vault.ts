import { CryptoFailure } from '../primitives/failure.ts'
import { erase, lockedKey } from '../primitives/seal.ts'
import { deleteDatabase } from './database.ts'
import type { HandedKey } from './keyHandover.ts'
import { filesOf, firstDatabaseOf, forgetUser, listedVaultOf } from './listedVaults.ts'
import { type Vault, vaultOver } from './openVault.ts'
import { writtenAt } from './unwrittenFiles.ts'
import { changeHead, newHead, rowKeyOf } from './vaultHead.ts'
import type { Write } from './vaultRows.ts'
import { findVault } from './vaults.ts'
import type { LockSecret } from './wraps.ts'

export type { Vault, Write }

/** Opens the vault. Throws 'vault_absent', or as `findVault` and `rowKeyOf`. */
export async function openVault(
  userId: string,
  unlockSecret: Uint8Array,
  { factory = indexedDB, username, entered = [] }: { factory?: IDBFactory; username?: string; entered?: LockSecret[] } = {},
): Promise<Vault> {
  const found = await findVault(userId, factory, username)
  if (!found) throw new CryptoFailure('vault_absent', 'This browser keeps no vault of this account')
  const { database, head } = found
  try {
    const rowKey = await rowKeyOf(head, unlockSecret, entered)
    if (head.format === 1) await upgradeHead(database, userId, rowKey, unlockSecret)
    return vaultOver(database, await taken(rowKey), { userId, deviceId: head.deviceId })
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a vault by another tab's key. Throws 'vault_absent', or as `findVault`. */
export async function openHandedVault(
  { userId, deviceId, key }: HandedKey,
  username: string,
  factory: IDBFactory = indexedDB,
): Promise<Vault> {
  const found = await findVault(userId, factory, username)
  if (found?.head.deviceId === deviceId) return vaultOver(found.database, key, { userId, deviceId })
  found?.database.close()
  throw new CryptoFailure('vault_absent', 'This browser keeps no vault of this device')
}

/** Upgrades a head that would open the rows despite a later lock. */
async function upgradeHead(database: IDBDatabase, userId: string, rowKey: Uint8Array, unlockSecret: Uint8Array): Promise<void> {
  try {
    await changeHead(database, userId, async (head) =>
      head.format === 1 ? newHead(rowKey, head.deviceId, unlockSecret) : undefined,
    )
  } catch (error) {
    // A full disk leaves the older head.
    if (!(error instanceof Error) || error.name !== 'QuotaExceededError') throw error
  }
}

/** Imports and erases the row key. */
export async function taken(rowKey: Uint8Array): Promise<CryptoKey> {
  const key = await lockedKey(rowKey)
  erase(rowKey)
  return key
}

/** Deletes a user's vaults and files. */
export async function destroyVault(userId: string, factory: IDBFactory = indexedDB): Promise<void> {
  const listed = await listedVaultOf(userId, undefined, factory)
  const names = new Set([firstDatabaseOf(userId), ...(listed ? [listed.database, ...listed.kept] : [])])
  for (const name of names) await deleteDatabase(factory, name)
  await forgetUser(userId, factory)
  await writtenAt(userId)
  // A file that stays opens no more: its key was in the rows.
  await globalThis.navigator?.storage
    ?.getDirectory?.()
    .then((root) => root.removeEntry(filesOf(userId), { recursive: true }))
    .catch(() => undefined)
}
