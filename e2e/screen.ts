import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
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

/** Waits for a toast that says all of this and puts it away, in one step: by itself it goes after five seconds. */
export async function putsAway(page: Page, ...words: string[]): Promise<void> {
  await page.waitForFunction((texts) => {
    const says = (one: Element) => texts.every((text) => one.textContent.includes(text))
    const toast = [...document.querySelectorAll('.toast')].find(says)
    toast?.querySelector<HTMLElement>('[aria-label="Dismiss"]')?.click()
    return toast !== undefined
  }, words)
  await page.locator('.toast', { hasText: words[0] ?? '' }).waitFor({ state: 'detached' })
}

/** Ends each call that is under way on these screens, and closes what says that one is over. */
export async function putsCallsAway(people: readonly { page: Page }[]): Promise<void> {
  for (const { page } of people) {
    const isLeft = async () => {
      await page.evaluate(() => {
        const words = ['End', 'Decline', 'Back to the chat']
        for (const button of document.querySelectorAll<HTMLElement>('.call button, .call-bar button, .ring button'))
          if (words.includes(button.getAttribute('aria-label') ?? button.textContent)) button.click()
      })
      return page.locator('.call, .call-bar, .ring').count()
    }
    await expect.poll(isLeft).toBe(0)
  }
}

/** Sets "Hide my address" from an open chat, and comes back to it. */
export async function hidesAddress(page: Page, isHidden: boolean): Promise<void> {
  const back = page.url()
  await page.goto(new URL('/settings?tab=privacy', back).href)
  const hide = page.getByRole('switch', { name: 'Hide my address' })
  if ((await hide.isChecked()) !== isHidden) await hide.click()
  await page.locator(`[role="switch"][aria-checked="${isHidden}"][aria-busy="false"]`).and(hide).waitFor()
  await page.goto(back)
  await page.getByLabel('Message', { exact: true }).waitFor()
}

/** The toast on screen does not go by itself any more: as while the person is at another window. */
export const holdsToast = (page: Page): Promise<unknown> => page.evaluate(() => dispatchEvent(new Event('blur')))

/** Opens the sheet of what asks for the person, and waits until it says this. */
export async function opensNotices(page: Page, words: string | RegExp): Promise<Locator> {
  await page.getByRole('status', { name: 'Notices' }).getByRole('button').click()
  const sheet = page.getByRole('dialog', { name: /for you$/ })
  await sheet.getByText(words).waitFor()
  return sheet
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

/** A file as the person would choose it. */
export interface Chosen {
  name: string
  type: string
  bytes: Buffer
}

/** Drops files onto the page, or pastes them, as the browser tells it. */
export async function gives({ page }: { page: Page }, how: 'drop' | 'paste', files: Chosen[]): Promise<void> {
  const given = files.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') }))
  await page.evaluate(
    ([how, given]) => {
      const transfer = new DataTransfer()
      for (const { name, type, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        transfer.items.add(new File([bytes], name, { type }))
      }
      const [drag, rest] = [{ dataTransfer: transfer }, { bubbles: true, cancelable: true }]
      if (how === 'paste') document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, ...rest }))
      else for (const type of ['dragover', 'drop']) document.dispatchEvent(new DragEvent(type, { ...drag, ...rest }))
    },
    [how, given] as const,
  )
}
