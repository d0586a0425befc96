import { longLibrary } from '../client/testing/library.ts'
import type { Ground } from './ground.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'
import { measureSearchPage } from './searchpage.ts'
import { lineOf, vocabulary } from './vocabulary.ts'

const ROOMS = [20, 1000]
const LIMIT = 50

/**
 * Measures search in 100,000 messages: its times without a browser, where IndexedDB is in memory, so that the disk's part of the first
 * search is not in them; then times and memory in Chromium.
 */
export async function measureSearch(ground: Ground): Promise<Row[]> {
  const rows: Row[] = []
  for (const rooms of ROOMS) rows.push(...(await measureIn(rooms, ground)))
  return [...rows, ...(await measureSearchPage(ground))]
}

async function measureIn(rooms: number, { isQuick }: Ground): Promise<Row[]> {
  const messages = isQuick ? 4000 : 100_000
  const asks = isQuick ? 10 : 100
  const word = vocabulary()
  const library = await longLibrary({ rooms, messages }, () => lineOf(word))
  const { chatRoomIds } = library
  const first = await library.open()
  const startedAt = performance.now()
  while (!(await first.indexRooms({ chatRoomIds })));
  const indexingMs = performance.now() - startedAt
  await first.close()

  const core = await library.open()
  const search = async (query: string) => {
    const askedAt = performance.now()
    const found = await core.search({ query, chatRoomIds, limit: LIMIT })
    return { ms: performance.now() - askedAt, found }
  }
  const load = await search('nowhere to be found')
  const kinds: [name: string, query: () => string][] = [
    ['one word', word],
    ['the beginning of a word', () => word().slice(0, 2)],
    ['two words', () => `${word()} ${word()}`],
    ['a word that nobody wrote', () => `q${word()}q`],
  ]
  const where = `${messages.toLocaleString('en')} messages of ${rooms.toLocaleString('en')} rooms`
  const rows = [
    row('search', `the first one in ${where}`, load.ms, 'ms', {
      atMost: 1000,
      note: `reads the sealed index; building it took ${(indexingMs / 1000).toFixed(1)} s in the background, once`,
    }),
  ]
  for (const [name, query] of kinds) {
    const answers = []
    for (let at = 0; at < asks; at++) answers.push(await search(query()))
    const times = answers.map(({ ms }) => ms)
    const hits = median(answers.map(({ found }) => found.messages.length))
    rows.push(
      row('search', `${name} in ${where}, p95`, percentile(times, 95), 'ms', {
        atMost: 40,
        note: `p50 ${median(times).toFixed(1)} ms; ${hits} results, with the words around them`,
      }),
    )
  }
  await core.close()
  return rows
}
