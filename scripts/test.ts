import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { count, mayRunAgain, note, type Result, readReport } from './unsteady.ts'

// `npm test`: the browser tests first and alone, then all others: beside others, pages on two cores waited longer than their tests. Words
// are passed on to vitest, such as a path. `--summary <file>` also writes what was counted as JSON.
const root = path.resolve(import.meta.dirname, '..')
const NOTED = path.join(root, 'test-unsteady.md')
const folder = mkdtempSync(path.join(tmpdir(), 'conclave-reports-'))
const running = new Set<ChildProcess>()
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })

const { words, summary } = readWords(process.argv.slice(2))
const browsers = await runStage('browser', ['--project', 'e2e', ...words])
const units = await runStage('unit', ['--project', '!e2e', ...words])
const unsteady = await runAgain()
report()

interface Stage {
  name: string
  seconds: number
  results: Result[]
}

function readWords(given: string[]): { words: string[]; summary: string | undefined } {
  const at = given.indexOf('--summary')
  if (at < 0) return { words: given, summary: undefined }
  return { words: given.filter((_, index) => index !== at && index !== at + 1), summary: given[at + 1] }
}

/** Runs vitest to its end. What breaks the run beside its tests is a failed test without a title. */
async function runStage(name: string, more: string[]): Promise<Stage> {
  const startedAt = performance.now()
  const file = path.join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--passWithNoTests', ...reporters, ...more], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  })
  running.add(child)
  child.stdout.pipe(process.stdout, { end: false })
  child.stderr.pipe(process.stderr, { end: false })
  const code = await new Promise((resolve) => child.once('close', resolve))
  running.delete(child)
  const results = existsSync(file) ? readReport(JSON.parse(readFileSync(file, 'utf8')), root) : []
  if (code !== 0 && count(results, 'failed') === 0) results.push({ path: name, title: '', status: 'failed' })
  return { name, seconds: Math.round((performance.now() - startedAt) / 1000), results }
}

/** Runs the failed browser tests that may once more, each alone, and counts them as passed where they are. Returns these. */
async function runAgain(): Promise<Result[]> {
  const noted = readFileSync(NOTED, 'utf8')
  const passed: Result[] = []
  const failed = browsers.results.filter(({ status }) => status === 'failed')
  for (const one of mayRunAgain(failed, noted)) {
    const exact = `^${one.title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
    const again = await runStage('again', ['--project', 'e2e', one.path, '-t', exact])
    browsers.seconds += again.seconds
    if (count(again.results, 'passed') > 0 && count(again.results, 'failed') === 0) passed.push(one)
  }
  for (const one of passed) one.status = 'passed'
  if (passed.length > 0) writeFileSync(NOTED, note(noted, passed, new Date().toISOString().slice(0, 10)))
  return passed
}

function report(): void {
  const stages = [units, browsers].map(({ name, seconds, results }) => {
    const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((status) => count(results, status))
    return { name, seconds, passed, failed, skipped }
  })
  const failed = [units, browsers].flatMap(({ results }) => results.filter(({ status }) => status === 'failed'))
  for (const one of failed) console.log(`FAILED ${one.path} ${one.title}${one.why ? `\n  ${one.why}` : ''}`)
  for (const { title } of unsteady) console.log(`UNSTEADY ${title}`)
  for (const { name, seconds, ...counts } of stages)
    console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds} s`)
  if (summary) writeFileSync(summary, JSON.stringify({ stages, unsteady: unsteady.map(({ title }) => title) }))
  process.exitCode = failed.length > 0 ? 1 : 0
}
