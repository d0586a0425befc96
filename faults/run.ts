import { openRun } from '../server/testing/run.ts'
import { browserClock, browserDiskFull } from './browserbounds.ts'
import { killBrowsers } from './browsers.ts'
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

// npm run test:faults [-- fault...] [--short] [--browsers] [--kills=200] [--seed=7]
// The table of contents: one file a fault. --short is for CI. --browsers kills browsers, which the long form does not without it.
const FAULTS: Record<string, Fault> = {
  'kill-server': killServer,
  'kill-postgres': killPostgres,
  'stop-postgres': stopPostgres,
  'disk-full': diskFull,
  'slow-readers': slowReaders,
  'half-open': halfOpen,
  reconnect,
  malformed,
  browsers: killBrowsers,
  'browser-disk': browserDiskFull,
  'browser-clock': browserClock,
}
/** These take a quarter of an hour in their long form, which is run only when it is asked for. */
const BROWSERS = ['browsers', 'browser-disk', 'browser-clock']
/** These faults mostly wait, so they run in parallel with the others. */
const BESIDE = new Set(['half-open', 'browsers'])
const SENTENCES_MAX = 5

const words = process.argv.slice(2)
const isShort = words.includes('--short')
const numberOf = (name: string) =>
  Number(/^--\w+=(\d+)$/.exec(words.find((word) => word.startsWith(`--${name}=`)) ?? '')?.[1] ?? Number.NaN)
const [kills, seed] = [numberOf('kills'), numberOf('seed')]
/** The long run judges the times; the short one runs on machines of a third of the speed too, beside others. */
const SHORT_PATIENCE = 8
const form: Form = { isShort, patience: isShort ? SHORT_PATIENCE : 1, ...(kills >= 0 && { kills }), ...(seed >= 0 && { seed }) }
const asked = words.flatMap((word) => (word === '--browsers' ? BROWSERS : word.startsWith('--') ? [] : [word]))
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

const isMeant = (name: string) =>
  asked.length === 0 ? !BROWSERS.includes(name) || (isShort && name === 'browsers') : asked.includes(name)
const chosen = Object.entries(FAULTS).filter(([name]) => isMeant(name))
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
