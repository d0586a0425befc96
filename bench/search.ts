import { longLibrary } from '../client/testing/library.ts'
import type { Ground } from './ground.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'

const ROOMS = 20
const LIMIT = 50
const WORDS_A_MESSAGE = 12
const VOCABULARY = 20_000

/** Measures search in 100,000 messages. IndexedDB is in memory, so the figure leaves out the disk's part of the first search. */
export async function measureSearch({ isQuick }: Ground): Promise<Row[]> {
  const messages = isQuick ? 4000 : 100_000
  const asks = isQuick ? 10 : 100
  const word = vocabulary()
  const library = await longLibrary({ rooms: ROOMS, messages }, () =>
    Array.from({ length: WORDS_A_MESSAGE }, () => word()).join(' '),
  )
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
  const rows = [
    row('search', `the first one in ${messages.toLocaleString('en')} messages of ${ROOMS} rooms`, load.ms, 'ms', {
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
      row('search', `${name}, p95`, percentile(times, 95), 'ms', {
        atMost: 100,
        note: `p50 ${median(times).toFixed(1)} ms; ${hits} results, with the words around them`,
      }),
    )
  }
  await core.close()
  return rows
}

/** Returns a generator of words with a natural language's frequencies: a few words are common, most are rare. */
function vocabulary(): () => string {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const syllables = [...'bdfgklmnprstv'].flatMap((letter) => [...'aeiouéö'].map((vowel) => letter + vowel))
  const syllable = () => syllables[Math.floor(random() * syllables.length)] ?? ''
  const words = Array.from({ length: VOCABULARY }, () => Array.from({ length: 2 + Math.floor(random() * 3) }, syllable).join(''))
  return () => words[Math.floor(VOCABULARY ** random()) - 1] ?? ''
}
