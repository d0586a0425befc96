import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../../settings/config.ts'
import { type Account, closedFolder, letThrough } from './binaries.ts'

/** Throws ConfigError if the account may not enter the folder. */
export function makeFolder(folder: string, account: Account | undefined): void {
  try {
    mkdirSync(folder, { recursive: true, mode: account ? 0o755 : 0o700 })
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new ConfigError('CONCLAVE_DATA', 'a folder that can be written', folder)
    throw error
  }
  if (!account) return
  letThrough(folder)
  const closed = closedFolder(folder, account)
  if (!closed) return
  throw new ConfigError(
    'CONCLAVE_DATA',
    `a folder that the account ${account.name} may enter (${closed} is closed to it)`,
    folder,
  )
}

/** Two processes at a time get the same cluster. */
export function initialise(binaries: string, cluster: string, account: Account | undefined): void {
  // An interrupted start must leave no data.
  const unfinished = `${cluster}.${randomBytes(4).toString('hex')}`
  mkdirSync(unfinished, { mode: 0o700 })
  if (account) chownSync(unfinished, account.uid, account.gid)
  const args = ['-D', unfinished, '-U', 'conclave', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions']
  const made = spawnSync(path.join(binaries, 'bin/initdb'), args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: unfinished,
    env: {},
    encoding: 'utf8',
  })
  if (made.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    const reason = made.error?.message ?? made.stderr.trim().split('\n').at(-1) ?? 'unknown'
    throw new Error(`PostgreSQL could not prepare its data (${reason}). Set DATABASE_URL to one of your own`)
  }
  try {
    renameSync(unfinished, cluster)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(path.join(cluster, 'PG_VERSION'))) throw error
  }
}

/** The folder in which a restore makes the data, below the data folder. */
export const UNFINISHED_RESTORE = 'unfinished-restore'

/** Throws if a restore has not ended: the server would make new data beside it. */
export function refuseUnfinished(dataFolder: string): void {
  if (existsSync(path.join(dataFolder, UNFINISHED_RESTORE)))
    throw new ConfigError(
      'CONCLAVE_DATA',
      'a folder without a restore that was cut short, or still runs: empty it and restore again',
      dataFolder,
    )
}

/** Such as "18.4"; undefined if it cannot be run. */
export function versionOf(binaries: string): string | undefined {
  const said = spawnSync(path.join(binaries, 'bin/postgres'), ['--version'], { encoding: 'utf8' }).stdout
  return /\d+\S*/.exec(said ?? '')?.[0]
}

/** Throws if another major version has written the data. */
export function refuseOtherVersion(binaries: string, cluster: string): void {
  const data = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim()
  const major = /^\d+/.exec(versionOf(binaries) ?? '')?.[0]
  if (major && major !== data)
    throw new Error(
      `The data in ${cluster} is of PostgreSQL ${data}, and this Conclave brings ${major}. Go back to the version that ran before, back up ` +
        'by "npm run backup", and move the rows as docs/operate.md has it ("Another major version")',
    )
}
