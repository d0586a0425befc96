import { appendFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** LevelDB reads a log in blocks of so many bytes. Zeros fill the end of one. */
const BLOCK_BYTES = 32_768
const RECORD_BYTES = 64
const FULL_RECORD = 1

/**
 * Leaves the log of the browser's databases as two kills do. The first tears a record; the next start writes on behind its head, which then
 * has a wrong checksum (issue 1287 of google/leveldb). Chromium deletes all databases of the page at the start after that.
 */
export function tearsRecord(profile: string): void {
  const stores = path.join(profile, 'Default', 'IndexedDB')
  const found = readdirSync(stores).filter((name) => name.endsWith('.leveldb'))
  if (found.length === 0) throw new Error('The browser keeps its databases otherwise than in LevelDB')
  for (const store of found) {
    const folder = path.join(stores, store)
    const newest = readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .sort()
      .at(-1)
    if (!newest) throw new Error(`The databases of ${store} have no log`)
    const log = path.join(folder, newest)
    const head = Buffer.from([0, 0, 0, 0, RECORD_BYTES, 0, FULL_RECORD])
    const record = Buffer.concat([head, Buffer.alloc(RECORD_BYTES, 'written behind it')])
    const room = BLOCK_BYTES - (statSync(log).size % BLOCK_BYTES)
    appendFileSync(log, Buffer.concat([Buffer.alloc(room < record.length ? room : 0), record]))
  }
}
