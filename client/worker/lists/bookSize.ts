import { LIMITS } from '../../../contract/ground/limits.ts'
import { membersOfDirectRoom } from '../../../contract/ground/shapes.ts'
import { boundUnknown } from '../keys/unknownFields.ts'
import { type Book, bookShape, startedAnew } from './book.ts'
import { decisionsOf } from './pins.ts'

const MIB = 1024 * 1024
/** [Note: I1] */
const MERGED_BYTES = 2.5 * MIB
const NEWS_BYTES = 32 * 1024
/** The rest is for what this browser adds itself. */
const CHANGED_BYTES = LIMITS.bookSavedBytes - MIB / 4
const OWN_BYTES = 2 * MIB

const LISTS = [
  'pins',
  'aliases',
  'generations',
  'restarts',
  'deviceNames',
  'contactNames',
  'blocks',
  'clears',
  'locks',
] as const satisfies (keyof Book)[]
type List = (typeof LISTS)[number]

const entriesOf = (book: Book, list: List): [string, unknown][] => Object.entries(book[list] ?? {})
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
const lineBytes = (name: string, value: unknown): number => bytesOf({ [name]: value })

/** Leaves out what would fill the own book. */
export function withoutOverflow(mine: Book, theirs: Book, met: ReadonlySet<string>): { book: Book; hasDropped: boolean } {
  const [own, other] = [bytesOf(mine), bytesOf(theirs)]
  if (own + other <= MERGED_BYTES) return { book: theirs, hasDropped: false }
  let left = Math.max(0, MERGED_BYTES - own, Math.min(NEWS_BYTES, CHANGED_BYTES - own))
  let hasDropped = false
  const fits =
    (list: List) =>
    ([name, value]: [string, unknown]) => {
      const grows = lineBytes(name, value) - ownBytes(mine, list, name)
      if (grows <= 0 || (list === 'pins' && met.has(name) && isKnown(mine, list, name))) return true
      if (grows > left) hasDropped = true
      else left -= grows
      return !hasDropped
    }
  const lists = LISTS.flatMap((list) =>
    theirs[list] ? [[list, Object.fromEntries(entriesOf(theirs, list).filter(fits(list)))]] : [],
  )
  const book: Book = { ...theirs, ...Object.fromEntries(lists) }
  return hasDropped ? { book: startedAnew(book), hasDropped } : { book, hasDropped }
}

const isKnown = (book: Book, list: List, name: string): boolean => Object.hasOwn(book[list] ?? {}, name)
const ownBytes = (book: Book, list: List, name: string): number =>
  isKnown(book, list, name) ? lineBytes(name, (book[list] as Record<string, unknown>)[name]) : 0

/** Two full books would be written against each other for ever, so people who were met decide. */
export const isMetLost = (book: Book, theirs: Book, met: ReadonlySet<string>): boolean =>
  [...met].some((id) => book.pins[id]?.identityKey !== theirs.pins[id]?.identityKey)

/** Returns known fields, and a large book shrunk. */
export function ownPart(book: Book, met: ReadonlySet<string>): Book {
  const known = boundUnknown(bookShape, book, 0).value
  return bytesOf(known) > MERGED_BYTES ? shrunk(known, met) : known
}

export const fittingChange = (book: Book, met: ReadonlySet<string>): Book =>
  bytesOf(book) > CHANGED_BYTES ? shrunk(book, met) : book

/** A dropped pin would take any key as the first: new ones are asked for. */
function shrunk(book: Book, met: ReadonlySet<string>): Book {
  const lines = LISTS.flatMap((list) =>
    entriesOf(book, list).map(([name, value]) => ({ list, name, value, rank: rankOf(book, list, name, met) })),
  ).sort((a, b) => a.rank - b.rank)
  const lists = new Map<List, Record<string, unknown>>(LISTS.flatMap((list) => (book[list] ? [[list, {}]] : [])))
  let left = OWN_BYTES
  for (const { list, name, value } of lines) {
    left -= lineBytes(name, value)
    if (left < 0) break
    const kept = lists.get(list)
    if (kept) kept[name] = value
  }
  return startedAnew(bookShape.parse({ ...book, ...Object.fromEntries(lists) }))
}

/** The lowest stays first. */
function rankOf({ pins }: Book, list: List, name: string, met: ReadonlySet<string>): number {
  if (list === 'deviceNames') return 3
  const ids = name.startsWith('dm_') ? membersOfDirectRoom(name) : [name]
  const ranks = ids.map((id) => {
    const pin = pins[id]
    if (!pin) return 4
    return met.has(id) ? 0 : pin.isVerified ? 1 : decisionsOf(pin) > 0 ? 2 : 3
  })
  return Math.min(...ranks)
}
