import { closeContexts, openContext } from '../e2e/browser.ts'
import { startServer } from '../e2e/server.ts'
import { setThrottle } from './chromium.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { type Row, row } from './row.ts'

const SLOWER = 4
/** A long task by the definition of browsers. */
const LONG_MS = 50

declare global {
  /** Ends of the long tasks of this page, ms since the navigation. */
  var longTasks: number[] | undefined
}

interface Visit {
  wireBytes: number
  requests: number
  paintMs: number
  interactiveMs: number
}

/**
 * Measures first visits to what a stranger sees first, with an empty cache: what comes over the wire, and when the page is there and
 * answers, throttled four times. Interactive is the end of the last long task before the page is at rest, or the first paint.
 */
export async function measureVisit({ isQuick }: Ground): Promise<Row[]> {
  const rounds = isQuick ? 1 : 7
  const pages = { landing: '/', 'sign-in': '/auth', security: '/security' }
  const visits = Object.fromEntries(Object.keys(pages).map((name) => [name, [] as Visit[]]))
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' })
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, address] of Object.entries(pages)) visits[name]?.push(await visit(server.url + address))
  } finally {
    await closeContexts()
    await server.stop()
  }
  return Object.entries(visits).map(([name, seen]) => {
    const of = (pick: keyof Visit) => median(seen.map((one) => one[pick]))
    return row('visit', `first visit to the ${name} page, bytes over the wire`, of('wireBytes') / 1000, 'kB', {
      atMost: 250,
      note: `${of('requests')} requests; ${SLOWER}x CPU throttle: painted after ${of('paintMs').toFixed(0)} ms, interactive after ${of('interactiveMs').toFixed(0)} ms`,
    })
  })
}

async function visit(url: string): Promise<Visit> {
  const context = await openContext()
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const seen = { wireBytes: 0, requests: 0 }
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      seen.wireBytes += encodedDataLength
      seen.requests++
    })
    await session.send('Network.enable')
    await setThrottle(page, SLOWER)
    await page.addInitScript({ content: WATCH })
    await page.goto(url, { waitUntil: 'networkidle' })
    const times = await page.evaluate((longMs) => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      const paintMs = paint?.startTime ?? Number.NaN
      return { paintMs, interactiveMs: Math.max(paintMs, ...(globalThis.longTasks ?? []).filter((end) => end > longMs)) }
    }, LONG_MS)
    return { ...seen, ...times }
  } finally {
    await context.close()
  }
}

/** Runs in the page before its own code, as text. */
const WATCH = `{
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTasks.push(startTime + duration)
  }).observe({ type: 'longtask', buffered: true })
}`
