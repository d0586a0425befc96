import path from 'node:path'
import type { Page } from 'playwright-core'
import { type FullBrowser, fullBrowser } from './fullbrowser.ts'
import { type Ground, root } from './ground.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'
import { lineOf, vocabulary } from './vocabulary.ts'

const ROOMS = [20, 1000]
const SEARCHES = 10
/** A message has this word and its number. */
const ASKED = 'asked'

declare global {
  /** How long the page's worker took for each search, in ms, oldest first. */
  var searchedMs: number[]
}

interface Searched {
  /** What it has then. */
  wholeMB: number
  /** What the page's process has grown by after ten searches, in MB. */
  grownMB: number
  times: number[]
}

/** Measures ten searches in Chromium, in a browser that keeps 100,000 messages on disk: what they add to its memory, and their times. */
export async function measureSearchPage({ isQuick, variants }: Ground): Promise<Row[]> {
  const messages = isQuick ? 4000 : 100_000
  const rows: Row[] = []
  for (const rooms of ROOMS) {
    const builds = []
    for (const folder of [root, ...variants]) builds.push(await measureBuild({ rooms, messages }, isQuick ? 1 : 5, folder))
    const [own, ...others] = builds.map((rounds) => ({
      wholeMB: median(rounds.map(({ wholeMB }) => wholeMB)),
      grownMB: median(rounds.map(({ grownMB }) => grownMB)),
      firstMs: median(rounds.map(({ times }) => times[0] ?? Number.NaN)),
      times: rounds.flatMap(({ times }) => times.slice(1)),
    }))
    if (!own) continue
    const where = `${messages.toLocaleString('en')} messages of ${rooms.toLocaleString('en')} rooms, in Chromium`
    rows.push(
      row('search', `what ${SEARCHES} searches add to the page’s process: ${where}`, own.grownMB, 'MB', {
        atMost: 60,
        note: `PSS, the worker in it; garbage collected before, and not after; it has ${own.wholeMB.toFixed(0)} MB then`,
      }),
      row('search', `a word of one message: ${where}, p95`, percentile(own.times, 95), 'ms', {
        atMost: 40,
        note: `the worker’s answer; p50 ${median(own.times).toFixed(1)} ms; the first after a start ${own.firstMs.toFixed(0)} ms`,
      }),
      ...others.flatMap((other, at) => {
        const name = path.basename(variants[at] ?? '')
        return [
          row('search', `the process after ${SEARCHES} searches, against ${name}: ${where}`, own.wholeMB / other.wholeMB, 'x', {
            note: `${other.wholeMB.toFixed(0)} MB, of which they add ${other.grownMB.toFixed(0)}`,
          }),
          row('search', `the same p50, against ${name}: ${where}`, median(own.times) / median(other.times), 'x', {
            note: `${median(other.times).toFixed(1)} ms, p95 ${percentile(other.times, 95).toFixed(1)} ms`,
          }),
        ]
      }),
    )
  }
  return rows
}

async function measureBuild(size: { rooms: number; messages: number }, rounds: number, folder: string): Promise<Searched[]> {
  const word = vocabulary()
  const browser = await fullBrowser(size, (index) => `${lineOf(word)} ${ASKED}${index}`, folder)
  const searched: Searched[] = []
  try {
    await browser.page.addInitScript(noteSearches)
    for (let round = 0; round < rounds; round++) searched.push(await searches(browser, size.messages))
  } finally {
    await browser.close()
  }
  return searched
}

async function searches({ page, rests, collects, weighs }: FullBrowser, messages: number): Promise<Searched> {
  await rests()
  await collects()
  const before = await weighs()
  // Of every age: the number is longer than that of any other message that has it as a part.
  for (let at = 0; at < SEARCHES; at++) await find(page, `${ASKED}${Math.floor(messages * (0.1 + (0.9 * at) / SEARCHES))}`)
  const wholeMB = await weighs()
  return { wholeMB, grownMB: wholeMB - before, times: await page.evaluate(() => globalThis.searchedMs) }
}

async function find(page: Page, words: string): Promise<void> {
  await page.getByLabel('Search contacts and messages').fill(words)
  await page.locator('.found-messages mark', { hasText: words }).first().waitFor()
}

/** Runs in the page before its own code. */
function noteSearches(): void {
  globalThis.searchedMs = []
  const askedAt = new Map<unknown, number>()
  const { postMessage } = Worker.prototype
  const heard = new WeakSet<Worker>()
  const hear = ({ data }: MessageEvent) => {
    const at = askedAt.get(data?.id)
    if (at !== undefined) globalThis.searchedMs.push(performance.now() - at)
    askedAt.delete(data?.id)
  }
  Worker.prototype.postMessage = function post(this: Worker, ...sent: [message: unknown, options?: StructuredSerializeOptions]) {
    const [ask] = sent
    if (ask && typeof ask === 'object' && 'verb' in ask && ask.verb === 'search' && 'id' in ask) {
      if (!heard.has(this)) this.addEventListener('message', hear)
      heard.add(this)
      askedAt.set(ask.id, performance.now())
    }
    postMessage.apply(this, sent)
  } as Worker['postMessage']
}
