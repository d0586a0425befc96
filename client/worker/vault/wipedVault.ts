import { openDatabase } from './database.ts'
import { exclusive } from './exclusive.ts'
import { firstDatabaseOf } from './listedVaults.ts'
import { VAULT } from './migrations.ts'
import { listVault } from './newvault.ts'
import type { Vault } from './openVault.ts'
import { HEAD, NO_HEAD } from './vaultHead.ts'
import { MARKS } from './vaultMarks.ts'
import { vaultDeviceOf } from './vaults.ts'

/** Chromium still deletes at first: an open fails or hangs. */
const LOOKS_MS = [200, 1000, 4000]

/** Resolves if a vault that the browser closed is deleted, once its marks are kept anew [Note: V4]. */
export const untilGone = (vault: Vault, username: string, factory: IDBFactory = indexedDB): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = async () => {
      if (!(await isGone(vault, factory))) return
      await keepMarks(vault, username, factory)
      resolve()
    }
    for (const ms of LOOKS_MS) setTimeout(() => void look().catch(ms === LOOKS_MS.at(-1) ? reject : () => undefined), ms)
  })

const isGone = async ({ userId }: Vault, factory: IDBFactory): Promise<boolean> =>
  (await vaultDeviceOf(userId, factory)) === undefined

function keepMarks(vault: Vault, username: string, factory: IDBFactory): Promise<void> {
  const { userId } = vault
  return exclusive(`conclave/${userId}/vaults`, async () => {
    const marks = vault.knownMarks()
    if (!marks || !(await isGone(vault, factory))) return
    const name = firstDatabaseOf(userId)
    const { database } = await openDatabase(factory, name, VAULT, (upgrade) => {
      const meta = upgrade.objectStore('meta')
      meta.put(NO_HEAD, HEAD)
      meta.put(marks, MARKS)
    })
    database.close()
    await listVault({ userId, username, database: name }, factory)
  })
}
