import type { Page } from 'playwright-core'
import { type RunningServer, startServer } from '../e2e/server.ts'
import { openChromium, setThrottle } from './chromium.ts'
import type { Ground } from './ground.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'

const PATIENCE_MS = 30_000
const SLOWER = 4
const FRAME_MS = 1000 / 60

/** Times in ms since 1970, by the page's high-resolution clock: of the last tap, and of each bubble's first frame. */
declare global {
  var tappedAt: number
  var seenAt: Record<string, number>
}

interface Taps {
  own: number[]
  other: number[]
}

/** Measures the time from a tap on Send to the frame that shows the bubble, on the sender's and on the receiver's screen. */
export async function measureTap({ isQuick }: Ground): Promise<Row[]> {
  const [rounds, taps] = isQuick ? [1, 2] : [5, 6]
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' })
  const [alice, bob] = [await openChromium(), await openChromium()]
  const full: Taps = { own: [], other: [] }
  const slow: Taps = { own: [], other: [] }
  try {
    const [from, to] = [alice.page, bob.page]
    await meet(server, from, to)
    for (const page of [from, to]) await watch(page)
    // The first messages make the room, let both sides join and warm up the JIT compiler.
    for (let at = 0; at < 5; at++) await tap(from, to, `warm ${at}.`)
    for (let round = 0; round < rounds; round++) {
      for (const [rate, kept] of [
        [1, full],
        [SLOWER, slow],
      ] as const) {
        for (const page of [from, to]) await setThrottle(page, rate)
        for (let at = 0; at < taps; at++) {
          const { own, other } = await tap(from, to, `round ${round} at ${rate}, ${at}.`)
          kept.own.push(own)
          kept.other.push(other)
        }
      }
    }
  } finally {
    await Promise.all([alice.close(), bob.close()])
    await server.stop()
  }
  const beside = (pick: keyof Taps) =>
    `p95 ${percentile(slow[pick], 95).toFixed(0)} ms; without the throttle ${median(full[pick]).toFixed(0)} ms, p95 ${percentile(full[pick], 95).toFixed(0)} ms`
  return [
    row('tap', `Send to the bubble on the own screen, ${SLOWER}x CPU throttle`, median(slow.own), 'ms', {
      // Two frames: the current one and the next.
      atMost: Math.ceil(2 * FRAME_MS),
      note: beside('own'),
    }),
    row('tap', `Send to the bubble on the other screen, ${SLOWER}x CPU throttle`, median(slow.other), 'ms', {
      atMost: 140,
      note: beside('other'),
    }),
  ]
}

/** Makes two people who have accepted each other, on a paid plan, with their chat open. */
export async function meet(server: RunningServer, from: Page, to: Page, patienceMs = PATIENCE_MS): Promise<void> {
  const names = [`Alice${Date.now() % 100_000}`, `Bob${Date.now() % 100_000}`] as const
  for (const [page, name] of [
    [from, names[0]],
    [to, names[1]],
  ] as const) {
    page.setDefaultTimeout(patienceMs)
    await signUp(server, page, name)
  }
  await from.getByRole('button', { name: 'Add by Username/Onion' }).click()
  await from.getByLabel('Username or onion address').fill(names[1].toLowerCase())
  await from.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
  await to.getByRole('button', { name: /^Accept/ }).click()
  for (const [page, other] of [
    [from, names[1]],
    [to, names[0]],
  ] as const) {
    await page.locator('a.row, .row a', { hasText: other }).first().click()
    await page.getByLabel('Message', { exact: true }).waitFor()
  }
}

async function signUp(server: RunningServer, page: Page, name: string): Promise<void> {
  const password = crypto.randomUUID()
  await page.goto(`${server.url}/auth`)
  await page.getByLabel(/^Username/).fill(name.toLowerCase())
  await page.getByLabel(/^Display name/).fill(name)
  await page.getByLabel(/^Password/).fill(password)
  await page.getByLabel(/^Repeat password/).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await server.account('set-tier', name.toLowerCase(), 'premium')
  await page.reload()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
}

/** Makes the page record when Send is tapped and when each bubble is painted. */
export const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.seenAt = {}
    document.addEventListener(
      'click',
      ({ target, timeStamp }) => {
        if (target instanceof Element && target.closest('.send')) globalThis.tappedAt = performance.timeOrigin + timeStamp
      },
      { capture: true },
    )
    new MutationObserver(() => {
      for (const bubble of [...document.querySelectorAll('.bub')].slice(-5)) {
        const text = /^.*?\./.exec(bubble.textContent ?? '')?.[0] ?? ''
        if (globalThis.seenAt[text] !== undefined) continue
        globalThis.seenAt[text] = Number.POSITIVE_INFINITY
        // The first task behind the frame's callbacks comes when the frame has been painted.
        requestAnimationFrame(() => {
          void scheduler.postTask(
            () => {
              globalThis.seenAt[text] = performance.timeOrigin + performance.now()
            },
            { priority: 'user-blocking' },
          )
        })
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })

/** Sends, and returns in ms after the tap when each screen has painted the bubble. */
export async function tap(from: Page, to: Page, text: string): Promise<{ own: number; other: number }> {
  await from.getByLabel('Message', { exact: true }).fill(text)
  await from.getByRole('button', { name: 'Send', exact: true }).click()
  const [own, other] = [await seen(from, text), await seen(to, text)]
  const tappedAt = await from.evaluate(() => globalThis.tappedAt)
  // The tick changes until the receiver has read the message. The next tap waits for that.
  await from
    .getByRole('group', { name: /, read$/ })
    .filter({ hasText: text })
    .last()
    .waitFor()
  return { own: own - tappedAt, other: other - tappedAt }
}

async function seen(page: Page, text: string): Promise<number> {
  await page.waitForFunction((words) => Number.isFinite(globalThis.seenAt[words]), text, { polling: 20 })
  return page.evaluate((words) => globalThis.seenAt[words] ?? Number.NaN, text)
}
