import path from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import packageJson from '../package.json' with { type: 'json' }
import { openFolder } from '../server/chat/files/folder.ts'
import { openBucket } from '../server/chat/files/openBucket.ts'
import { BackupError } from '../server/ground/backup/backupError.ts'
import { restoreBackup } from '../server/ground/backup/restoreBackup.ts'
import { readIdentity } from '../server/ground/backup/sealing.ts'
import { defaultDataFolder, findBinaries, serverAccount } from '../server/ground/db/binaries.ts'
import { DataInUseError } from '../server/ground/db/embedded.ts'
import { versionOf } from '../server/ground/db/prepare.ts'
import { Refusal } from '../server/refuse.ts'
import { ConfigError, readConfig } from '../server/settings/config.ts'
import { runCommand } from './runCommand.ts'

const root = path.resolve(import.meta.dirname, '..')
const USAGE = 'npm run restore -- <folder> [--at=<name of a backup>] [--identity=<file>] [--nothing-since]'

await runCommand(run, explain)

function explain(error: unknown): string {
  for (const expected of [BackupError, ConfigError, DataInUseError]) if (error instanceof expected) return error.message
  if (error instanceof Refusal) return `The files cannot be put in their place: ${error.message}`
  return `Nothing is restored: ${error instanceof Error ? error.message : error}`
}

async function run(words: string[]): Promise<string[]> {
  const { folder, at, identity, isNothingSince } = readWords(words)
  const config = readConfig(process.env)
  if (config.databaseUrl !== undefined)
    throw new BackupError('DATABASE_URL is set, and a backup is restored into the PostgreSQL that npm brings: leave it out')
  const dataFolder = config.dataFolder ?? defaultDataFolder(root)
  return await restoreBackup({
    ...{ root, dataFolder, folder, at, isNothingSince },
    keys: identity === undefined ? undefined : await readIdentity(identity),
    brings: { version: packageJson.version, postgres: readPostgres(dataFolder), newestMigration: newestMigration() },
    openObjects: (into) => (config.s3 ? openBucket(config, root) : openFolder(path.join(into, 'objects'))),
    say: console.error,
  })
}

function readWords(words: string[]) {
  const given = new Map<string, string>()
  for (const word of words) {
    const [, name, value] = /^--(at|identity|nothing-since)(?:=(.+))?$/.exec(word) ?? [
      '',
      word.startsWith('--') ? '' : 'folder',
      word,
    ]
    const hasValue = value !== undefined
    if (!name || given.has(name) || hasValue === (name === 'nothing-since')) throw new BackupError(USAGE)
    given.set(name, value ?? '')
  }
  const folder = given.get('folder')
  if (folder === undefined) throw new BackupError(USAGE)
  const [at, identity] = [given.get('at'), given.get('identity')]
  return { folder: path.resolve(folder), at, identity, isNothingSince: given.has('nothing-since') }
}

function readPostgres(dataFolder: string): string {
  // Where the program has to be copied first, it goes beside the data of the server's account.
  const found = versionOf(findBinaries(root, dataFolder, serverAccount()))
  if (found === undefined) throw new BackupError('The PostgreSQL that npm brings cannot be run here')
  return found
}

function newestMigration(): number {
  const migrations = readMigrationFiles({ migrationsFolder: path.join(root, 'server/ground/db/migrations') })
  return Math.max(...migrations.map(({ folderMillis }) => folderMillis))
}
