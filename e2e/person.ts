import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { RunningServer } from './server.ts'

/** A person at a real browser. Each verb acts on the screen as the person would, and waits until the result is shown. */
export interface Person {
  name: string
  username: string
  password: string
  page: Page
  /** Errors that the page has logged. A test expects none. */
  complaints: string[]
  context: BrowserContext
  signsUp(): Promise<void>
  signsIn(): Promise<void>
  adds(other: Person): Promise<void>
  accepts(other: Person): Promise<void>
  opens(other: Person): Promise<void>
  says(text: string): Promise<void>
  /** Types without sending, and waits until the browser has stored the draft. */
  drafts(text: string): Promise<void>
  /** Waits until a bubble with this text is on the screen. */
  reads(text: string): Promise<void>
  /** Returns the texts of the bubbles on screen, top to bottom. */
  shows(): Promise<string[]>
  /** Waits until the person's own bubble has this tick. */
  seesTick(text: string, tick: 'Sent' | 'Delivered' | 'Read'): Promise<void>
  goesOffline(): Promise<void>
  comesBack(): Promise<void>
  reloads(): Promise<void>
  leaves(): Promise<void>
}

const PATIENCE_MS = 20_000

export interface Account {
  username: string
  password: string
}

/** Makes a person of a browser window that is open already. */
export async function visitor(
  server: RunningServer,
  context: BrowserContext,
  { name, username, password }: Account & { name: string },
): Promise<Person> {
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  // Many tests expect a refused request. No test expects an exception or a violation of the Content-Security-Policy.
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^(Failed to load resource|WebSocket connection)/.test(message.text()))
      complaints.push(message.text())
  })
  const bubble = (text: string) => page.locator('.bub', { hasText: text }).last()

  return {
    name,
    username,
    password,
    page,
    complaints,
    context,
    async signsUp() {
      await page.goto(`${server.url}/auth`)
      await page.getByLabel(/^Username/).fill(username)
      await page.getByLabel(/^Display name/).fill(name)
      await page.getByLabel(/^Password/).fill(password)
      await page.getByLabel(/^Repeat password/).fill(password)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Skip for now' }).click()
      await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
    },
    async signsIn() {
      await page.goto(`${server.url}/auth`)
      await page.getByRole('tab', { name: 'Sign In' }).click()
      await page.getByLabel(/^Username/).fill(username)
      await page.getByLabel(/^Password/).fill(password)
      await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    },
    async adds(other) {
      await page.getByRole('button', { name: 'Add by Username/Onion' }).click()
      await page.getByLabel('Username or onion address').fill(other.username)
      await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
      await page.locator('.row', { hasText: other.name }).first().waitFor()
    },
    async accepts() {
      await page.getByRole('button', { name: /^Accept/ }).click()
    },
    async opens(other) {
      await page.locator('a.row, .row a', { hasText: other.name }).first().click()
      await page.getByLabel('Message', { exact: true }).waitFor()
    },
    async says(text) {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await bubble(text).waitFor()
    },
    async drafts(text) {
      const before = await page.evaluate(keptDrafts)
      await page.getByLabel('Message', { exact: true }).fill(text)
      await expect
        .poll(() => page.evaluate(keptDrafts), { timeout: PATIENCE_MS })
        .toSatisfy((kept: string[]) => kept.some((draft) => !before.includes(draft)))
    },
    async reads(text) {
      await bubble(text).waitFor()
    },
    shows: () =>
      page
        .locator('.bub p')
        .evaluateAll((bubbles) =>
          bubbles.map((bubble) =>
            [...bubble.childNodes]
              .map((part) => (part instanceof Element && part.matches('.meta') ? '' : part.textContent))
              .join(''),
          ),
        ),
    async seesTick(text, tick) {
      const name = new RegExp(`, ${tick}(\\.|$)`, 'i')
      await page.getByRole('group', { name }).filter({ hasText: text }).last().waitFor()
    },
    goesOffline: () => context.setOffline(true),
    comesBack: () => context.setOffline(false),
    async reloads() {
      await page.reload()
      await page
        .getByRole('button', { name: 'Add by Username/Onion' })
        .or(page.getByRole('button', { name: 'Back to contacts' }))
        .first()
        .waitFor()
    },
    leaves: () => context.close(),
  }
}

/** Runs in the page: returns the sealed drafts of its vaults. Each save seals a draft anew. */
async function keptDrafts(): Promise<string[]> {
  const answer = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const found: string[] = []
  const readable = (_: string, value: unknown) =>
    value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value instanceof Uint8Array ? [...value] : value
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name))
    if (database.objectStoreNames.contains('sealed')) {
      const store = database.transaction('sealed').objectStore('sealed')
      const kept = await answer<unknown[]>(store.getAll(IDBKeyRange.bound('draft:', 'draft:\uffff')))
      found.push(...kept.map((draft) => JSON.stringify(draft, readable)))
    }
    database.close()
  }
  return found
}
