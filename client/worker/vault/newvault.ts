import { CryptoFailure } from '../primitives/failure.ts'
import { randomBytes } from '../primitives/seal.ts'
import { answerOf, deleteDatabase, openDatabase } from './database.ts'
import { exclusive } from './exclusive.ts'
import { changeList, firstDatabaseOf, foldName, type ListedVault, listedVaultOf, readRow } from './listedVaults.ts'
import { VAULT } from './migrations.ts'
import { vaultOver } from './openVault.ts'
import { taken, type Vault, type Write } from './vault.ts'
import { HEAD, newHead } from './vaultHead.ts'
import { MARKS } from './vaultMarks.ts'
import { marksIn } from './vaults.ts'

/** Makes a new device's vault; keeps the previous vault and its marks [Note: V4]. Throws 'other_account' or 'vault_newer'. */
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
    const rowKey = randomBytes(32)
    const head = await newHead(rowKey, deviceId, unlockSecret)
    const database = await newDatabase(factory, owner, (upgrade) => {
      const meta = upgrade.objectStore('meta')
      meta.put(head, HEAD)
      if (marks) meta.put(marks, MARKS)
    })
    const vault = vaultOver(database, await taken(rowKey), { userId, deviceId })
    await vault.write(firstRows)
    // A sign-in finds the previous vault until then.
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
    if (name !== first) await deleteDatabase(factory, name)
    const { database, isNew } = await openDatabase(factory, name, VAULT, fill)
    if (isNew) return database
    database.close()
  }
  throw new CryptoFailure('vault_exists', 'This browser already keeps a vault of this device')
}

/** Lists a vault; puts the previous vault aside. */
export const listVault = (
  { userId, username, database }: Pick<ListedVault, 'userId' | 'username' | 'database'>,
  factory: IDBFactory,
): Promise<void> =>
  changeList(factory, async (rows) => {
    const found: unknown = await answerOf(rows.get(userId))
    const before = found === undefined ? undefined : readRow(found)
    const kept = before ? [...before.kept, before.database].filter((one) => one !== database) : []
    rows.put({
      username: foldName(username),
      userId,
      ...(database !== firstDatabaseOf(userId) && { database }),
      ...(kept.length > 0 && { kept }),
    })
  })
