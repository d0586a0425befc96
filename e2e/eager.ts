import type { Page } from 'playwright-core'

/** How often a page is looked at again. Playwright goes from 20 ms to half a second, which most waits then take whole. */
const AGAIN_MS = 50

/** Playwright's own side of a frame. Every wait for an element goes through this. */
interface Frame {
  retryWithProgressAndTimeouts?: (progress: unknown, waitsMs: number[], look: unknown) => Promise<unknown>
}

let isEager = false

/** From here on Playwright sees within 50 ms what has come onto any page. It has no setting for that. */
export function looksOften(page: Page): void {
  if (isEager) return
  const connection: { toImpl?: (one: object) => object } = Reflect.get(page, '_connection')
  const frames: Frame = Object.getPrototypeOf(connection.toImpl?.(page.mainFrame()) ?? {})
  const retry = frames.retryWithProgressAndTimeouts
  if (!retry) throw new Error('This version of Playwright waits in another way: see e2e/eager.ts')
  frames.retryWithProgressAndTimeouts = function (progress, waitsMs, look) {
    return retry.call(
      this,
      progress,
      waitsMs.map((ms) => Math.min(ms, AGAIN_MS)),
      look,
    )
  }
  isEager = true
}
