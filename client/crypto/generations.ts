import { CryptoFailure } from '../primitives/failure.ts'
import { type Book, bookWrite, readBook, withBook } from './book.ts'
import type { Live } from './live.ts'

/** An account is never that far behind. A room or a book that goes further ahead at once is somebody's mischief. */
const AHEAD_MAX = 1000

/** The newest generation of a room that any device of this account has seen, and how often the person had it begin anew [Note: R8]. */
interface Seen {
  generation: number
  n: number
}

export const seenIn = ({ generations, restarts }: Pick<Book, 'generations' | 'restarts'>, chatRoomId: string): Seen => ({
  generation: generations[chatRoomId] ?? 0,
  n: restarts?.[chatRoomId] ?? 0,
})

/** Remembers a generation that this device has proof of, before it moves there; it only goes up [Note: R4]. */
export const noteGeneration = (live: Live, chatRoomId: string, generation: number): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    if (seenIn(row.book, chatRoomId).generation >= generation) return
    const generations = { ...row.book.generations, [chatRoomId]: generation }
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, generations } })])
  })

/**
 * The newest generation that the account knows. Throws CryptoFailure where the given one lies before it ('generation_rollback'), or
 * too far ahead ('generation'): the person is asked, and `restartRoom` follows their yes [Note: R8].
 */
export async function requireGeneration(live: Live, chatRoomId: string, generation: number): Promise<number> {
  const seen = seenIn((await readBook(live)).book, chatRoomId).generation
  if (generation < seen) throw new CryptoFailure('generation_rollback', OTHER_STATE)
  if (generation > seen + AHEAD_MAX) throw new CryptoFailure('generation', OTHER_STATE)
  return seen
}

const OTHER_STATE = 'The server shows another state of this chat than your browsers know'

/** Of two books the higher n of each room, and of the same n the higher generation. A leap of n is not followed. */
export function mergedGenerations(mine: Book, theirs: Book): Pick<Book, 'generations' | 'restarts'> {
  const generations: Record<string, number> = {}
  const restarts: Record<string, number> = {}
  // In their order, so that equal books are equal text.
  for (const room of new Set([...Object.keys(theirs.generations), ...Object.keys(mine.generations)])) {
    const [own, other] = [seenIn(mine, room), seenIn(theirs, room)]
    const isTheirs = other.n === own.n ? other.generation > own.generation : other.n > own.n && other.n <= own.n + AHEAD_MAX
    const { generation, n } = isTheirs ? other : own
    generations[room] = generation
    if (n > 0) restarts[room] = n
  }
  return { generations, ...(Object.keys(restarts).length > 0 && { restarts }) }
}
