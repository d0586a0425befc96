import path from 'node:path'
import type { Page } from 'playwright-core'
import { startServer } from '../e2e/server.ts'
import { openChromium } from './chromium.ts'
import { type Ground, root } from './ground.ts'
import { median } from './numbers.ts'
import { type Row, row } from './row.ts'
import { meet, tap, watch } from './tap.ts'

const LATENCIES_MS = [0, 300]
const MESSAGES = 20
/** The page keeps what it shows a few seconds after a change. */
const REST_MS = 5000

declare global {
  /** Time in ms since the navigation until the first row of the list and the first bubble were in the document. */
  var shownAt: { row?: number; bubble?: number }
}

interface Times {
  row: number[]
  bubble: number[]
}

/** Measures, of a browser that has been here before, the time until list and open chat are there, with latency added by the browser. */
export async function measureSecondStart({ isQuick, variants }: Ground): Promise<Row[]> {
  const builds: Awaited<ReturnType<typeof enter>>[] = []
  try {
    for (const folder of [root, ...variants]) builds.push(await enter(folder))
    for (let round = 0; round < (isQuick ? 1 : 5); round++)
      for (const latencyMs of LATENCIES_MS) for (const build of builds) await build.starts(latencyMs)
  } finally {
    for (const build of builds) await build.stop()
  }
  const [ours, ...others] = builds
  return LATENCIES_MS.flatMap((latencyMs) => {
    const own = ours?.timesAt(latencyMs) ?? { row: [], bubble: [] }
    const name = `second start at ${latencyMs} ms of latency`
    const note = `open chat after ${median(own.bubble).toFixed(0)} ms`
    return [
      row('second', `${name}: the list`, median(own.row), 'ms', { note }),
      ...others.map((other) => {
        const { row: rows, bubble } = other.timesAt(latencyMs)
        return row('second', `${name}, against ${path.basename(other.folder)}`, median(own.row) / median(rows), 'x', {
          note: `${median(rows).toFixed(0)} ms; open chat ${(median(own.bubble) / median(bubble)).toFixed(2)}x`,
        })
      }),
    ]
  })
}

/** Makes two people who have talked, at a server of that build. */
async function enter(folder: string) {
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' }, folder)
  const [alice, bob] = [await openChromium(), await openChromium()]
  await meet(server, alice.page, bob.page)
  for (const page of [alice.page, bob.page]) await watch(page)
  for (let at = 0; at < MESSAGES; at++) await tap(bob.page, alice.page, `message ${at}.`)
  await bob.close()
  const { page } = alice
  await page.addInitScript(noteShown)
  const network = await page.context().newCDPSession(page)
  const times = new Map<number, Times>()
  const timesAt = (latencyMs: number): Times => times.get(latencyMs) ?? { row: [], bubble: [] }
  return {
    folder,
    timesAt,
    async starts(latencyMs: number): Promise<void> {
      await page.waitForTimeout(REST_MS)
      await network.send('Network.emulateNetworkConditions', conditions(latencyMs))
      const { row: rowMs, bubble } = await open(page)
      const { row: rows, bubble: bubbles } = timesAt(latencyMs)
      times.set(latencyMs, { row: [...rows, rowMs], bubble: [...bubbles, bubble] })
    },
    async stop(): Promise<void> {
      await alice.close()
      await server.stop()
    },
  }
}

const conditions = (latency: number) => ({ offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 })

async function open(page: Page): Promise<Required<typeof globalThis.shownAt>> {
  await page.reload()
  await page.waitForFunction(() => globalThis.shownAt.row !== undefined && globalThis.shownAt.bubble !== undefined)
  const { row: rowMs = Number.NaN, bubble = Number.NaN } = await page.evaluate(() => globalThis.shownAt)
  return { row: rowMs, bubble }
}

/** Runs in the page before its own code. */
function noteShown(): void {
  globalThis.shownAt = {}
  const note = (name: 'row' | 'bubble', selector: string) => {
    if (globalThis.shownAt[name] === undefined && document.querySelector(selector)) globalThis.shownAt[name] = performance.now()
  }
  new MutationObserver(() => {
    note('row', 'a.row, .row a')
    note('bubble', '.bub')
  }).observe(document, { childList: true, subtree: true })
}
