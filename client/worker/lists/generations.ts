import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Book, bookWrite, readBook, withBook } from './book.ts'

/** The largest accepted lead of a room or a book: a real account is never that far behind, so a larger one is an attack. */
const AHEAD_MAX = 1000

/** The newest generation of a room that any device of this account has seen, and how often the person restarted it [Note: R8]. */
interface Seen {
  generation: number
  n: number
}

export const seenIn = ({ generations, restarts }: Pick<Book, 'generations' | 'restarts'>, chatRoomId: string): Seen => ({
  generation: generations[chatRoomId] ?? 0,
  n: restarts?.[chatRoomId] ?? 0,
})

/** Stores a generation that this device has proof of, before it moves there; the number only rises [Note: R4]. */
export const noteGeneration = (live: Live, chatRoomId: string, generation: number): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    if (seenIn(row.book, chatRoomId).generation >= generation) return
    const generations = { ...row.book.generations, [chatRoomId]: generation }
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, generations } })])
  })

/**
 * The newest generation that the account knows. Throws CryptoFailure if the given one is older ('generation_rollback') or too far
 * ahead ('generation'): the person is asked, and `restartRoom` runs if they agree [Note: R8].
 */
export async function requireGeneration(live: Live, chatRoomId: string, generation: number): Promise<number> {
  const seen = seenIn((await readBook(live)).book, chatRoomId).generation
  if (generation < seen) throw new CryptoFailure('generation_rollback', OTHER_STATE)
  if (generation > seen + AHEAD_MAX) throw new CryptoFailure('generation', OTHER_STATE)
  return seen
}

const OTHER_STATE = 'The server shows another state of this chat than your browsers know'

/** Merges the generations of two books: per room the higher n wins, then the higher generation. An n too far ahead is ignored. */
export function mergedGenerations(mine: Book, theirs: Book): Pick<Book, 'generations' | 'restarts'> {
  const generations: Record<string, number> = {}
  const restarts: Record<string, number> = {}
  // In their order, so that equal books serialize to equal text.
  for (const room of new Set([...Object.keys(theirs.generations), ...Object.keys(mine.generations)])) {
    const [own, other] = [seenIn(mine, room), seenIn(theirs, room)]
    const isTheirs = other.n === own.n ? other.generation > own.generation : other.n > own.n && other.n <= own.n + AHEAD_MAX
    const { generation, n } = isTheirs ? other : own
    generations[room] = generation
    if (n > 0) restarts[room] = n
  }
  return { generations, ...(Object.keys(restarts).length > 0 && { restarts }) }
}
