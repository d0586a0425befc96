// Plants each mutation in a copy of the repository and demands that its test file goes red.
// npx tsx walks/mutations/run.ts [part of a name, or guards, money, marks, locks, words]
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { count, type Result, readReport } from '../../scripts/unsteady.ts'
import { openRun } from '../../server/testing/run.ts'
import { everyMutation } from './every.ts'
import type { Mutation } from './mutation.ts'

const root = path.resolve(import.meta.dirname, '../..')
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'data']
const LANES = 2
const wanted = process.argv[2] ?? ''

const ofKind = Object.entries(everyMutation).find(([kind]) => kind === wanted)?.[1]
const all = Object.values(everyMutation).flat()
const chosen = ofKind ?? all.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
const say = (line: string) => process.stdout.write(`${line}\n`)
// A process that ends leaves nothing behind: the copies lie in the run's folder.
const { folder } = await openRun()

function copyTree(name: string): string {
  const copy = path.join(folder, name)
  cpSync(root, copy, { recursive: true, filter: (source) => !LEFT_OUT.includes(path.basename(source)) })
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** Runs test files of a copy. Returns their tests, and what vitest said where it wrote no report. */
async function runTests(copy: string, files: string[], bail: number): Promise<{ results: Result[]; output: string }> {
  const report = path.join(copy, 'report.json')
  writeFileSync(report, '')
  const flags = ['--reporter=json', `--outputFile=${report}`, `--bail=${bail}`]
  // Walks in these files are as short as in `npm test`.
  const { WALK_STEPS: _steps, ...env } = process.env
  const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files, ...flags], { cwd: copy, env })
  let output = ''
  for (const stream of [vitest.stdout, vitest.stderr])
    stream.on('data', (part) => {
      output += part
    })
  await new Promise((resolve) => vitest.on('close', resolve))
  const json = readFileSync(report, 'utf8')
  return { results: json === '' ? [] : readReport(JSON.parse(json), copy), output }
}

/** Returns the tests of the file under the mutation, up to the first that failed. */
async function plant(copy: string, { file, from, to, test }: Mutation): ReturnType<typeof runTests> {
  const place = path.join(copy, file)
  const text = readFileSync(place, 'utf8')
  writeFileSync(
    place,
    text.replace(from, () => to),
  )
  try {
    return await runTests(copy, [test], 1)
  } finally {
    writeFileSync(place, text)
  }
}

const copies = Array.from({ length: LANES }, (_, lane) => copyTree(`copy-${lane}`))
const tests = [...new Set(chosen.map(({ test }) => test))]
const { results, output } = await runTests(copies[0] ?? root, tests, 0)
const notGreen = tests.filter((test) => {
  const own = results.filter((one) => one.path === test)
  return count(own, 'failed') > 0 || count(own, 'passed') === 0
})
if (notGreen.length > 0) {
  const failed = results.filter(({ status }) => status === 'failed').map(({ path, title }) => `${path}: ${title}`)
  say([`Not green without a mutation: ${notGreen.join(', ')}`, ...failed, output.slice(-2000)].join('\n'))
  process.exit(1)
}
say(`${tests.length} test files are green without a mutation`)

let died = 0
const waiting = [...chosen]
async function work(copy: string): Promise<void> {
  for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
    const startedMs = performance.now()
    const { name, test } = mutation
    const { results, output } = await plant(copy, mutation)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    // A file that fails by itself has asked nothing.
    const failed = results.find(({ status, title }) => status === 'failed' && title !== '')
    if (failed) died++
    if (failed) say(`red    ${name} (${seconds} s: ${failed.title})`)
    else if (count(results, 'passed') > 0) say(`LIVES  ${name} (${seconds} s): all of ${test} stays green`)
    else say(`LIVES  ${name} (${seconds} s): ${test} does not run\n${output.slice(-2000)}`)
  }
}
await Promise.all(copies.map(work))
const live = chosen.length - died
say(`${died} died, ${live} live`)
process.exitCode = live > 0 || chosen.length === 0 ? 1 : 0
