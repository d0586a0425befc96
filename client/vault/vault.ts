import { encodeFields } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, lockedKey, openWith, randomBytes, sealWith } from '../primitives/seal.ts'
import { deleteDatabase, openDatabase } from './database.ts'
import { exclusive } from './exclusive.ts'
import { firstDatabaseOf, forgetUser, listedVaultOf, listVault } from './list.ts'
import { MARKS } from './marks.ts'
import { VAULT } from './migrations.ts'
import { type Vault, vaultOver } from './opened.ts'
import type { Write } from './rows.ts'
import { findVault, HEAD, marksIn, type VaultHead } from './vaults.ts'

export type { Vault, Write }

const VAULT_KEY = 'conclave/vault/v1'
const CHECK = 'conclave/vault-check/v1'

const SHUT =
  "The server returned another secret than the one this browser's keys are sealed with. The keys stay here, sealed, with all that is in them."

/**
 * Makes the vault of a new device with its first rows, notes it as its user's, and opens it. A vault of this user that is here already
 * is put aside as it is, and its marks are the new one's lowest [Note: V4]. Throws CryptoFailure: 'other_account', or 'vault_newer'
 * where only a newer page can read the one that is here.
 */
export function createVault(
  owner: { userId: string; username: string; deviceId: string },
  unlockSecret: Uint8Array,
  firstRows: Write[] = [],
  factory: IDBFactory = indexedDB,
): Promise<Vault> {
  const { userId, username, deviceId } = owner
  return exclusive(`conclave/${userId}/vaults`, async () => {
    const listed = await listedVaultOf(userId, username, factory)
    const marks = await marksIn({ database: listed?.database ?? firstDatabaseOf(userId) }, factory)
    const localKey = randomBytes(32)
    const key = await vaultKey(localKey, unlockSecret)
    const check = await sealWith(key, CHECK, new Uint8Array(), deviceId)
    const head: VaultHead = { format: 1, deviceId, localKey, check }
    const database = await newDatabase(factory, owner, (upgrade) => {
      const meta = upgrade.objectStore('meta')
      meta.put(head, HEAD)
      if (marks) meta.put(marks, MARKS)
    })
    erase(localKey)
    const vault = vaultOver(database, key, { userId, deviceId })
    await vault.write(firstRows)
    // Last: until then a sign-in finds the vault of before.
    await listVault({ userId, username, database: database.name }, factory)
    return vault
  })
}

async function newDatabase(
  factory: IDBFactory,
  { userId, deviceId }: { userId: string; deviceId: string },
  fill: (upgrade: IDBTransaction) => void,
): Promise<IDBDatabase> {
  const first = firstDatabaseOf(userId)
  for (const name of [first, `${first}-${deviceId}`]) {
    // Of this very device: what an attempt left that did not come to its end.
    if (name !== first) await deleteDatabase(factory, name)
    const { database, isNew } = await openDatabase(factory, name, VAULT, fill)
    if (isNew) return database
    database.close()
  }
  throw new CryptoFailure('vault_exists', 'This browser already keeps a vault of this device')
}

/**
 * Opens the vault with the half of its key that the server keeps. Throws CryptoFailure: 'vault_absent', 'vault_shut' where the secret
 * is another, or what `findVault` throws. `username`: under which it must have been made.
 */
export async function openVault(
  userId: string,
  unlockSecret: Uint8Array,
  factory: IDBFactory = indexedDB,
  username?: string,
): Promise<Vault> {
  const found = await findVault(userId, factory, username)
  if (!found) throw new CryptoFailure('vault_absent', 'This browser keeps no vault of this account')
  const { database, head } = found
  try {
    const key = await vaultKey(head.localKey, unlockSecret)
    await openWith(key, CHECK, head.check, head.deviceId)
    return vaultOver(database, key, { userId, deviceId: head.deviceId })
  } catch (error) {
    database.close()
    throw new CryptoFailure('vault_shut', SHUT, { cause: error })
  } finally {
    erase(head.localKey)
  }
}

/** Deletes a user's vault and those that were put aside, with all that is in them; where one is open, it closes. */
export async function destroyVault(userId: string, factory: IDBFactory = indexedDB): Promise<void> {
  const listed = await listedVaultOf(userId, undefined, factory)
  const names = new Set([firstDatabaseOf(userId), ...(listed ? [listed.database, ...listed.kept] : [])])
  for (const name of names) await deleteDatabase(factory, name)
  await forgetUser(userId, factory)
}

/** Both halves are the HKDF's secret input: who lacks either knows nothing of the key. */
async function vaultKey(localKey: Uint8Array, unlockSecret: Uint8Array): Promise<CryptoKey> {
  const both = encodeFields(localKey, unlockSecret)
  const raw = await hkdf(both, VAULT_KEY)
  const key = await lockedKey(raw)
  erase(both, raw)
  return key
}
