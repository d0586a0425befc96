import { chownSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Account, serverAccount } from '../db/binaries.ts'
import { startPostgres } from '../db/embedded.ts'
import { makeFolder, UNFINISHED_RESTORE } from '../db/prepare.ts'
import { BackupError, named } from './backupError.ts'
import { checkWhole } from './checkBackup.ts'
import { type Backup, listBackups, majorOf } from './manifest.ts'
import type { Objects } from './objectCopy.ts'
import { restoreObjects } from './restoreObjects.ts'
import { dropUnfinishedUploads, markRestored, openSession } from './store.ts'
import { unpack } from './unpack.ts'

interface Options {
  root: string
  dataFolder: string
  folder: string
  /** The name of a backup; undefined: the newest. */
  at: string | undefined
  keys: { identity: string; recipient: string } | undefined
  brings: { version: string; postgres: string; newestMigration: number }
  openObjects: (dataFolder: string) => Promise<Objects>
  /** True: numbers go on without a gap. */
  isNothingSince: boolean
  say: (line: string) => void
}

/** They may have been given after the copy. */
const SKIPS = { receipts: 1000, addresses: 100 }
const DATABASE = 'conclave'

/** Needs an empty folder. Returns lines for the operator. Throws BackupError. */
export async function restoreBackup(options: Options): Promise<string[]> {
  const { root, dataFolder, folder, keys, say } = options
  const backup = await choose(folder, options.at)
  requireFit(backup, options)
  await requireEmpty(dataFolder)
  say(`Checking ${backup.name}...`)
  await checkWhole(folder, backup)
  const account = serverAccount()
  makeFolder(dataFolder, account)
  const unfinished = path.join(dataFolder, UNFINISHED_RESTORE)
  await mkdir(unfinished, { mode: account ? 0o755 : 0o700 })
  try {
    say('Copying the database...')
    await unpack(backup, unfinished, { identity: keys?.identity, account })
    const lacking = await recover(backup, { ...options, root, unfinished })
    await moveUp(unfinished, dataFolder, account)
    return linesOf(backup, options, lacking)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw named(error, dataFolder)
  }
}

async function choose(folder: string, at: string | undefined): Promise<Backup> {
  const backups = await listBackups(folder)
  const found = at === undefined ? backups.at(-1) : backups.find(({ name }) => name === at)
  if (found) return found
  if (backups.length === 0) throw new BackupError(`There is no finished backup in ${folder}`)
  throw new BackupError(`${folder} has no backup ${at}. It has ${backups.map(({ name }) => name).join(', ')}`)
}

/** Throws BackupError. */
function requireFit({ name, manifest }: Backup, { brings, keys, isNothingSince }: Options): void {
  const [its, ours] = [majorOf(manifest.postgres.version), majorOf(brings.postgres)]
  if (its !== ours)
    throw new BackupError(
      `The backup ${name} is of PostgreSQL ${its}, and this Conclave brings ${ours}. Restore it by Conclave ${manifest.version}, ` +
        'and move its rows as docs/operate.md has it ("Another major version")',
    )
  if (manifest.migrations.newest > brings.newestMigration)
    throw new BackupError(
      `The backup ${name} is of Conclave ${manifest.version}, which is newer than this one: install that first`,
    )
  if (manifest.recipient !== null && !keys)
    throw new BackupError(`The backup ${name} is encrypted to ${manifest.recipient}: give its identity by --identity=<file>`)
  if (manifest.recipient !== null && keys?.recipient !== manifest.recipient)
    throw new BackupError(
      `The backup ${name} is encrypted to ${manifest.recipient}, and this identity is of ${keys?.recipient}: take the other one`,
    )
  if (isNothingSince && !manifest.isServerStopped)
    throw new BackupError(`The backup ${name} was made while the server ran, so --nothing-since cannot be true`)
}

/** A copy of PostgreSQL's programs is no data. */
async function requireEmpty(dataFolder: string): Promise<void> {
  const found: string[] = await readdir(dataFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (found.includes(UNFINISHED_RESTORE))
    throw new BackupError(
      `A restore into ${dataFolder} was cut short, or still runs. If none does, remove ${UNFINISHED_RESTORE} in it`,
    )
  const [some] = found.filter((name) => name !== 'lost+found' && !/^postgres-\d/.test(name))
  if (some !== undefined)
    throw new BackupError(
      `A backup is restored into an empty folder alone, and ${dataFolder} has ${some}: set CONCLAVE_DATA to another`,
    )
}

/** PostgreSQL recovers as after a crash. Returns ids of files that the backup lacks. */
async function recover(
  backup: Backup,
  { root, unfinished, folder, keys, openObjects, isNothingSince, say }: Options & { unfinished: string },
): Promise<string[]> {
  const cluster = await startPostgres({ root, dataFolder: unfinished, say })
  try {
    const client = await openSession(cluster.url(DATABASE))
    try {
      const skips = isNothingSince ? { receipts: 0, addresses: 0 } : SKIPS
      await markRestored(client, { from: new Date(backup.manifest.copiedAt), skips })
      say('Copying the files...')
      const objects = await openObjects(unfinished)
      const lacking = await restoreObjects(client, objects, { folder, backup, identity: keys?.identity })
      return await dropUnfinishedUploads(client, lacking)
    } finally {
      await client.end()
    }
  } finally {
    await cluster.stop()
  }
}

/** The database comes last. */
async function moveUp(unfinished: string, dataFolder: string, account: Account | undefined): Promise<void> {
  const names = await readdir(unfinished)
  for (const name of ['objects', 'onion', 'postgres'])
    if (names.includes(name)) await rename(path.join(unfinished, name), path.join(dataFolder, name))
  if (account) chownSync(path.join(dataFolder, 'postgres'), account.uid, account.gid)
  await rm(unfinished, { recursive: true, force: true })
}

function linesOf({ name, manifest }: Backup, { dataFolder, isNothingSince }: Options, lacking: string[]): string[] {
  const lines = [`The backup ${name} is restored into ${dataFolder}: start the server`]
  if (!isNothingSince)
    lines.push(
      `What came after ${manifest.copiedAt} is lost: messages, files, accounts, changes of keys and plans`,
      'Browsers that have seen more say so: a chat whose encryption moved on since asks whether to restart',
      `The server asks the card provider and the chains at once for what was paid since. ${SKIPS.receipts} numbers of receipts and ${SKIPS.addresses} addresses of coins are passed over`,
    )
  if (lacking.length > 0) lines.push(`Files that the rows name and that the backup lacks: ${lacking.join(', ')}`)
  return lines
}
