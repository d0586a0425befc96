import { dropFiles, listFiles, WAITING } from './disk.ts'
import { exclusive } from './exclusive.ts'
import { listedVaultOf } from './listedVaults.ts'
import type { Vault } from './openVault.ts'
import { nameIn, TRANSFERS, UPLOADS, uploadId, waitingFile } from './waitingFiles.ts'

const STRAY_MS = 24 * 60 * 60 * 1000

/** A vault put aside may have the rows, so nothing is deleted then. */
export async function dropStrays({ userId, vault }: { userId: string; vault: Vault }): Promise<void> {
  await exclusive(waitingOf(userId), async () => {
    // A start looks at waiting files only.
    const waiting = (await listFiles(userId, WAITING)).get(WAITING)
    if (!waiting || (await listedVaultOf(userId, undefined, indexedDB))?.kept.length !== 0) return
    const uploads = (await vault.keys('sealed', UPLOADS)).map(uploadId)
    const transfers = (await vault.keys('sealed', TRANSFERS)).map((key) => waitingFile(nameIn(key)))
    const wanted = new Set([...uploads, ...transfers])
    const before = Date.now() - STRAY_MS
    for (const [id, { lastModified }] of waiting)
      if (lastModified < before && !wanted.has(id)) await dropFiles(userId, WAITING, id)
  })
}

export const waitingOf = (userId: string): string => `${userId}/waiting`
