import path from 'node:path'
import { BackupError } from './backupError.ts'
import { type Backup, listBackups, objectFile, readList } from './manifest.ts'
import { type Measured, measure } from './sealing.ts'

const NAMED_MAX = 20

/** Reads every byte. Throws a BackupError that names what differs. */
export async function checkWhole(folder: string, backup: Backup): Promise<void> {
  const { manifest } = backup
  const wrong: string[] = []
  const compare = async (file: string, expected: Measured) => {
    const found = await measure(file)
    const name = path.relative(folder, file)
    if (!found) wrong.push(`${name} is missing`)
    else if (found.sizeBytes !== expected.sizeBytes)
      wrong.push(`${name} has ${found.sizeBytes} bytes instead of ${expected.sizeBytes}`)
    else if (found.sha256 !== expected.sha256) wrong.push(`${name} has other bytes`)
  }
  for (const file of [manifest.archive, manifest.objects]) await compare(path.join(backup.folder, file.file), file)
  if (wrong.length === 0)
    for await (const listed of readList(backup)) await compare(objectFile(folder, manifest.objects.folder, listed.id), listed)
  if (wrong.length === 0) return
  const more = wrong.length > NAMED_MAX ? `, and ${wrong.length - NAMED_MAX} more` : ''
  throw new BackupError(`The backup ${backup.name} is damaged: ${wrong.slice(0, NAMED_MAX).join(', ')}${more}`)
}

/** Needs no identity. Throws BackupError. */
export async function checkBackups(folder: string): Promise<string[]> {
  const backups = await listBackups(folder)
  if (backups.length === 0) throw new BackupError(`There is no finished backup in ${folder}`)
  for (const backup of backups) await checkWhole(folder, backup)
  return backups.map(({ name, manifest }) => `The backup ${name} is whole, with ${manifest.objects.count} files`)
}
