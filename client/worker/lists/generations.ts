import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Book, bookWrite, readBook, withBook } from './book.ts'

/** A larger lead is an attack. */
const AHEAD_MAX = 1000

interface Seen {
  generation: number
  n: number
}

export const seenIn = ({ generations, restarts }: Pick<Book, 'generations' | 'restarts'>, chatRoomId: string): Seen => ({
  generation: generations[chatRoomId] ?? 0,
  n: restarts?.[chatRoomId] ?? 0,
})

/** Stores a proven generation; the number only rises [Note: R4]. */
export const noteGeneration = (live: Live, chatRoomId: string, generation: number): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    if (seenIn(row.book, chatRoomId).generation >= generation) return
    const generations = { ...row.book.generations, [chatRoomId]: generation }
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, generations } })])
  })

/** Throws 'generation_rollback' or 'generation' (too far ahead) [Note: R8]. */
export async function requireGeneration(live: Live, chatRoomId: string, generation: number): Promise<number> {
  const seen = seenIn((await readBook(live)).book, chatRoomId).generation
  if (generation < seen) throw new CryptoFailure('generation_rollback', OTHER_STATE)
  if (generation > seen + AHEAD_MAX) throw new CryptoFailure('generation', OTHER_STATE)
  return seen
}

const OTHER_STATE = 'The server shows another state of this chat than your browsers know'

/** The higher n holds; of equal n the higher generation [Note: R8]. */
export function mergedGenerations(mine: Book, theirs: Book): Pick<Book, 'generations' | 'restarts'> {
  const generations: Record<string, number> = {}
  const restarts: Record<string, number> = {}
  // In a fixed order, so that equal books have equal text.
  for (const room of new Set([...Object.keys(theirs.generations), ...Object.keys(mine.generations)])) {
    const [own, other] = [seenIn(mine, room), seenIn(theirs, room)]
    const isTheirs = other.n === own.n ? other.generation > own.generation : other.n > own.n && other.n <= own.n + AHEAD_MAX
    const { generation, n } = isTheirs ? other : own
    generations[room] = generation
    if (n > 0) restarts[room] = n
  }
  return { generations, ...(Object.keys(restarts).length > 0 && { restarts }) }
}
