import { openRun } from '../server/testing/run.ts'
import { diskFull } from './diskfull.ts'
import { type Fault, type Form, type Outcome, Skipped, seconds } from './fault.ts'
import { closeGrounds } from './ground.ts'
import { halfOpen } from './halfopen.ts'
import { killPostgres } from './killpostgres.ts'
import { killServer } from './killserver.ts'
import { BREACHES } from './law.ts'
import { malformed } from './malformed.ts'
import { reconnect } from './reconnect.ts'
import { now } from './recorder.ts'
import { slowReaders } from './slowreaders.ts'
import { stopPostgres } from './stoppostgres.ts'

// npm run test:faults [-- fault...] [--short]
// The table of contents: one file a fault. --short is for CI.
const FAULTS: Record<string, Fault> = {
  'kill-server': killServer,
  'kill-postgres': killPostgres,
  'stop-postgres': stopPostgres,
  'disk-full': diskFull,
  'slow-readers': slowReaders,
  'half-open': halfOpen,
  reconnect,
  malformed,
}
/** These faults mostly wait, so they run in parallel with the others. */
const BESIDE = new Set(['half-open'])
const SENTENCES_MAX = 5

const words = process.argv.slice(2)
const isShort = words.includes('--short')
const form: Form = { isShort, patience: isShort ? 2 : 1 }
const asked = words.filter((word) => word !== '--short')
const unknown = asked.filter((word) => !FAULTS[word])
if (unknown.length > 0) {
  console.error(`There is no fault ${unknown.join(', ')}. There are: ${Object.keys(FAULTS).join(', ')}`)
  process.exit(1)
}
await openRun()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeGrounds().finally(() => process.exit(1)))
}

process.once('uncaughtException', (error) => {
  console.error(error)
  void closeGrounds().finally(() => process.exit(1))
})

const outcomes: Outcome[] = []
let failed = 0
let skipped = 0

async function run(name: string, fault: Fault): Promise<void> {
  const startedAt = now()
  const tell = (verdict: string, summary: string) =>
    console.log(`${verdict.padEnd(4)} ${name.padEnd(14)} ${summary} (${seconds(now() - startedAt)})`)
  try {
    const outcome = await fault(form)
    outcomes.push(outcome)
    const breaches = BREACHES.flatMap((breach) => briefly(outcome.verdict[breach].map((sentence) => `${breach}: ${sentence}`)))
    const found = [...outcome.complaints, ...breaches]
    if (found.length > 0) failed += 1
    tell(found.length > 0 ? 'FAIL' : 'ok', `${outcome.summary}; ${outcome.operations.toLocaleString('en')} operations`)
    for (const sentence of found) console.log(`       ${sentence}`)
  } catch (error) {
    if (error instanceof Skipped) {
      skipped += 1
      tell('skip', error.message)
    } else {
      failed += 1
      tell('FAIL', error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
}

function briefly(sentences: string[]): string[] {
  const more = sentences.length - SENTENCES_MAX
  return more > 0 ? [...sentences.slice(0, SENTENCES_MAX), `and ${more} more`] : sentences
}

const chosen = Object.entries(FAULTS).filter(([name]) => asked.length === 0 || asked.includes(name))
const beside = chosen.filter(([name]) => BESIDE.has(name)).map(([name, fault]) => run(name, fault))
for (const [name, fault] of chosen) if (!BESIDE.has(name)) await run(name, fault)
await Promise.all(beside)

const sum = (count: (outcome: Outcome) => number): string =>
  outcomes.reduce((total, outcome) => total + count(outcome), 0).toLocaleString('en')
console.log(`\n${sum((outcome) => outcome.operations)} operations, ${sum((outcome) => outcome.faults)} faults`)
console.log(BREACHES.map((breach) => `${breach} ${sum((outcome) => outcome.verdict[breach].length)}`).join(', '))
if (skipped > 0) console.log(`${skipped} skipped`)
console.log(`${chosen.length - failed - skipped} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
