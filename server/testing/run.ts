import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isPostgres, stopPostmaster } from '../db/postmaster.ts'

const PREFIX = 'conclave-run-'
/** Every process that a run starts has the run's folder in its environment under this name. */
const MARK = 'CONCLAVE_TEST_RUN'
/** A test's data folder lies at most so deep in the run's folder. */
const DEPTH = 4

/**
 * Gives this run of tests a folder: TMPDIR of this process and of all that it starts. When this process has ended, however it
 * ended, a watcher stops what the run left running and removes the folder. Runs whose watcher died too are ended here.
 */
export async function openRun(): Promise<{ folder: string }> {
  const place = tmpdir()
  await endDeadRuns(place)
  const folder = mkdtempSync(path.join(place, `${PREFIX}${process.pid}-${startTime(process.pid)}-`))
  // As root, PostgreSQL runs under another account, which has to pass through here.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.env[MARK] = folder
  const watcher = spawn(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, 'watcher.ts'), folder], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    // Neither Ctrl-C nor the end of this process's group reaches it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  watcher.unref()
  if (watcher.stdin instanceof Socket) watcher.stdin.unref()
  return { folder }
}

/** Ends the runs in this folder whose process is gone. */
export async function endDeadRuns(place: string): Promise<void> {
  for (const name of readdirSync(place)) {
    const [, pid, started] = new RegExp(`^${PREFIX}(\\d+)-(\\d*)-`).exec(name) ?? []
    if (pid && !(kill(Number(pid), 0) && startTime(Number(pid)) === started)) await endRun(path.join(place, name))
  }
}

/** Stops what a dead run left running, and removes its folder. */
export async function endRun(folder: string): Promise<void> {
  // Servers first: each would start its PostgreSQL again.
  for (const pid of processesOf(folder)) kill(pid, 'SIGKILL')
  for (const pid of postmastersIn(folder, DEPTH)) await stopPostmaster(pid)
  for (const disk of disksIn(folder)) spawnSync('umount', [disk])
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Processes that carry the run's mark. Only Linux tells; elsewhere PostgreSQL alone is found, by its data. */
function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return []
  const marked = `\0${MARK}=${folder}\0`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => `\0${readProc(pid, 'environ')}`.includes(marked))
    .map(Number)
}

/** PostgreSQL servers whose data lies in the folder. */
function postmastersIn(folder: string, depth: number): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const inner = path.join(folder, name)
      const pidFile = path.join(inner, 'postmaster.pid')
      if (!existsSync(pidFile)) return depth > 1 ? postmastersIn(inner, depth - 1) : []
      const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
      // The number may be another process by now.
      const isOurs = process.platform !== 'linux' || readProc(pid, 'cmdline').includes(`\0${inner}\0`)
      return isOurs && isPostgres(pid) ? [pid] : []
    })
}

/** Disks that a fault run has mounted in the folder. */
function disksIn(folder: string): string[] {
  const places = readProc('self', 'mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  return places.filter((place) => place.startsWith(`${folder}/`))
}

/** When the process started, so that its number is not taken for another's. '' where the system does not tell. */
const startTime = (pid: number): string => /.*\) (.*)/s.exec(readProc(pid, 'stat'))?.[1]?.split(' ')[19] ?? ''

/** A file of /proc; '' where there is none, or the process is another user's. */
function readProc(pid: number | string, file: 'environ' | 'cmdline' | 'stat' | 'mounts'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** False: it has ended already. Signal 0 only asks. */
function kill(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
