import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

/** The real server, as `npm start` runs it, with its own port and data folder. */
export interface RunningServer {
  url: string
  dataFolder: string
  pid(): number
  /** Everything that it has printed. */
  output(): string
  /** Kills it with SIGKILL, as a power cut would. */
  kill9(): Promise<void>
  start(env?: Record<string, string>): Promise<void>
  /** Waits until the process has exited. */
  ended(): Promise<void>
  account(...words: string[]): Promise<string>
  stop(): Promise<void>
}

const startWords = manifest.scripts.start.split(' ').slice(1)
const READY = /Conclave is ready at/
/** Its database takes most of it, where others fill the cores and the disk. */
const START_MS = 180_000

/** @param cwd folder of a build. */
export async function startServer(env: Record<string, string> = {}, cwd = process.cwd()): Promise<RunningServer> {
  const dataFolder = env['CONCLAVE_DATA'] ?? (await mkdtemp(join(tmpdir(), 'conclave-e2e-')))
  const port = await freePort()
  const settings = { PORT: String(port), HOST: '127.0.0.1', CONCLAVE_DATA: dataFolder, NODE_ENV: 'test' }
  let output = ''
  let child: ChildProcess | undefined

  async function start(more: Record<string, string> = {}): Promise<void> {
    child = spawn(process.execPath, startWords, {
      cwd,
      env: { ...process.env, ...settings, ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const from = output.length
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
    const deadline = Date.now() + START_MS
    while (!READY.test(output.slice(from))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${output}`)
      await pause(50)
    }
  }

  async function ended(): Promise<void> {
    while (child && child.exitCode === null && child.signalCode === null) await pause(20)
  }

  await start()
  return {
    url: `http://localhost:${port}`,
    dataFolder,
    pid: () => child?.pid ?? 0,
    output: () => output,
    start,
    ended,
    async kill9() {
      child?.kill('SIGKILL')
      await ended()
    },
    account: (...words) => run(['dist/account.mjs', ...words], { cwd, env: { ...process.env, ...settings, ...env } }),
    async stop() {
      child?.kill('SIGTERM')
      await ended()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function run(words: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    child.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
