import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Account } from './binaries.ts'

const START_MS = 20_000
const PORT = 5432
const KILL_MS = 2000

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

interface Launch {
  binaries: string
  connections: number
  cluster: string
  socketFolder: string
  account: Account | undefined
  /** Called with the process before it is ready. */
  onSpawn: (child: ChildProcess) => void
  /** Called once when it is still not ready after 20 s: after a crash it writes again what the disk had not yet. */
  onSlow: () => void
}

/** Ends what an earlier PostgreSQL has left. Resolves to false if the new one ends, as when another has taken the data first. */
export async function launch({
  binaries,
  connections,
  cluster,
  socketFolder,
  account,
  onSpawn,
  onSlow,
}: Launch): Promise<boolean> {
  const stale = readPidFile(cluster)
  // Another program may have this process id after a reboot.
  if (stale && !isPostgres(stale.pid)) rmSync(path.join(cluster, 'postmaster.pid'), { force: true })
  await endOrphans(cluster)
  const log = openSync(path.join(path.dirname(cluster), 'postgres.log'), 'a', 0o600)
  const child = spawn(path.join(binaries, 'bin/postgres'), ['-D', cluster, ...settings(cluster, socketFolder, connections)], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: cluster,
    env: {},
    // Ctrl-C reaches Node alone, which stops PostgreSQL last.
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  onSpawn(child)
  const failed = new Promise<Error>((fail) => child.once('error', fail))
  const slow = setTimeout(onSlow, START_MS)
  try {
    while (isRunning(child)) {
      const error = await Promise.race([failed, wait(10)])
      if (error instanceof Error)
        throw new Error(`PostgreSQL cannot be run (${error.message}). Set DATABASE_URL to one of your own`)
      const found = readPidFile(cluster)
      if (found?.pid === child.pid && found?.isReady && (await answers(found))) return isRunning(child)
    }
    return false
  } finally {
    clearTimeout(slow)
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

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

/**
 * Ends what has outlived its postmaster: it keeps the shared memory, so no other one starts. Each of these processes leads a group of
 * its own. Linux only: elsewhere they end by themselves.
 */
async function endOrphans(cluster: string): Promise<void> {
  const title = `postgres: ${nameOf(cluster)}: `
  const deadline = Date.now() + KILL_MS
  for (;;) {
    const orphans = process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(isOrphan) : []
    if (orphans.length === 0) return
    if (Date.now() > deadline) throw new Error(`Processes of PostgreSQL do not end: ${orphans.join(', ')}`)
    for (const pid of orphans) endAtOnce(pid)
    await wait(5)
  }
  /** A postmaster that starts has no such title yet, and its children have it as their parent. */
  function isOrphan(pid: number): boolean {
    return pid > 0 && isPostgres(pid) && readProc(pid, 'cmdline').startsWith(title) && !isPostgres(parentOf(pid))
  }
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The name in the titles of its processes. Paths are no names: two containers may call their folders alike. */
function nameOf(cluster: string): string {
  const { dev, ino } = statSync(cluster)
  return `conclave-${dev}-${ino}`
}

function settings(cluster: string, socketFolder: string, connections: number): string[] {
  return [
    `cluster_name=${nameOf(cluster)}`,
    // Only the socket in a folder of mode 0700 leads here.
    'listen_addresses=',
    `unix_socket_directories="${socketFolder.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
    `port=${PORT}`,
    `max_connections=${connections}`,
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
  const [, program, state] = STAT.exec(readProc(pid, 'stat')) ?? []
  return program === 'postgres' && state !== 'Z'
}

/** Linux only. 0: no such process. */
export const parentOf = (pid: number): number => Number(STAT.exec(readProc(pid, 'stat'))?.[3] ?? 0)

/** Program, state, parent. */
const STAT = /^\d+ \((.*)\) (\S) (\d+)/

/** '' if the process has ended. */
export function readProc(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
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
