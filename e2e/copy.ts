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
export const keepsCopy = (page: Page): Promise<void> => expect.poll(() => copiesOf(page)).not.toEqual([])

/**
 * Waits until the service worker has ended the look at the server's version that it may be at: a server that changes its version
 * in the middle of one would be seen as half of each.
 */
export const endsLook = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready
    const { port1, port2 } = new MessageChannel()
    const told = new Promise<void>((resolve) => {
      port1.onmessage = () => resolve()
    })
    active?.postMessage({ kind: 'standing' }, [port2])
    await told
    port1.close()
  })

/** Runs in the page: the sealed row of what its vault keeps of the screens. Each page writes another one soon after it began. */
export async function shownRow(): Promise<string | undefined> {
  const answer = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name))
    const isVault = database.objectStoreNames.contains('sealed')
    const row: unknown = isVault ? await answer(database.transaction('sealed').objectStore('sealed').get('shown')) : undefined
    database.close()
    if (row) return JSON.stringify(row)
  }
  return undefined
}

/** Waits until the vault keeps another state of the screens than `before`. */
export const keepsShown = (page: Page, before: string | undefined): Promise<void> =>
  expect.poll(() => page.evaluate(shownRow)).not.toBe(before)
