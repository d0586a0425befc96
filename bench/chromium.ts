import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { scratchFolder } from './scratch.ts'

/** A Chromium with a new profile. */
export async function openChromium(): Promise<{ page: Page; close: () => Promise<void> }> {
  const context = await openBrowser(scratchFolder('browser'))
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    close: () => context.close(),
  }
}

const sessions = new WeakMap<Page, Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>>()

/** Makes the page's main thread so many times slower; 1 is its own speed. Workers are not slowed. */
export async function setThrottle(page: Page, rate: number): Promise<void> {
  // The throttle falls with the session that set it.
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}
