import { openRun } from '../server/testing/run.ts'
import { measureActs } from './acts.ts'
import { measureAdmin } from './admin.ts'
import { measureBytes } from './bytes.ts'
import { measureCalls } from './calls.ts'
import { measureChatLock } from './chatlock.ts'
import { measureContacts } from './contacts.ts'
import { measureCrypto } from './crypto.ts'
import { measureForm } from './form.ts'
import { type Ground, layGround } from './ground.ts'
import { measureGrowth } from './growth.ts'
import { measureHistory } from './history.ts'
import { measureOnion } from './onion.ts'
import { makeProfiler } from './profile.ts'
import { profileWith, stopPrograms } from './program.ts'
import { measureRequests } from './requests.ts'
import { keepResults } from './results.ts'
import { line, type Row } from './row.ts'
import { dropScratch } from './scratch.ts'
import { measureScroll } from './scroll.ts'
import { measureSearch } from './search.ts'
import { measureSecondStart } from './secondstart.ts'
import { measureSend } from './send.ts'
import { measureSockets } from './sockets.ts'
import { measureStart } from './start.ts'
import { measureTalk } from './talk.ts'
import { measureTap } from './tap.ts'
import { measureTransfers } from './transfers.ts'
import { measureUploads } from './uploads.ts'
import { measureVisit } from './visit.ts'
import { measureWebhooks } from './webhooks.ts'

// npm run bench [-- figure...] [--quick] [--profile] [--beside=<folder of another build>]
// The table of contents: one file a figure. --quick shows in a minute that each of them works. --profile prints where the server's
// time goes, which slows the server. --beside measures another build in turn with this one. None of them writes results.
const FIGURES: Record<string, (ground: Ground) => Promise<Row[]>> = {
  bytes: measureBytes,
  sockets: measureSockets,
  send: measureSend,
  talk: measureTalk,
  start: measureStart,
  second: measureSecondStart,
  crypto: measureCrypto,
  form: measureForm,
  visit: measureVisit,
  tap: measureTap,
  calls: measureCalls,
  contacts: measureContacts,
  history: measureHistory,
  growth: measureGrowth,
  search: measureSearch,
  scroll: measureScroll,
  acts: measureActs,
  chatlock: measureChatLock,
  admin: measureAdmin,
  requests: measureRequests,
  webhooks: measureWebhooks,
  uploads: measureUploads,
  transfers: measureTransfers,
  onion: measureOnion,
}

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const profiler = words.includes('--profile') ? makeProfiler() : undefined
if (profiler) profileWith(profiler.words)
const variants = words.filter((word) => word.startsWith('--beside=')).map((word) => word.slice('--beside='.length))
const asked = words.filter((word) => !word.startsWith('--'))
const unknown = asked.filter((word) => !FIGURES[word])
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}. There are: ${Object.keys(FIGURES).join(', ')}`)
  process.exit(1)
}

await openRun()
const ground = layGround(isQuick, variants)
const rows: Row[] = []
const close = async () => {
  await stopPrograms()
  await ground.close()
  dropScratch()
}
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true
    void close().finally(() => process.exit(1))
  })
}
try {
  for (const [figure, measure] of Object.entries(FIGURES)) {
    if (asked.length > 0 && !asked.includes(figure)) continue
    const startedAt = performance.now()
    const measured = await measure(ground)
    for (const row of measured) console.log(line(row))
    console.log(`${figure.padEnd(9)} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
    rows.push(...measured)
    profiler?.print()
  }
} catch (error) {
  // A running figure fails when its servers are stopped.
  if (!isStopping) throw error
} finally {
  await close()
}
if (!isQuick && !profiler && !isStopping && variants.length === 0)
  console.log(`Written to ${keepResults(rows, asked.length === 0)}`)
