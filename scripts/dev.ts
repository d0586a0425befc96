import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { context } from 'esbuild'
import { build as vite } from 'vite'
import { defaultDataFolder } from '../server/ground/db/binaries.ts'
import { PROGRAMS } from './programs.ts'

// `npm run dev` rebuilds when a file changes and adds three accounts to try things with.
const root = path.resolve(import.meta.dirname, '..')
const PASSWORD = 'conclave-dev'
const PEOPLE = ['alice', 'bob', 'carol']
const PREMIUM = ['alice', 'bob']
const settings = {
  NODE_ENV: 'development',
  ...process.env,
  CONCLAVE_DATA: process.env['CONCLAVE_DATA'] ?? path.join(defaultDataFolder(root), 'dev'),
}

let server: ChildProcess | undefined
let isSeeded = false
let planned: NodeJS.Timeout | undefined
let turn = Promise.resolve()

/** Several builds that end together restart the server once. */
function restartSoon(): void {
  clearTimeout(planned)
  planned = setTimeout(() => {
    turn = turn.then(restart)
  }, 200)
}

async function restart(): Promise<void> {
  await stop()
  const child = spawn(process.execPath, ['--enable-source-maps', path.join(root, 'dist/server.mjs')], {
    env: settings,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  server = child
  let output = ''
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk)
    output += String(chunk)
    const url = /ready at (\S+)/.exec(output)?.[1]
    if (!url || isSeeded) return
    isSeeded = true
    seed(url).catch((error: unknown) => console.error('The people could not be made:', error))
  })
}

async function stop(): Promise<void> {
  const child = server
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Makes the accounts by the HTTP API. Such an account has no keys until its first sign-in with a browser. */
async function seed(url: string): Promise<void> {
  for (const name of PEOPLE) {
    const displayName = `${name[0]?.toUpperCase()}${name.slice(1)}`
    const answer = await fetch(`${url}/api/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: name, displayName, password: PASSWORD, confirmPassword: PASSWORD }),
    })
    if (!answer.ok && answer.status !== 409) throw new Error(await answer.text())
    if (answer.ok && PREMIUM.includes(name)) await account('set-tier', name, 'premium')
  }
  console.log(`Sign in as ${PEOPLE.join(', ')} with the password ${PASSWORD}; the first sign-in in a browser asks for a new one`)
}

function account(...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [path.join(root, 'dist/account.mjs'), ...words], {
    env: settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`account ${words.join(' ')} failed`))))
  })
}

// The stamp is removed, because dist/ now has a development build that `npm start` must not serve.
rmSync(path.join(root, 'dist/.stamp'), { force: true })
const client = await vite({
  configFile: path.join(root, 'vite.config.ts'),
  mode: 'development',
  logLevel: 'error',
  build: { watch: {}, sourcemap: true, minify: false },
})
if (!('on' in client)) throw new Error('Vite does not watch')
client.on('event', (event) => {
  if (event.code === 'END') restartSoon()
  if (event.code === 'ERROR') console.error(event.error.message)
})
const programs = await context({
  ...PROGRAMS,
  plugins: [
    ...(PROGRAMS.plugins ?? []),
    { name: 'restart', setup: (build) => build.onEnd((result) => void (result.errors.length === 0 && restartSoon())) },
  ],
})
await programs.watch()

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearTimeout(planned)
    turn.then(stop).then(() => process.exit(0))
  })
}
