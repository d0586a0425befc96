import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The builds of which a browser has a whole copy, the newest last. */
export const copiesOf = (page: Page): Promise<{ id: string; version: string }[]> =>
  page.evaluate(async () => {
    const kept: { id: string; version: string; takenAt: number }[] = []
    for (const name of await caches.keys()) {
      const marker = await (await caches.open(name)).match('/build.json')
      if (marker) kept.push(await marker.json())
    }
    return kept.sort((one, other) => one.takenAt - other.takenAt).map(({ id, version }) => ({ id, version }))
  })

/** Waits until a browser has a whole copy of the app. */
export const keepsCopy = (page: Page): Promise<void> => expect.poll(() => copiesOf(page), { timeout: 20_000 }).not.toEqual([])
