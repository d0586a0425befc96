import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { root } from './ground.ts'
import { sum } from './numbers.ts'

/** A program of its own, which said where it listens. */
export interface Program {
  pid: number
  port: number
  /** Asks for a full garbage collection, so that memory is what is held and not what was left lying about. */
  collect(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 30_000
const STOP_MS = 15_000
// Said by the product's server and by the bare ones beside it.
const READY = /ready at http:\/\/[^\s:]+:(\d+)/
const COLLECT = 'data:text/javascript,process.on("SIGUSR2",()=>{gc();gc();console.log("collected")})'

let profiling: string[] = []
/** From now on the product runs with these words of Node's. */
export const profileWith = (words: string[]): void => {
  profiling = words
}

/** Each with the signal that ends it in order. */
const running = new Map<ChildProcess, NodeJS.Signals>()

/** The product, as `npm start` runs it, on this database, without the rates: a load is many people's, sent by a few. */
export const startProduct = (databaseUrl: string, variables: Record<string, string> = {}): Promise<Program> =>
  startProgram([...profiling, 'dist/server.mjs'], {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...variables,
  })

/** A bare server of this folder: what the machine can do without the product. */
export const startBare = (file: string, words: string[] = []): Promise<Program> =>
  startProgram(['--import', 'tsx', `bench/${file}`, ...words], { NODE_ENV: 'production' })

/** Starts a Node program in the project's folder and waits until it says that it is ready. */
export async function startProgram(words: string[], variables: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, ['--expose-gc', '--import', COLLECT, ...words], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid, stop } = adopt(child)
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += String(chunk)
  })
  const [, port] = await until(child, () => READY.exec(said))
  return {
    pid,
    port: Number(port),
    async collect() {
      said = ''
      process.kill(pid, 'SIGUSR2')
      await until(child, () => said.includes('collected') || undefined)
    },
    stop,
  }
}

/** Sees to it that this process ends with the run, at the latest. */
export function adopt(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): { pid: number; stop: () => Promise<void> } {
  const { pid } = child
  if (pid === undefined) throw new Error(`${child.spawnfile} could not be started`)
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  return { pid, stop: () => end(child, signal) }
}

/** Ends what a figure that failed has left behind. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running].map(([child, signal]) => end(child, signal)))
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

async function until<T>(child: ChildProcess, look: () => T | null | undefined): Promise<T> {
  const deadline = Date.now() + START_MS
  for (;;) {
    const seen = look()
    if (seen !== null && seen !== undefined) return seen
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('A measured program ended by itself')
    if (Date.now() > deadline) throw new Error('A measured program does not answer')
    await pause(2)
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Memory of a process in kB: its own pages, and its share of those that it shares. */
export function pssOf(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return Number(kilobytes)
}

/** Processor time that a process has used, in ms; Linux counts it in hundredths of a second. */
export const cpuMsOf = (pid: number): number => ticksOf(pid, 2)

/** The same with its children, those that have ended too. */
export function cpuMsWithChildrenOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return ticksOf(pid, 4) + sum(children.map((child) => ticksOf(Number(child), 2)))
}

/** User and system time; then, with 4 fields, those of children that have ended. */
function ticksOf(pid: number, fields: 2 | 4): number {
  try {
    const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum(after.slice(11, 11 + fields).map(Number)) * 10
  } catch (error) {
    // A child may end between being listed and being read: its parent has its time from then on.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 0
    throw error
  }
}

/** How many files and sockets this process may hold open. */
export function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(soft ?? 1024)
}
