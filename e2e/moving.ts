import type { Disk } from '../client/testing/disk.ts'
import type { Moved } from './crowd.ts'
import type { Person } from './person.ts'

const ROWS_AT_ONCE = 4000

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
  for (const piece of piecesOf(disk))
    await page.evaluate(writeBrowser, { piece: JSON.stringify(piece), user: JSON.stringify(user) })
  await page.unroute(`${url}/empty`)
  await page.goto(url)
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
}

/** The same databases several times, with a part of the rows each: a whole one may be too long for one message to the page. */
function piecesOf(disk: Disk[]): Disk[][] {
  const longest = Math.max(0, ...disk.flatMap(({ stores }) => stores.map(({ rows }) => rows.length)))
  return Array.from({ length: Math.max(1, Math.ceil(longest / ROWS_AT_ONCE)) }, (_, at) =>
    disk.map(({ stores, ...database }) => ({
      ...database,
      stores: stores.map(({ rows, ...store }) => ({ ...store, rows: rows.slice(at * ROWS_AT_ONCE, (at + 1) * ROWS_AT_ONCE) })),
    })),
  )
}

/** Runs in the page: writes the databases and the user, which come as JSON. */
async function writeBrowser({ piece, user }: { piece: string; user: string }): Promise<void> {
  const withBytes = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withBytes)
    if (value === null || typeof value !== 'object') return value
    if ('$bytes' in value) return Uint8Array.from(atob(String(value.$bytes)), (letter) => letter.charCodeAt(0))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withBytes(inner)]))
  }
  const databases: Disk[] = JSON.parse(piece)
  for (const { name, version, stores } of databases)
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name, version)
      opening.onupgradeneeded = () => {
        for (const { name: store, keyPath } of stores) opening.result.createObjectStore(store, { keyPath })
      }
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const database = opening.result
        const names = stores.map((store) => store.name)
        const writing = names.length > 0 ? database.transaction(names, 'readwrite') : undefined
        for (const { name: store, keyPath, rows } of stores)
          for (const [key, value] of rows) writing?.objectStore(store).put(withBytes(value), keyPath === null ? key : undefined)
        const done = () => {
          database.close()
          resolve()
        }
        if (!writing) return done()
        writing.oncomplete = done
        writing.onabort = () => reject(writing.error)
      }
    })
  localStorage.setItem('user', user)
}
