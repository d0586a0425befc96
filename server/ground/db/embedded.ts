import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Account, findBinaries, serverAccount } from './binaries.ts'
import { findPostmaster, isPostgres, launch, socketUrl, stopPostmaster } from './postmaster.ts'
import { initialise, makeFolder, refuseOtherVersion, refuseUnfinished } from './prepare.ts'

/** Any constant. The lock's holder owns the data folder until its process ends. */
const OWNER_LOCK = 7_302_113
/** A Unix socket's address has at most 107 bytes and ends with "/.s.PGSQL.5432". */
const SOCKET_FOLDER_BYTES = 90
const RESTART_MS = 200
const RESTART_SLOWLY_MS = 2000
const TRIES_QUIET = 20
const OWN_AGAIN_MS = 50

export class DataInUseError extends Error {
  constructor(folder: string) {
    super(`Another Conclave is running on the data in ${folder}. Stop it, or set CONCLAVE_DATA to another folder`)
    this.name = 'DataInUseError'
  }
}

export interface Cluster {
  url(database: string): string
  stop(): Promise<void>
}

interface Options {
  root: string
  dataFolder: string
  /** At most so many at once; those of one server are far fewer. */
  connections?: number
  /** Receives sentences about a new, dead or restarted PostgreSQL. */
  say: (line: string) => void
}

export const clusterFolder = (dataFolder: string): string => path.join(dataFolder, 'postgres')

/** Starts npm's PostgreSQL for this process alone. Throws DataInUseError, ConfigError. */
export async function startPostgres({ root, dataFolder, connections = 64, say }: Options): Promise<Cluster> {
  const account = serverAccount()
  makeFolder(dataFolder, account)
  refuseUnfinished(dataFolder)
  const binaries = findBinaries(root, dataFolder, account)
  const cluster = clusterFolder(dataFolder)
  if (!existsSync(path.join(cluster, 'PG_VERSION'))) {
    say('Creating the database (once)...')
    initialise(binaries, cluster, account)
  }
  refuseOtherVersion(binaries, cluster)

  const old = await findPostmaster(cluster)
  if (old) {
    await (await own(old.socketFolder, dataFolder)).end()
    await stopPostmaster(old.pid)
    dropSocketFolder(old.socketFolder, dataFolder)
  }
  rmSync(path.join(dataFolder, 'postgres.log'), { force: true })
  const socketFolder = makeSocketFolder(dataFolder, account)
  let isStopping = false
  let owner: pg.Client | undefined

  const log = path.join(dataFolder, 'postgres.log')
  /** The newest, which may not be ready yet. */
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const onSpawn = (spawned: ChildProcess) => {
      child = spawned
    }
    const onSlow = () => say(`PostgreSQL is still starting: see ${log}`)
    const isReady = await launch({ binaries, connections, cluster, socketFolder, account, onSpawn, onSlow })
    if (!isReady) throw new Error(`PostgreSQL did not start: see ${log}`)
    child?.once('exit', () => void (isStopping || revive()))
  }

  /** A crash inside PostgreSQL ends the lock's connection. */
  async function keepOwning(): Promise<void> {
    owner = await own(socketFolder, dataFolder)
    owner.once('end', () => void (isStopping || ownAgain()))
  }

  async function ownAgain(): Promise<void> {
    while (!isStopping) {
      try {
        return await keepOwning()
      } catch {
        // PostgreSQL is restarting.
        await wait(OWN_AGAIN_MS)
      }
    }
  }

  /** Tries without a limit: a full disk may have space later. */
  async function revive(): Promise<void> {
    say('PostgreSQL ended unexpectedly: starting it again')
    for (let tries = 1; !isStopping; tries++) {
      try {
        await start()
        return say('PostgreSQL is back')
      } catch {
        if (tries === TRIES_QUIET) say(`PostgreSQL does not start, and is tried again and again: see ${log} and the disk's space`)
        await wait(tries < TRIES_QUIET ? RESTART_MS : RESTART_SLOWLY_MS)
      }
    }
  }

  async function startOwned(): Promise<void> {
    await start()
    await keepOwning()
  }

  await startFirst(startOwned, cluster, dataFolder)
  return {
    url: (database) => socketUrl(socketFolder, database),
    async stop() {
      isStopping = true
      await owner?.end().catch(() => undefined)
      if (child?.pid !== undefined && isPostgres(child.pid)) await stopPostmaster(child.pid)
      dropSocketFolder(socketFolder, dataFolder)
    },
  }
}

/** undefined if no cluster runs. */
export async function runningUrl(dataFolder: string, database: string): Promise<string | undefined> {
  const found = await findPostmaster(clusterFolder(dataFolder))
  return found && socketUrl(found.socketFolder, database)
}

async function startFirst(start: () => Promise<void>, cluster: string, dataFolder: string): Promise<void> {
  try {
    await start()
  } catch (error) {
    const winner = await findPostmaster(cluster)
    if (winner) throw new DataInUseError(dataFolder)
    throw error
  }
}

async function own(socketFolder: string, dataFolder: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: socketUrl(socketFolder, 'postgres') })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [OWNER_LOCK])
  if (rows[0]?.taken) return client
  await client.end()
  throw new DataInUseError(dataFolder)
}

function makeSocketFolder(dataFolder: string, account: Account | undefined): string {
  const near = path.join(dataFolder, 'socket')
  const isShort = Buffer.byteLength(near) <= SOCKET_FOLDER_BYTES
  const base = Buffer.byteLength(tmpdir()) < SOCKET_FOLDER_BYTES - 20 ? tmpdir() : '/tmp'
  if (isShort) mkdirSync(near, { recursive: true, mode: 0o700 })
  const folder = isShort ? near : mkdtempSync(path.join(base, 'conclave-'))
  if (account) chownSync(folder, account.uid, account.gid)
  chmodSync(folder, 0o700)
  return folder
}

function dropSocketFolder(folder: string, dataFolder: string): void {
  const isOurs = path.dirname(folder) === dataFolder || path.basename(folder).startsWith('conclave-')
  if (isOurs && readdirSync(folder).length === 0) rmSync(folder, { recursive: true, force: true })
}
