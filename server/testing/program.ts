import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import { PROGRAM } from '../../scripts/programs.ts'

const root = path.resolve(import.meta.dirname, '../..')
const running = new Set<ChildProcess>()

export interface Started {
  output: string
  exit: number | null
  child: ChildProcess
}

/** Bundles the real server, or another program, as it ships, under a name of its own, because test files run at once. */
export const bundle = (name: string, program = 'server/main.ts') =>
  build({ ...PROGRAM, entryPoints: { [name]: path.join(root, program) } })

/** Starts the server. Resolves when it prints that it is ready, or when it exits. */
export function start(name: string, settings: Record<string, string>): Promise<Started> {
  const env = { ...process.env, PORT: '0', NODE_ENV: 'test', ...settings }
  const child = spawn(process.execPath, [path.join(root, `dist/${name}.mjs`)], { cwd: root, env })
  running.add(child)
  const started: Started = { output: '', exit: null, child }
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        started.output += String(chunk)
        if (/ready at/.test(started.output)) resolve(started)
      })
    }
    child.once('exit', (code) => {
      running.delete(child)
      started.exit = code
      resolve(started)
    })
  })
}

export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(child.exitCode)))

/** Runs a command to its end. `onStart` is given its process. */
export async function runs(
  name: string,
  words: string[],
  settings: Record<string, string>,
  onStart: (child: ChildProcess) => void = () => undefined,
): Promise<Started> {
  const env = { ...process.env, NODE_ENV: 'test', ...settings }
  const child = spawn(process.execPath, [path.join(root, `dist/${name}.mjs`), ...words], { cwd: root, env })
  const ran: Started = { output: '', exit: null, child }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      ran.output += String(chunk)
    })
  onStart(child)
  return await new Promise((resolve) => child.once('close', (exit) => resolve({ ...ran, exit })))
}

/** Stops what still runs. */
export async function stopAll(): Promise<void> {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all([...running].map(ended))
}
