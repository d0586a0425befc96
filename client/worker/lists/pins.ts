import { toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Book, BookRow, Pin } from './book.ts'

/** A larger lead could use the numbers up. */
export const AHEAD_MAX = 1000

/** A dated pin of an older build counts one decision [Note: I1]. */
export const decisionsOf = ({ n, decidedAt }: Pin): number => n ?? (decidedAt === undefined ? 0 : 1)

export const withPin = (row: BookRow, userId: string, pin: Pin): BookRow => ({
  ...row,
  isDirty: true,
  book: { ...row.book, pins: { ...row.book.pins, [userId]: pin } },
})

type Decision = Pick<Pin, 'identityKey' | 'isVerified'> &
  Partial<Pick<Pin, 'username' | 'isByAddress' | 'isContact' | 'awaitsDecision' | 'differs' | 'comparedAt' | 'isByCode'>>

/** Counts a decision: most decisions win [Note: I1]. */
export function decided(row: BookRow, userId: string, decision: Decision): BookRow {
  const {
    other,
    awaitsDecision: _,
    decidedAt,
    isByAddress,
    manifest,
    differs,
    comparedAt,
    isByCode,
    ...before
  } = row.book.pins[userId] ?? { identityKey: toBase64(new Uint8Array()), isVerified: false }
  const n = decisionsOf({ ...before, decidedAt }) + 1
  const chosen = [{ ...before, isByAddress }, other].find((one) => one?.identityKey === decision.identityKey)
  const isSameKey = before.identityKey === decision.identityKey
  return withPin(row, userId, {
    ...before,
    ...(chosen?.isByAddress && { isByAddress: true }),
    ...(isSameKey && manifest && { manifest }),
    ...(isSameKey && differs !== undefined && { differs }),
    ...(isSameKey && comparedAt && { comparedAt }),
    ...(isSameKey && isByCode !== undefined && { isByCode }),
    ...decision,
    n,
  })
}

/** Notes the newest list, which is no reason to write the book [Note: D2]. */
export function withList(row: BookRow, userId: string, { version, hash }: NonNullable<Pin['manifest']>): BookRow {
  const pin = row.book.pins[userId]
  if (!pin || (pin.manifest?.version === version && pin.manifest.hash === hash)) return row
  return { ...withPin(row, userId, { ...pin, manifest: { version, hash } }), isDirty: row.isDirty }
}

/** Nobody has signed a pin: throws 'pin_newer' or 'pin_differs' [Note: D1]. */
export function requirePinnedList({ manifest: known }: Pin, { version, hash }: NonNullable<Pin['manifest']>): void {
  if (!known || known.version > version + AHEAD_MAX) return
  if (version < known.version)
    throw new CryptoFailure('pin_newer', 'The server answered an older device list than your other browsers know')
  if (version === known.version && hash !== known.hash)
    throw new CryptoFailure('pin_differs', 'The server answered another device list than your other browsers know')
}

export const isDecided = (pin: Pin): boolean => decisionsOf(pin) > 0

interface MergedPin {
  pin: Pin
  isAhead: boolean
}

/** Merges two pins: more decisions win. A tie keeps both keys undecided. */
export function mergedPin(own: Pin | undefined, theirs: Pin): MergedPin {
  const { pin: merged, isAhead } = mergedDecision(own, theirs)
  const { manifest: _, ...pin } = merged
  // `own` first: the next book then replaces a list that a stolen browser wrote.
  const manifest = [own, theirs].find((one) => one?.manifest && one.identityKey === pin.identityKey)?.manifest
  return { pin: manifest ? { ...pin, manifest } : pin, isAhead }
}

function mergedDecision(own: Pin | undefined, theirs: Pin): MergedPin {
  const isAhead = decisionsOf(theirs) > (own ? decisionsOf(own) : 0) + AHEAD_MAX
  // Without this pin, the next key shown would be pinned.
  if (!own) return { pin: isAhead ? { ...theirs, isVerified: false, n: 0 } : theirs, isAhead }
  if (isAhead || decisionsOf(own) > decisionsOf(theirs)) return { pin: united(own, theirs), isAhead }
  if (decisionsOf(own) < decisionsOf(theirs)) return { pin: united(theirs, own), isAhead }
  const isOther = own.identityKey !== theirs.identityKey || namesDiffer(own, theirs)
  const { identityKey, username } = theirs
  const other = own.other ?? (isOther ? { identityKey, ...(username !== undefined && { username }) } : theirs.other)
  const isVerified = own.isVerified && theirs.isVerified && !other
  const differs = own.differs || theirs.differs
  const { awaitsDecision, ...pin } = { ...theirs, ...own, isVerified, ...(differs && { differs }), ...(other && { other }) }
  return { pin: own.awaitsDecision && theirs.awaitsDecision ? { ...pin, awaitsDecision: true } : pin, isAhead }
}

const namesDiffer = (own: Pin, theirs: Pin): boolean =>
  own.username !== undefined && theirs.username !== undefined && own.username !== theirs.username

/** Keeps fields of newer builds [Note: F2]. */
function united(holds: Pin, loses: Pin): Pin {
  if (holds.identityKey !== loses.identityKey) return holds
  const { other: _, awaitsDecision: __, ...more } = loses
  return { ...more, ...holds }
}

/** True if equal but for undecided keys, which each browser keeps first. */
export function isSameBook(one: Book, other: Book): boolean {
  return JSON.stringify(settled(one), byName) === JSON.stringify(settled(other), byName)
}

/** Merges may reorder fields. */
const byName = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

const settled = ({ pins, ...book }: Book) => ({
  ...book,
  pins: Object.entries(pins).map(([id, { manifest: _, ...pin }]) => [
    id,
    pin.other ? { n: decisionsOf(pin), isConflict: true } : pin,
  ]),
})
