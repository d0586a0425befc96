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

/** Throws if another major version has written the data. */
export function refuseOtherVersion(binaries: string, cluster: string): void {
  const data = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim()
  const version = spawnSync(path.join(binaries, 'bin/postgres'), ['--version'], { encoding: 'utf8' }).stdout
  const major = /(\d+)\./.exec(version ?? '')?.[1]
  if (major && major !== data)
    throw new Error(`The data in ${cluster} is of PostgreSQL ${data}, this is ${major}: dump it with ${data} first`)
}
