import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Expects that axe finds nothing on the screen as it stands, of any weight, in the light theme, and no text that is too faint in the
 * dark one. `screen` names it in a failure.
 */
export async function looksFine(page: Page, screen: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  // Text that fades in is fainter than it will be.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const found = await findings(page, [])
  await page.emulateMedia({ colorScheme: 'dark' })
  // The public pages follow the system by their styles alone.
  await page.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme !== 'light')
  found.push(...(await findings(page, ['color-contrast'])).map((finding) => `dark: ${finding}`))
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  expect(found, screen).toEqual([])
}

/** Runs this while each call, and each part of the page that is loaded, takes so long. */
export async function behind(latencyMs: number, page: Page, work: () => Promise<void>): Promise<void> {
  await page.route(/\/(api|assets)\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    await route.continue()
  })
  await work()
  await page.unrouteAll({ behavior: 'wait' })
}

/** What the named rules find, or all of them where none is named. */
const findings = (page: Page, rules: string[]): Promise<string[]> =>
  page.evaluate(async (only) => {
    const { run } = (window as unknown as { axe: typeof axe }).axe
    const { violations } = await run(document, {
      resultTypes: ['violations'],
      ...(only.length > 0 && { runOnly: only }),
      iframes: false,
      preload: false,
    })
    return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target }) => `${impact} ${id}: ${target.join(' ')}`))
  }, rules)
