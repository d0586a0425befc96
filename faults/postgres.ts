import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { clusterFolder } from '../server/ground/db/embedded.ts'
import { isPostgres, parentOf, readProc, stopPostmaster } from '../server/ground/db/postmaster.ts'
import { Skipped } from './fault.ts'

/** The process id of the postmaster of this data folder; undefined if none runs. */
export function postmasterOf(dataFolder: string): number | undefined {
  const pid = Number(textOf(path.join(clusterFolder(dataFolder), 'postmaster.pid')).split('\n')[0])
  return pid > 0 && isPostgres(pid) ? pid : undefined
}

/** The process ids of the postmaster, which comes first, and of its children. */
export function processesOf(dataFolder: string): number[] {
  const postmaster = postmasterOf(dataFolder)
  if (postmaster === undefined) return []
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === postmaster)
  return [postmaster, ...children]
}

/** The process ids of backends with a connection to the product's database. */
export const backendsOf = (dataFolder: string): number[] =>
  processesOf(dataFolder).filter((pid) => readProc(pid, 'cmdline').includes(' conclave conclave '))

export function requireProc(): void {
  if (process.platform !== 'linux') throw new Skipped('processes of PostgreSQL are found on Linux only')
}

/** Signals processes; those that have ended since they were listed are skipped. */
export function signal(pids: number[], name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      if (isPostgres(pid)) process.kill(pid, name)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/** Ends the PostgreSQL that a killed server has left running. */
export async function endPostgres(dataFolder: string): Promise<void> {
  const pid = postmasterOf(dataFolder)
  if (pid !== undefined) await stopPostmaster(pid)
}

/** Empty if the file is not there: PostgreSQL may take it away at any moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
