import { toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Book, BookRow, Pin } from './book.ts'

/**
 * The most by which a number from another browser or the server may exceed the known one: else an attacker could use the numbers
 * up.
 */
export const AHEAD_MAX = 1000

/**
 * The number of decisions behind a pin; 0 for the first key seen. A pin of an older build with a date counts as one [Note: I1].
 */
const decisionsOf = ({ n, decidedAt }: Pin): number => n ?? (decidedAt === undefined ? 0 : 1)

/** The book with this pin instead of the account's old one. */
export const withPin = (row: BookRow, userId: string, pin: Pin): BookRow => ({
  ...row,
  isDirty: true,
  book: { ...row.book, pins: { ...row.book.pins, [userId]: pin } },
})

type Decision = Pick<Pin, 'identityKey' | 'isVerified'> &
  Partial<Pick<Pin, 'username' | 'isByAddress' | 'isContact' | 'awaitsDecision' | 'differs' | 'comparedAt' | 'isByCode'>>

/**
 * The book with the person's decision on the key, its name or its mark: across browsers the pin with the most decisions wins
 * [Note: I1].
 */
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
    // What was compared belongs to the key.
    ...(isSameKey && differs !== undefined && { differs }),
    ...(isSameKey && comparedAt && { comparedAt }),
    ...(isSameKey && isByCode !== undefined && { isByCode }),
    ...decision,
    n,
  })
}

/** The book with the newest device list seen of an account. That is no reason to save the book [Note: D2]. */
export function withList(row: BookRow, userId: string, { version, hash }: NonNullable<Pin['manifest']>): BookRow {
  const pin = row.book.pins[userId]
  if (!pin || (pin.manifest?.version === version && pin.manifest.hash === hash)) return row
  return { ...withPin(row, userId, { ...pin, manifest: { version, hash } }), isDirty: row.isDirty }
}

/**
 * Checks the first device list that this browser sees of an account against the one that the account's book knows. Throws CryptoFailure
 * 'manifest_rollback' if it is older, 'manifest_fork' if it has the same version and another hash [Note: D1].
 */
export function requirePinnedList({ manifest: known }: Pin, { version, hash }: NonNullable<Pin['manifest']>): void {
  if (!known || known.version > version + AHEAD_MAX) return
  if (version < known.version)
    throw new CryptoFailure('manifest_rollback', 'The server answered an older device list than your other browsers know')
  if (version === known.version && hash !== known.hash)
    throw new CryptoFailure('manifest_fork', 'Two device lists have the same version')
}

/** True if the person has decided on the key or the name of this pin. */
export const isDecided = (pin: Pin): boolean => decisionsOf(pin) > 0

/** The result of merging two browsers' pins of one account. */
interface MergedPin {
  pin: Pin
  /**
   * True if the other pin counts more decisions than there can be. It was then ignored or, for an unknown account, taken as the
   * first key seen.
   */
  isAhead: boolean
}

/**
 * Merges two pins: the one with more decisions wins. If they have equally many, the mark stays only if both have it, and another
 * key or name is kept in `other` until the person decides; until then nothing is sent.
 */
export function mergedPin(own: Pin | undefined, theirs: Pin): MergedPin {
  const { pin: merged, isAhead } = mergedDecision(own, theirs)
  const { manifest: _, ...pin } = merged
  // This browser's own observation comes first, so that a stolen browser's is replaced by the next book that is written.
  const manifest = [own, theirs].find((one) => one?.manifest && one.identityKey === pin.identityKey)?.manifest
  return { pin: manifest ? { ...pin, manifest } : pin, isAhead }
}

function mergedDecision(own: Pin | undefined, theirs: Pin): MergedPin {
  const isAhead = decisionsOf(theirs) > (own ? decisionsOf(own) : 0) + AHEAD_MAX
  // Without this key the account would be pinned to any key that the server shows next.
  if (!own) return { pin: isAhead ? { ...theirs, isVerified: false, n: 0 } : theirs, isAhead }
  if (isAhead || decisionsOf(own) > decisionsOf(theirs)) return { pin: united(own, theirs), isAhead }
  if (decisionsOf(own) < decisionsOf(theirs)) return { pin: united(theirs, own), isAhead }
  const isOther = own.identityKey !== theirs.identityKey || namesDiffer(own, theirs)
  const { identityKey, username } = theirs
  const other = own.other ?? (isOther ? { identityKey, ...(username !== undefined && { username }) } : theirs.other)
  const isVerified = own.isVerified && theirs.isVerified && !other
  // Sending stops if one of them says so.
  const differs = own.differs || theirs.differs
  const { awaitsDecision, ...pin } = { ...theirs, ...own, isVerified, ...(differs && { differs }), ...(other && { other }) }
  // The browser whose pin awaits no decision has known this key since before the book was started anew.
  return { pin: own.awaitsDecision && theirs.awaitsDecision ? { ...pin, awaitsDecision: true } : pin, isAhead }
}

const namesDiffer = (own: Pin, theirs: Pin): boolean =>
  own.username !== undefined && theirs.username !== undefined && own.username !== theirs.username

/** The winning pin; if both have the same key, with the fields that only the other one's build knows [Note: F2]. */
function united(holds: Pin, loses: Pin): Pin {
  if (holds.identityKey !== loses.identityKey) return holds
  const { other: _, awaitsDecision: __, ...more } = loses
  return { ...more, ...holds }
}

/**
 * True if another browser would read the same in both books. Each browser keeps its own key first until the person decides; if
 * that counted as a difference, two browsers would overwrite each other's book for ever.
 */
export function isSameBook(one: Book, other: Book): boolean {
  return JSON.stringify(settled(one), byName) === JSON.stringify(settled(other), byName)
}

/** A replacer for JSON.stringify that sorts the fields, because a merge may change their order. */
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
