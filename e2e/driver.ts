import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { looksOften } from './eager.ts'

/** Something on the screen: an element by its role and its whole name, or the first that a selector names and that has the text. */
export type Target = { role: Parameters<Page['getByRole']>[0]; name: string } | { css: string; text?: string }

/**
 * What page objects need of a page. Each step waits for what it asks for. Chromium is moved by Playwright, Firefox by Puppeteer
 * (`e2e/puppeteer.ts`), WebKit by its own WebDriver (`e2e/webkit.ts`).
 */
export interface Driver {
  /** Errors that the page has logged. */
  complaints: string[]
  open(url: string): Promise<void>
  reload(): Promise<void>
  press(target: Target): Promise<void>
  /** Fills the field with this label: its whole text. */
  type(label: string, text: string): Promise<void>
  sees(target: Target): Promise<void>
  /** In Firefox and WebKit what is there and not shown is missed too. */
  misses(target: Target): Promise<void>
  /** Gives this file to the dialog that the target opens. */
  chooses(target: Target, path: string): Promise<void>
  /** Gives this file to a field of the page. */
  gives(css: string, path: string): Promise<void>
  /** Presses, and returns what the browser has saved under this name. */
  saves(target: Target, name: string): Promise<Buffer>
  /** Runs in the page. */
  asks<T>(question: () => T | Promise<T>): Promise<T>
  /** Closes the browser of this person. */
  close(): Promise<void>
}

/** A selector of what may have the role. The name decides. Throws for a role that the table lacks: nothing would be found, or missed. */
export function candidatesOf(role: Parameters<Page['getByRole']>[0]): string {
  const selector = CANDIDATES[role]
  if (!selector) throw new Error(`Firefox and WebKit are not told what a ${role} is`)
  return selector
}

const CANDIDATES: Record<string, string> = {
  button: 'button:not([role]), [role="button"]',
  textbox: 'input, textarea, [role="textbox"]',
  heading: 'h1, h2, h3, [role="heading"]',
  link: 'a[href], [role="link"]',
  tab: '[role="tab"]',
  menuitem: '[role="menuitem"]',
}

/** As long as a page is waited for. */
export const PATIENCE_MS = 45_000

export function byPlaywright(page: Page, patienceMs = PATIENCE_MS): Driver {
  page.setDefaultTimeout(patienceMs)
  looksOften(page)
  const complaints: string[] = []
  // Many tests expect a refused request. No test expects an exception or a violation of the Content-Security-Policy.
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^(Failed to load resource|WebSocket connection)/.test(message.text()))
      complaints.push(message.text())
  })
  const find = (target: Target) =>
    'role' in target
      ? page.getByRole(target.role, { name: target.name, exact: true })
      : page.locator(target.css, target.text === undefined ? {} : { hasText: target.text }).first()
  return {
    complaints,
    open: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    press: (target) => find(target).click(),
    type: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    sees: (target) => find(target).waitFor(),
    misses: (target) => find(target).waitFor({ state: 'detached' }),
    async chooses(target, path) {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), find(target).click()])
      await chooser.setFiles(path)
    },
    gives: (css, path) => page.locator(css).setInputFiles(path),
    async saves(target, name) {
      const [saved] = await Promise.all([page.waitForEvent('download'), find(target).click()])
      if (saved.suggestedFilename() !== name) throw new Error(`The browser saves ${saved.suggestedFilename()}`)
      return await readFile(await saved.path())
    },
    asks: (question) => page.evaluate(question),
    close: () => page.context().close(),
  }
}
