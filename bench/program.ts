import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { root } from './ground.ts'
import { sum } from './numbers.ts'

/** A child process that listens on a port. */
export interface Program {
  pid: number
  port: number
  /** Runs a full garbage collection, so that the memory measured is in use. */
  collect(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 30_000
const STOP_MS = 15_000
// The product's server and the bare ones print this line.
const READY = /ready at http:\/\/[^\s:]+:(\d+)/
const COLLECT = 'data:text/javascript,process.on("SIGUSR2",()=>{gc();gc();console.log("collected")})'

let profiling: string[] = []
/** Starts later product servers with these Node options. */
export const profileWith = (words: string[]): void => {
  profiling = words
}

/** The running child processes, each with the signal that stops it cleanly. */
const running = new Map<ChildProcess, NodeJS.Signals>()

/** Starts the product as `npm start` does, on this database. Rate limits are off, because few addresses send the load of many. */
export const startProduct = (databaseUrl: string, variables: Record<string, string> = {}, folder = root): Promise<Program> =>
  startProgram(
    [...profiling, ...startWords(folder)],
    {
      DATABASE_URL: databaseUrl,
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      ...variables,
    },
    folder,
  )

/** The words with which `npm start` of a folder's build calls Node: the product is measured as it runs. */
export function startWords(folder = root): string[] {
  const { scripts } = z
    .object({ scripts: z.object({ start: z.string() }) })
    .parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))
  return scripts.start.split(' ').slice(1)
}

/** Starts a bare server from this folder, which shows what the machine can do without the product. */
export const startBare = (file: string, words: string[] = []): Promise<Program> =>
  startProgram(['--import', 'tsx', `bench/${file}`, ...words], { NODE_ENV: 'production' })

/** Starts a Node program, in the project's folder unless another is named, and waits until it prints that it is ready. */
export async function startProgram(words: string[], variables: Record<string, string>, folder = root): Promise<Program> {
  const child = spawn(process.execPath, ['--expose-gc', '--import', COLLECT, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid, stop } = adopt(child)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  const [, port] = await until(child, () => READY.exec(output))
  return {
    pid,
    port: Number(port),
    async collect() {
      output = ''
      process.kill(pid, 'SIGUSR2')
      await until(child, () => output.includes('collected') || undefined)
    },
    stop,
  }
}

/** Ends this child process when the run ends, unless it has been stopped before. */
export function adopt(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): { pid: number; stop: () => Promise<void> } {
  const { pid } = child
  if (pid === undefined) throw new Error(`${child.spawnfile} could not be started`)
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  return { pid, stop: () => end(child, signal) }
}

/** Ends the child processes that a failed figure has left running. */
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

/** Proportional set size of a process, in kB: its private pages and its share of the shared ones. */
export function pssOf(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return Number(kilobytes)
}

/**
 * Processor time of a process's first thread, in ms. Of a Node server it is the time in which its event loop served nobody else.
 * Linux counts it in nanoseconds, and leaves out the time in which the machine did something else.
 */
export const loopMsOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Processor time of a process, in ms. Linux counts it in hundredths of a second. */
export const cpuMsOf = (pid: number): number => ticksOf(pid, 2)

/** Processor time of a process and its children, ended ones included, in ms. */
export function cpuMsWithChildrenOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return ticksOf(pid, 4) + sum(children.map((child) => ticksOf(Number(child), 2)))
}

/** Sum of user and system time; with 4 fields also those of ended children. */
function ticksOf(pid: number, fields: 2 | 4): number {
  try {
    const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum(after.slice(11, 11 + fields).map(Number)) * 10
  } catch (error) {
    // A child may end between being listed and being read. Its parent's counter then includes its time.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 0
    throw error
  }
}

/** The maximum number of open files and sockets of this process. */
export function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(soft ?? 1024)
}
