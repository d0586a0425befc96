import path from 'node:path'
import type { Page } from 'playwright-core'
import { setThrottle } from './chromium.ts'
import { fullBrowser } from './fullbrowser.ts'
import { type Ground, root } from './ground.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'
import { lineOf, vocabulary } from './vocabulary.ts'

const SLOWER = 4
const FRAMES = 120
/** What a wheel that is turned fast moves the list by in a frame: some six rows. */
const STEP_PX = 400

/** Measures the frames of a list of 1,000 rooms in Chromium while it is scrolled by 400 px a frame, at full speed and throttled. */
export async function measureScroll({ isQuick, variants }: Ground): Promise<Row[]> {
  const rooms = isQuick ? 100 : 1000
  const builds: Awaited<ReturnType<typeof enter>>[] = []
  try {
    for (const folder of [root, ...variants]) builds.push(await enter(rooms, folder))
    // The first round warms up the JIT compiler.
    for (let round = -1; round < (isQuick ? 1 : 5); round++) for (const build of builds) await build.scrolls(round >= 0)
  } finally {
    for (const build of builds) await build.browser.close()
  }
  const [own, ...others] = builds
  if (!own) return []
  const name = `frame of the list of ${rooms.toLocaleString('en')} rooms while it is scrolled, ${SLOWER}x CPU throttle, p95`
  const note = ({ slow, full }: typeof own.frames) =>
    `p50 ${median(slow).toFixed(1)} ms; without the throttle p95 ${percentile(full, 95).toFixed(1)} ms`
  return [
    row('scroll', name, percentile(own.frames.slow, 95), 'ms', { atMost: 34, note: note(own.frames) }),
    ...others.map((other, at) => {
      const against = percentile(own.frames.slow, 95) / percentile(other.frames.slow, 95)
      return row('scroll', `the same, against ${path.basename(variants[at] ?? '')}`, against, 'x', { note: note(other.frames) })
    }),
  ]
}

async function enter(rooms: number, folder: string) {
  const word = vocabulary()
  const browser = await fullBrowser({ rooms, messages: rooms }, () => lineOf(word), folder)
  await browser.rests()
  const frames: { slow: number[]; full: number[] } = { slow: [], full: [] }
  return {
    browser,
    frames,
    async scrolls(isKept: boolean): Promise<void> {
      for (const [rate, kept] of [
        [1, frames.full],
        [SLOWER, frames.slow],
      ] as const) {
        await setThrottle(browser.page, rate)
        const times = await scroll(browser.page)
        if (isKept) kept.push(...times)
      }
    },
  }
}

const scroll = (page: Page): Promise<number[]> =>
  page.evaluate(
    async ([frames, step]) => {
      const list = document.querySelector('.list')
      if (!list) throw new Error('The page has no list')
      const times: number[] = []
      let top = 0
      let last = await new Promise(requestAnimationFrame)
      for (let frame = 0; frame < frames; frame++) {
        // Not by what the list says: asking it lays out the page.
        top += step
        list.scrollTop = top
        const now = await new Promise(requestAnimationFrame)
        times.push(now - last)
        last = now
      }
      list.scrollTop = 0
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return times
    },
    [FRAMES, STEP_PX] as const,
  )
