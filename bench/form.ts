import type { Page } from 'playwright-core'
import { closeContexts, openContext } from '../e2e/browser.ts'
import { startServer } from '../e2e/server.ts'
import { setThrottle } from './chromium.ts'
import { isConverseInstalled, startConverse } from './converse.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { absent, type Row, row } from './row.ts'

const SLOWER = 4

declare global {
  /** ms since the navigation: the frame in which a field could be typed into, and the one in which the code answered to it. */
  var formAt: { typed?: number; live?: number }
}

interface Visit {
  typedMs: number
  liveMs: number
  wireBytes: number
}

interface Site {
  url: string
  visits: Record<number, Visit[]>
}

/** Measures a first visit to the sign-in form, with an empty cache, in turn with that of Converse.js. */
export async function measureForm({ isQuick }: Ground): Promise<Row[]> {
  const rounds = isQuick ? 1 : 7
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' })
  const converse = isConverseInstalled() ? await startConverse() : undefined
  const own: Site = { url: `${server.url}/auth`, visits: { 1: [], [SLOWER]: [] } }
  const other: Site = { url: converse?.url ?? '', visits: { 1: [], [SLOWER]: [] } }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const rate of [1, SLOWER]) {
        for (const site of converse ? [own, other] : [own]) site.visits[rate]?.push(await visit(site.url, rate))
      }
    }
  } finally {
    await closeContexts()
    converse?.stop()
    await server.stop()
  }
  const of = (site: Site, rate: number, pick: keyof Visit) => median((site.visits[rate] ?? []).map((one) => one[pick]))
  const times = (site: Site, rate: number) =>
    `${of(site, rate, 'typedMs').toFixed(0)} ms, its code after ${of(site, rate, 'liveMs').toFixed(0)} ms`
  const against = (rate: number, atMost: number): Row => {
    const name = `first visit to the form that can be typed into, against Converse.js 14${rate === 1 ? '' : `, ${rate}x CPU throttle`}`
    if (!converse) return absent('form', name, 'the package converse.js 14: npm install --no-save converse.js@14')
    return row('form', name, of(own, rate, 'typedMs') / of(other, rate, 'typedMs'), 'x', {
      atMost,
      note: `${times(own, rate)}; Converse.js ${of(other, rate, 'typedMs').toFixed(0)} ms`,
    })
  }
  return [
    against(1, 0.6),
    against(SLOWER, 0.55),
    row('form', 'bytes over the wire until that page is at rest', of(own, 1, 'wireBytes') / 1000, 'kB', {
      atMost: 250,
      note: `${times(own, 1)}${converse ? `; Converse.js ${(of(other, 1, 'wireBytes') / 1000).toFixed(0)} kB` : ''}; the worker comes with the first key or press`,
    }),
  ]
}

async function visit(url: string, rate: number): Promise<Visit> {
  const context = await openContext()
  try {
    const page = await context.newPage()
    const wire = await countWire(page)
    await setThrottle(page, rate)
    await page.addInitScript({ content: WATCH })
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => globalThis.formAt?.live !== undefined, undefined, { polling: 50 })
    await page.waitForLoadState('networkidle')
    const { typed = Number.NaN, live = Number.NaN } = await page.evaluate(() => globalThis.formAt)
    return { typedMs: typed, liveMs: live, wireBytes: wire() }
  } finally {
    await context.close()
  }
}

async function countWire(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page)
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  return () => bytes
}

/** Runs in the page before its own code, as text: looks in every frame for the first field that is visible and enabled. */
const WATCH = `{
  const at = (globalThis.formAt = {})
  const look = () => {
    const fields = [...document.querySelectorAll('input:not([type="hidden"]):not([type="checkbox"])')]
    const field = fields.find((one) => one.checkVisibility() && !one.disabled)
    if (field) at.typed ??= performance.now()
    // The static form gives way to the one that React renders. Other sites have one form.
    if (field && !field.closest('.frame-form')) at.live ??= performance.now()
    if (at.live === undefined) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}`
