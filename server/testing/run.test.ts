import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isPostgres } from '../ground/db/postmaster.ts'
import { endDeadRuns } from './run.ts'

const root = path.resolve(import.meta.dirname, '../..')
const PATIENCE = { timeout: 30_000, interval: 50 }

/** Starts a run of one test file in a folder of its own. Resolves when its PostgreSQL answers. */
async function startRun() {
  const place = mkdtempSync(path.join(tmpdir(), 'conclave-place-'))
  chmodSync(place, 0o711)
  const words = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'server/ground/db/connect.test.ts']
  const run = spawn(process.execPath, words, { cwd: root, env: { ...process.env, TMPDIR: place }, stdio: 'ignore' })
  onTestFinished(() => void run.kill('SIGKILL'))
  const pidFile = () => {
    const [folder] = readdirSync(place)
    return readFileSync(path.join(place, folder ?? '', 'cluster/postgres/postmaster.pid'), 'utf8').split('\n')
  }
  await expect.poll(() => tried(() => pidFile()[7]?.trim()), PATIENCE).toBe('ready')
  return { place, run, postgres: Number(pidFile()[0]) }
}

function tried<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** The process id of the watcher of the run whose folder is in `place`. */
function watcherOf(place: string): number {
  const isIt = (pid: string) => tried(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes(`watcher.ts\0${place}`)
  return Number(readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isIt(pid)))
}

test('a run that is killed leaves neither its PostgreSQL nor its folder behind', async () => {
  const { place, run, postgres } = await startRun()
  expect(isPostgres(postgres)).toBe(true)
  run.kill('SIGKILL')
  await expect.poll(() => isPostgres(postgres), PATIENCE).toBe(false)
  await expect.poll(() => readdirSync(place), PATIENCE).toEqual([])
}, 90_000)

test.runIf(process.platform === 'linux')(
  'where the watcher was killed too, the next run ends what is left, and keeps off a run that lives',
  async () => {
    const { place, run, postgres } = await startRun()
    process.kill(watcherOf(place), 'SIGKILL')
    const died = once(run, 'exit')
    run.kill('SIGKILL')
    await died
    expect(isPostgres(postgres)).toBe(true)
    const living = path.basename(tmpdir())
    expect(living).toMatch(/^conclave-run-\d+-\d+-/)
    mkdirSync(path.join(place, living))
    await endDeadRuns(place)
    expect(isPostgres(postgres)).toBe(false)
    expect(readdirSync(place)).toEqual([living])
  },
  90_000,
)
