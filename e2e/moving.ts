import type { Disk } from '../client/testing/disk.ts'
import type { Moved } from './crowd.ts'
import type { Person } from './person.ts'

/** Puts what a browser keeps of an account into this one, which has visited nothing yet, and opens the messenger. */
export async function movesIn(
  { context, page }: Pick<Person, 'context' | 'page'>,
  url: string,
  { cookies, disk, user }: Moved,
): Promise<void> {
  const { hostname } = new URL(url)
  // With an end, as the server's: one without is gone when a profile's browser is closed.
  const expires = Math.floor(Date.now() / 1000) + 86_400
  const kind = { domain: hostname, path: '/', httpOnly: true, sameSite: 'Strict', expires } as const
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, ...kind })))
  // An empty page of this origin.
  await page.route(`${url}/empty`, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(`${url}/empty`)
  await page.evaluate(writeBrowser, { disk: JSON.stringify(disk), user: JSON.stringify(user) })
  await page.unroute(`${url}/empty`)
  await page.goto(url)
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
}

/** Runs in the page: writes the databases and the user, which come as JSON. */
async function writeBrowser({ disk, user }: { disk: string; user: string }): Promise<void> {
  const withBytes = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withBytes)
    if (value === null || typeof value !== 'object') return value
    if ('$bytes' in value) return Uint8Array.from(atob(String(value.$bytes)), (letter) => letter.charCodeAt(0))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withBytes(inner)]))
  }
  const databases: Disk[] = JSON.parse(disk)
  for (const { name, version, stores } of databases)
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name, version)
      opening.onupgradeneeded = () => {
        for (const { name: store, keyPath, rows } of stores) {
          const objects = opening.result.createObjectStore(store, { keyPath })
          for (const [key, value] of rows) objects.put(withBytes(value), keyPath === null ? key : undefined)
        }
      }
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        opening.result.close()
        resolve()
      }
    })
  localStorage.setItem('user', user)
}
