import { existsSync } from 'node:fs'
import path from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { openBucket } from '../server/chat/files/openBucket.ts'
import { BackupError } from '../server/ground/backup/backupError.ts'
import { checkBackups } from '../server/ground/backup/checkBackup.ts'
import { isRecipient, newKeys } from '../server/ground/backup/sealing.ts'
import { takeBackup } from '../server/ground/backup/takeBackup.ts'
import { defaultDataFolder } from '../server/ground/db/binaries.ts'
import { clusterFolder, DataInUseError, runningUrl, startPostgres } from '../server/ground/db/embedded.ts'
import { Refusal } from '../server/refuse.ts'
import { ConfigError, readConfig } from '../server/settings/config.ts'
import { read } from '../server/settings/variables.ts'
import { runCommand } from './runCommand.ts'

const root = path.resolve(import.meta.dirname, '..')
const USAGE = `npm run backup -- <folder> [--keep=<number>] [--plain]
npm run backup -- check <folder>
npm run backup -- keys`

await runCommand(run, explain)

function explain(error: unknown): string {
  for (const expected of [BackupError, ConfigError, DataInUseError]) if (error instanceof expected) return error.message
  if (error instanceof Refusal) return `The bucket of the files does not give them: ${error.message}`
  return `The backup could not be made: ${error instanceof Error ? error.message : error}`
}

async function run(words: string[]): Promise<string[]> {
  const [flags, [first, second, ...more]] = [
    words.filter((word) => word.startsWith('--')),
    words.filter((word) => !word.startsWith('--')),
  ]
  if (first === undefined || more.length > 0) throw new BackupError(USAGE)
  if (first === 'keys' && flags.length === 0 && second === undefined) return await keys()
  if (first === 'check' && flags.length === 0 && second !== undefined) return await checkBackups(path.resolve(second))
  if (second !== undefined) throw new BackupError(USAGE)
  return await backUp(path.resolve(first), flags)
}

async function keys(): Promise<string[]> {
  const { identity, recipient } = await newKeys()
  return [
    `# The recipient encrypts alone. Set it where the server runs: BACKUP_RECIPIENT=${recipient}`,
    '# The identity opens the backups. Keep these lines in a file on another machine, and a copy on paper: without them no backup opens.',
    identity,
  ]
}

async function backUp(folder: string, flags: string[]): Promise<string[]> {
  const isPlain = flags.includes('--plain')
  const kept = readKept(flags)
  const recipient = readRecipient(isPlain)
  const config = readConfig(process.env)
  if (config.databaseUrl !== undefined)
    throw new BackupError(
      'DATABASE_URL names a PostgreSQL of yours, and this command copies the one that npm brings. Back yours up by its own means: docs/operate.md has them',
    )
  const dataFolder = config.dataFolder ?? defaultDataFolder(root)
  if (!existsSync(path.join(clusterFolder(dataFolder), 'PG_VERSION')))
    throw new BackupError(`There is no database in ${dataFolder}. CONCLAVE_DATA names the folder of the server's data`)
  if (isBelow(folder, dataFolder))
    throw new BackupError(`A backup in the data folder ${dataFolder} is lost with it. Name another folder`)
  const objects = await openBucket(config, root)
  const given = { dataFolder, folder, recipient, objects, version: packageJson.version, kept }
  const running = await runningUrl(dataFolder, 'conclave')
  if (running !== undefined) return await takeBackup({ ...given, url: running, isServerStopped: false })
  const cluster = await startPostgres({ root, dataFolder, say: console.error })
  try {
    return await takeBackup({ ...given, url: cluster.url('conclave'), isServerStopped: true })
  } finally {
    await cluster.stop()
  }
}

function readKept(flags: string[]): number | undefined {
  let kept: number | undefined
  for (const flag of flags) {
    const [, count] = /^--keep=([1-9]\d{0,3})$/.exec(flag) ?? []
    if (count !== undefined) kept = Number(count)
    else if (flag !== '--plain') throw new BackupError(USAGE)
  }
  return kept
}

function readRecipient(isPlain: boolean): string | undefined {
  const recipient = read(process.env, 'BACKUP_RECIPIENT')
  if (recipient !== undefined && !isRecipient(recipient))
    throw new ConfigError('BACKUP_RECIPIENT', 'a recipient as "npm run backup -- keys" prints it (age1...)', recipient)
  if (recipient !== undefined && isPlain)
    throw new BackupError('BACKUP_RECIPIENT is set, so --plain would say the opposite. Leave one of them out')
  if (recipient === undefined && !isPlain)
    throw new BackupError(
      'Backups are encrypted: set BACKUP_RECIPIENT to the recipient that "npm run backup -- keys" prints. --plain leaves them readable for whoever has the folder',
    )
  return recipient
}

function isBelow(folder: string, parent: string): boolean {
  return `${folder}${path.sep}`.startsWith(`${path.resolve(parent)}${path.sep}`)
}
