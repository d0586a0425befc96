import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { BackupError } from './backupError.ts'
import { type Backup, objectFile, PREFIXES, readList, takeByPrefix } from './manifest.ts'
import type { Objects } from './objectCopy.ts'
import { unseal } from './sealing.ts'
import { listObjects, type Session } from './store.ts'

/** Returns the ids of files that the backup lacks. Throws BackupError. */
export async function restoreObjects(
  client: Session,
  objects: Objects,
  { folder, backup, identity }: { folder: string; backup: Backup; identity: string | undefined },
): Promise<string[]> {
  const { manifest } = backup
  const listed = takeByPrefix(readList(backup))
  const lacking: string[] = []
  for (const prefix of PREFIXES) {
    const found = await listed(prefix)
    for (const { id, sizeBytes, sha256, isKept } of await listObjects(client, prefix)) {
      if (!isKept) continue
      if (!found.has(id)) {
        lacking.push(id)
        continue
      }
      const sealed = createReadStream(objectFile(folder, manifest.objects.folder, id))
      const opened = await unseal(sealed, manifest.recipient === null ? undefined : identity)
      await objects.put(id, Readable.from(compared(opened, id, sha256), { objectMode: false }), sizeBytes)
    }
  }
  return lacking
}

async function* compared(bytes: AsyncIterable<Buffer>, id: string, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw new BackupError(`The file ${id} has other bytes in the backup than its row says`)
}
