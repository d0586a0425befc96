import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isPostgres, stopPostmaster } from '../ground/db/postmaster.ts'

const PREFIX = 'conclave-run-'
/** Every process that a run starts has the run's folder in its environment under this name. */
const MARK = 'CONCLAVE_TEST_RUN'
/** Maximum depth of a test's data folder in the run's folder. */
const DEPTH = 4

/**
 * Makes a folder for this run of tests and sets TMPDIR of this process and its children to it. After this process has ended, even
 * by SIGKILL, a watcher stops the run's other processes and removes the folder. Also cleans up runs whose watcher has died.
 */
export async function openRun(): Promise<{ folder: string }> {
  // Each project of the run asks for it.
  const opened = process.env[MARK]
  if (opened && path.basename(opened).startsWith(`${PREFIX}${process.pid}-`)) return { folder: opened }
  const place = tmpdir()
  await endDeadRuns(place)
  const folder = mkdtempSync(path.join(place, `${PREFIX}${process.pid}-${startTime(process.pid)}-`))
  // If root runs the tests, PostgreSQL runs under another account, which must pass through this folder.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.env[MARK] = folder
  const watcher = spawn(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, 'watcher.ts'), folder], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    // The watcher has its own process group, so that neither Ctrl-C nor the group's end stops it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  watcher.unref()
  if (watcher.stdin instanceof Socket) watcher.stdin.unref()
  return { folder }
}

/** Called by vitest for the projects without a cluster. */
export async function setup(): Promise<void> {
  await openRun()
}

/** Cleans up the runs in this folder whose process has ended. */
export async function endDeadRuns(place: string): Promise<void> {
  for (const name of readdirSync(place)) {
    const [, pid, started] = new RegExp(`^${PREFIX}(\\d+)-(\\d*)-`).exec(name) ?? []
    if (pid && !(kill(Number(pid), 0) && startTime(Number(pid)) === started)) await endRun(path.join(place, name))
  }
}

/** Stops the processes of a dead run and removes its folder. */
export async function endRun(folder: string): Promise<void> {
  // Servers are killed first, because each would restart its PostgreSQL.
  for (const pid of processesOf(folder)) kill(pid, 'SIGKILL')
  for (const pid of postmastersIn(folder, DEPTH)) await stopPostmaster(pid)
  for (const disk of disksIn(folder)) spawnSync('umount', [disk])
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Process ids with the run's mark in their environment. Only Linux shows it; elsewhere `postmastersIn` finds PostgreSQL. */
function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return []
  const marked = `\0${MARK}=${folder}\0`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => `\0${readProc(pid, 'environ')}`.includes(marked))
    .map(Number)
}

/** Process ids of the PostgreSQL servers whose data is in the folder. */
function postmastersIn(folder: string, depth: number): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const inner = path.join(folder, name)
      const pidFile = path.join(inner, 'postmaster.pid')
      if (!existsSync(pidFile)) return depth > 1 ? postmastersIn(inner, depth - 1) : []
      const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
      // Another process may have this id by now.
      const isOurs = process.platform !== 'linux' || readProc(pid, 'cmdline').includes(`\0${inner}\0`)
      return isOurs && isPostgres(pid) ? [pid] : []
    })
}

/** Mount points in the folder, which a fault run has left. */
function disksIn(folder: string): string[] {
  const places = readProc('self', 'mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  return places.filter((place) => place.startsWith(`${folder}/`))
}

/** Start time of the process, which tells it from a later one with the same id; '' on systems other than Linux. */
const startTime = (pid: number): string => /.*\) (.*)/s.exec(readProc(pid, 'stat'))?.[1]?.split(' ')[19] ?? ''

/** Reads a file of /proc; '' if it is missing or belongs to another user's process. */
function readProc(pid: number | string, file: 'environ' | 'cmdline' | 'stat' | 'mounts'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Sends a signal. Returns false if the process has ended. Signal 0 only checks that. */
function kill(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
