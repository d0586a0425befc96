import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { scratchFolder } from './scratch.ts'

/** Opens Chromium with a new profile. */
export async function openChromium(): Promise<{ page: Page; close: () => Promise<void> }> {
  const context = await openBrowser(scratchFolder('browser'))
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    close: () => context.close(),
  }
}

const sessions = new WeakMap<Page, Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>>()

/** Slows the page's main thread by this factor; 1 is full speed. Workers are not throttled. */
export async function setThrottle(page: Page, rate: number): Promise<void> {
  // The throttle ends with the DevTools session that set it.
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}
