import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Account } from './binaries.ts'

const START_MS = 20_000
const PORT = 5432

export interface Postmaster {
  pid: number
  socketFolder: string
}

export const socketUrl = (socketFolder: string, database: string): string =>
  `postgres://conclave@localhost:${PORT}/${database}?host=${encodeURIComponent(socketFolder)}&sslmode=disable`

export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + START_MS
  for (;;) {
    const found = readPidFile(cluster)
    if (!found || !isPostgres(found.pid)) return undefined
    if (found.isReady && (await answers(found))) return found
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${found.pid}) holds the data but does not answer`)
    await wait(25)
  }
}

/** Returns undefined if another PostgreSQL has taken the data first. */
export async function launch(
  binaries: string,
  cluster: string,
  socketFolder: string,
  account: Account | undefined,
): Promise<ChildProcess | undefined> {
  const stale = readPidFile(cluster)
  // Another program may have this process id after a reboot.
  if (stale && !isPostgres(stale.pid)) rmSync(path.join(cluster, 'postmaster.pid'), { force: true })
  const log = openSync(path.join(path.dirname(cluster), 'postgres.log'), 'a', 0o600)
  const child = spawn(path.join(binaries, 'bin/postgres'), ['-D', cluster, ...settings(socketFolder)], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: cluster,
    env: {},
    // Ctrl-C reaches Node alone, which stops PostgreSQL last.
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const failed = new Promise<Error>((fail) => child.once('error', fail))
  const deadline = Date.now() + START_MS
  while (child.exitCode === null && child.signalCode === null) {
    const error = await Promise.race([failed, wait(10)])
    if (error instanceof Error)
      throw new Error(`PostgreSQL cannot be run (${error.message}). Set DATABASE_URL to one of your own`)
    const found = readPidFile(cluster)
    if (found?.pid === child.pid && found?.isReady && (await answers(found))) return child
    if (Date.now() > deadline) throw new Error('PostgreSQL did not become ready')
  }
  return undefined
}

/** Stops by fast shutdown, then by stronger signals. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, ms] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 3000],
    ['SIGKILL', 1000],
  ] as const) {
    if (!isPostgres(pid)) return
    process.kill(pid, signal)
    const deadline = Date.now() + ms
    while (isPostgres(pid) && Date.now() < deadline) await wait(10)
  }
  if (isPostgres(pid)) throw new Error(`PostgreSQL (process ${pid}) does not stop`)
}

function settings(socketFolder: string): string[] {
  return [
    // Only the socket in a folder of mode 0700 leads here.
    'listen_addresses=',
    `unix_socket_directories="${socketFolder.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
    `port=${PORT}`,
    'max_connections=64',
    'fsync=on',
    'synchronous_commit=on',
    'shared_buffers=128MB',
    'timezone=UTC',
    'log_timezone=UTC',
    // Statements and values hold personal data.
    'log_min_messages=log',
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    'log_checkpoints=off',
  ].flatMap((setting) => ['-c', setting])
}

function readPidFile(cluster: string): (Postmaster & { isReady: boolean }) | undefined {
  try {
    // Lines: process, data, start, port, socket folder, address, memory, status.
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 0) return undefined
    return { pid, socketFolder: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Only Linux names the program; elsewhere any process counts. */
export function isPostgres(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  if (process.platform !== 'linux') return true
  try {
    const [, program, state] = /^\d+ \((.*)\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return program === 'postgres' && state !== 'Z'
  } catch {
    return false
  }
}

async function answers({ socketFolder }: Postmaster): Promise<boolean> {
  const client = new pg.Client({ connectionString: socketUrl(socketFolder, 'postgres'), connectionTimeoutMillis: 3000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
