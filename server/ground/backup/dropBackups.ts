import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { dropBackup, listBackups, objectFile, readList } from './manifest.ts'

/** Keeps the newest `kept` and the files that they name. */
export async function dropOlder(folder: string, kept: number): Promise<string> {
  const backups = await listBackups(folder)
  const older = backups.slice(0, Math.max(0, backups.length - kept))
  for (const backup of older) await dropBackup(backup)
  const wanted = new Set<string>()
  for (const backup of backups.slice(older.length))
    for await (const { id } of readList(backup)) wanted.add(objectFile(folder, backup.manifest.objects.folder, id))
  let dropped = 0
  for (const file of await filesBelow(path.join(folder, 'objects'))) {
    if (wanted.has(file)) continue
    await rm(file)
    dropped += 1
  }
  return `Removed ${older.length} older backups, and ${dropped} files that only they named`
}

async function filesBelow(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}
