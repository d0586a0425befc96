import { browserWith, type Disk } from '../client/testing/disk.ts'
import { openedEnvelopes, openedRows, openLiveOf } from '../client/testing/opened.ts'
import { hkdf, openFrom, openWith } from '../client/worker/primitives/seal.ts'
import type { ArchiveKey } from '../contract/chat/rooms.ts'
import { fromBase64 } from '../contract/ground/bytes.ts'
import type { Person } from './person.ts'
import type { RunningServer } from './server.ts'
import { atDatabase, everyRow, finds } from './tables.ts'

/** What lies in each place, as text: as it is, and as all keys of the browser's open vault give it. */
export type Dump = Record<'disk' | 'vault' | 'copies' | 'tables' | 'envelopes', string>

/** The places in which a word is found. */
export const placesOf = (dump: Dump, word: string): string[] =>
  Object.entries(dump).flatMap(([place, text]) => (finds(text, word) ? [place] : []))

/** Everything that lies in a person's browser and at the server, and what whoever has both and the open vault's keys makes of it. */
export async function dumpOf({ page, username }: Person, { dataFolder }: RunningServer): Promise<Dump> {
  const { disk, copies, unlock, userId } = await page.evaluate(readBrowser)
  const computer = await browserWith(disk)
  const burglar = { userId, username, unlock, computer }
  const { seals, pages, contents } = await atDatabase(dataFolder, async (client) => {
    const seals = await client.query<ArchiveKey>(
      'select user_id as "userId", group_id as "groupId", epoch, history_key_id as "historyKeyId", sealed from archive_keys where user_id = $1',
      [userId],
    )
    const pages = await client.query<Page>(
      `select r.id as "chatRoomId", p.number, p.version, p.sealed from archive_pages p join chat_rooms r on r.number = p.room where user_id = $1`,
      [userId],
    )
    const messages = await client.query<{ content: string }>('select content from messages')
    return { seals: seals.rows, pages: pages.rows, contents: messages.rows.map(({ content }) => content) }
  })
  const vault = await openedRows(burglar)
  const live = await openLiveOf(burglar)
  const seeds = [live.device.leafSeed, live.device.sealingSeed, ...live.history.map(({ seed }) => seed)]
  const { texts } = await openedEnvelopes(live, seals, contents)
  // Neither a page of archive keys nor a row key opens by any of the vault's own seeds.
  for (const seed of seeds) {
    for (const page of pages) if (await opensPage(seed, live.identityKey, page)) vault.push('a page of archive keys')
    for (const [chatRoomId, { rowKeys }] of Object.entries(await live.vault.locks()))
      for (const { sealed } of rowKeys)
        if (await opens(openFrom(seed, 'conclave/lock-row-key/v1', fromBase64(sealed), chatRoomId, live.device.id)))
          vault.push('the row key of a locked chat')
  }
  live.vault.close()
  return {
    disk: JSON.stringify(disk, (_, value) => (value?.$bytes ? Buffer.from(value.$bytes, 'base64').toString('latin1') : value)),
    vault: vault.join('\n'),
    copies: copies.map((copy) => Buffer.from(copy, 'base64').toString('latin1')).join('\n'),
    tables: await everyRow(dataFolder),
    envelopes: texts.join('\n'),
  }
}

interface Page {
  chatRoomId: string
  number: number
  version: number
  sealed: string
}

async function opensPage(
  seed: Uint8Array,
  identityKey: Uint8Array,
  { chatRoomId, number, version, sealed }: Page,
): Promise<boolean> {
  const label = 'conclave/archive-page/v1'
  const key = await hkdf(seed, label, chatRoomId, String(number))
  return opens(openWith(key, label, fromBase64(sealed), identityKey, chatRoomId, String(number), String(version)))
}

const opens = (opening: Promise<unknown>): Promise<boolean> =>
  opening.then(
    () => true,
    () => false,
  )

/** Runs in the page: all databases, all files that it has copied, and what the server gives to its session. */
async function readBrowser() {
  const answer = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const inBase64 = (bytes: Uint8Array) => {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    return btoa(text)
  }
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return { $bytes: inBase64(value) }
    if (Array.isArray(value)) return value.map(plain)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
  }
  const disk: Disk[] = []
  for (const { name = '', version = 0 } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name))
    const stores: Disk['stores'] = []
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store)
      const [keys, values] = await Promise.all([answer(objects.getAllKeys()), answer<unknown[]>(objects.getAll())])
      const rows = keys.map((key, at): [IDBValidKey, unknown] => [key, plain(values[at])])
      stores.push({ name: store, keyPath: objects.keyPath as string | null, rows })
    }
    database.close()
    disk.push({ name, version, stores })
  }
  const copies: string[] = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const file = await (await cache.match(request))?.arrayBuffer()
      copies.push(btoa(request.url), inBase64(new Uint8Array(file ?? new ArrayBuffer(0))))
    }
  }
  const unlock: { deviceId: string; unlockSecret: string } = await (await fetch('/api/devices/unlock')).json()
  const userId: string = JSON.parse(localStorage.getItem('user') ?? '{}').id
  return { disk, copies, unlock, userId }
}
