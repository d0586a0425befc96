import { toBase64 } from '../../contract/bytes.ts'
import type { Book, BookRow, Pin } from './book.ts'

/** How far beyond what this browser knows a number may be that another one or the server names: else the numbers could run out. */
export const AHEAD_MAX = 1000

/** How many decisions a pin rests on; 0: the first key seen. One of before with a date is one [Note: I1]. */
const decisionsOf = ({ n, decidedAt }: Pin): number => n ?? (decidedAt === undefined ? 0 : 1)

/** The book with this pin in the place of what it said of the account. */
export const withPin = (row: BookRow, userId: string, pin: Pin): BookRow => ({
  ...row,
  isDirty: true,
  book: { ...row.book, pins: { ...row.book.pins, [userId]: pin } },
})

type Decision = Pick<Pin, 'identityKey' | 'isVerified'> & Partial<Pick<Pin, 'username' | 'isByAddress' | 'isContact'>>

/** The book where the person decided for the key, its name or its mark: on all browsers the most decisions hold [Note: I1]. */
export function decided(row: BookRow, userId: string, decision: Decision): BookRow {
  const {
    other: _,
    decidedAt,
    ...before
  } = row.book.pins[userId] ?? { identityKey: toBase64(new Uint8Array()), isVerified: false }
  const n = decisionsOf({ ...before, decidedAt }) + 1
  return withPin(row, userId, { ...before, ...decision, n })
}

/** What became of two browsers' pins of one account. */
interface MergedPin {
  pin: Pin
  /** Theirs counts more decisions than there can be: it was ignored, or of an unknown account taken for the first key seen. */
  isAhead: boolean
}

/**
 * Of two pins the one with more decisions. With as many, the mark holds only where both have it, and another key or name stands beside
 * the own one until the person decides: nothing is sent before.
 */
export function mergedPin(own: Pin | undefined, theirs: Pin): MergedPin {
  const isAhead = decisionsOf(theirs) > (own ? decisionsOf(own) : 0) + AHEAD_MAX
  // Without its key the account would be pinned to whatever the server shows next.
  if (!own) return { pin: isAhead ? { ...theirs, isVerified: false, n: 0 } : theirs, isAhead }
  if (isAhead || decisionsOf(own) > decisionsOf(theirs)) return { pin: united(own, theirs), isAhead }
  if (decisionsOf(own) < decisionsOf(theirs)) return { pin: united(theirs, own), isAhead }
  const isOther = own.identityKey !== theirs.identityKey || namesDiffer(own, theirs)
  const { identityKey, username } = theirs
  const other = own.other ?? (isOther ? { identityKey, ...(username !== undefined && { username }) } : theirs.other)
  const isVerified = own.isVerified && theirs.isVerified && !other
  return { pin: { ...theirs, ...own, isVerified, ...(other && { other }) }, isAhead }
}

const namesDiffer = (own: Pin, theirs: Pin): boolean =>
  own.username !== undefined && theirs.username !== undefined && own.username !== theirs.username

/** The pin that holds; of the same key, with what only the other one's build knows [Note: F2]. */
function united(holds: Pin, loses: Pin): Pin {
  if (holds.identityKey !== loses.identityKey) return holds
  const { other: _, ...more } = loses
  return { ...more, ...holds }
}

/**
 * True where another browser would read the same in both books. Each browser keeps its own key first while the person has not decided:
 * else two of them would save over each other for ever.
 */
export function isSameBook(one: Book, other: Book): boolean {
  return JSON.stringify(settled(one), byName) === JSON.stringify(settled(other), byName)
}

/** For JSON.stringify: sorts the fields, because a merge may change their order. */
const byName = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

const settled = ({ pins, ...book }: Book) => ({
  ...book,
  pins: Object.entries(pins).map(([id, pin]) => [id, pin.other ? { n: decisionsOf(pin), isConflict: true } : pin]),
})
