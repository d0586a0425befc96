import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { byPlaywright, PATIENCE_MS } from './driver.ts'
import type { RunningServer } from './server.ts'
import { type Account, type Visitor, visitorBy } from './visitor.ts'

/** A person at Chromium, with the page for what only one test does. */
export interface Person extends Visitor {
  page: Page
  context: BrowserContext
  /** Types without sending, and waits until the browser has stored the draft. */
  drafts(text: string): Promise<void>
  goesOffline(): Promise<void>
  comesBack(): Promise<void>
}

/** Makes a person of a browser window that is open already. */
export async function visitor(
  server: RunningServer,
  context: BrowserContext,
  who: Account & { name: string },
  patienceMs = PATIENCE_MS,
): Promise<Person> {
  const page = context.pages()[0] ?? (await context.newPage())
  return {
    ...visitorBy(byPlaywright(page, patienceMs), server.url, who),
    page,
    context,
    async drafts(text) {
      const before = await page.evaluate(keptDrafts)
      await page.getByLabel('Message', { exact: true }).fill(text)
      await expect
        .poll(() => page.evaluate(keptDrafts), { timeout: PATIENCE_MS })
        .toSatisfy((kept: string[]) => kept.some((draft) => !before.includes(draft)))
    },
    goesOffline: () => context.setOffline(true),
    comesBack: () => context.setOffline(false),
  }
}

/** Runs in the page: returns the sealed drafts of its vaults. Each save seals a draft anew. */
export async function keptDrafts(): Promise<string[]> {
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
